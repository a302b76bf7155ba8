"""Files of a size at which holding them in memory would show."""

import csv
import tracemalloc
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import openpyxl
import pytest

from docgemma.errors import BadInput
from docgemma.knowledge.reading.contract import Note, Options, Problem, Row
from docgemma.knowledge.reading.reader import read
from tests.knowledge.reading.reading import GIVEN, TODAY

ROWS = 40_000
ANSWER = "Wash it with clean water, dry it and cover it. " * 10
MEDQUAD = Path(__file__).parents[3].parent / "shared" / "data" / "kb" / "medquad.jsonl"


def taken(rows: Iterator[Row | Problem], most: int) -> tuple[int, int]:
    """How many of them are entries, and the most memory that was added on the way."""
    tracemalloc.start()
    try:
        count = sum(isinstance(one, Row) for one in islice(rows, most))
        return count, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def opened(path: Path) -> Iterator[Row | Problem]:
    return read([path], Options(**GIVEN, allow_orders=True), today=TODAY)


def test_many_rows_are_never_in_memory_together(tmp_path: Path) -> None:
    """Measured at the beginning, where a whole file would be loaded, and at the end, where rows would have piled up."""
    path = tmp_path / "kb.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("question", "answer"))
        writer.writerows((f"How is wound {number} cleaned?", ANSWER) for number in range(ROWS))
    assert path.stat().st_size > 18_000_000
    rows = opened(path)
    first, at_first = taken(rows, 5_000)
    between = sum(isinstance(one, Row) for one in islice(rows, ROWS - 10_000))
    last, at_last = taken(rows, 10_000)
    assert (first, between, last) == (5_000, ROWS - 10_000, 5_000)
    assert max(at_first, at_last) < 5_000_000


def test_a_long_sheet_is_streamed(tmp_path: Path) -> None:
    path = tmp_path / "kb.xlsx"
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("kb")
    sheet.append(["question", "answer"])
    for number in range(8_000):
        sheet.append([f"How is wound {number} cleaned?", ANSWER])
    book.save(path)
    rows = opened(path)
    next(rows)
    count, most = taken(rows, 10_000)
    assert count == 7_999
    assert most < 8_000_000


@pytest.mark.skipif(not MEDQUAD.is_file(), reason="the MedQuAD file is not here")
def test_medquad_is_read_whatever_its_ids() -> None:
    notes: list[Note] = []
    columns = {"topic": "focus", "subtopic": "qtype"}
    options = Options(role="nurse", language="en", columns=columns, ids="content", allow_orders=True)
    found = list(read([MEDQUAD], options, tell=notes.append, today=TODAY))
    rows = [one for one in found if isinstance(one, Row)]
    refused = [one for one in found if isinstance(one, Problem)]
    assert (len(rows), len(refused)) == (15_352, 47)
    assert len({one.entry.id for one in rows}) == len(rows)
    assert [str(note) for note in notes] == ["Rows that say the same as an earlier one, and were taken once: 27."]
    assert rows[0].entry.topic == "Adult Acute Lymphoblastic Leukemia"
    assert {one.text.split(".")[0][:22] for one in refused} == {
        "There is no topic",
        "The topic has 136 char",
        "The same question and ",
    }


def test_without_the_map_medquad_like_files_say_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "kb.csv"
    path.write_text("id,question,answer,focus,qtype,source,url\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"no column for: topic.*--map topic=COLUMN"):
        list(read([path], Options(role="nurse", language="en"), today=TODAY))
