"""Text as it comes: line by line and row by row, with the numbers that an editor shows."""

from __future__ import annotations

import csv
import io
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import BadInput
from docgemma.ingest.files import files_in, open_file, stream_of
from docgemma.ingest.problem import Problem, shown
from docgemma.ingest.tables import table_rows
from docgemma.ingest.text import byte_lines, decoded, file_lines, file_text, lines
from tests.support.tables import each_of

LONGEST = 20
LINES: list[tuple[bytes, list[tuple[int, str, str]]]] = [
    (b"", []),
    (b"\xef\xbb\xbfa\nb", [(1, "a", ""), (2, "b", "")]),
    (b"a\r\nb\rc\n", [(1, "a", ""), (2, "b", ""), (3, "c", "")]),
    (b"a\n\n b \n", [(1, "a", ""), (2, "", ""), (3, " b ", "")]),
    ("é\nb".encode("utf-16"), [(1, "é", ""), (2, "b", "")]),
    (b"a\nb\xe9\nc", [(1, "a", ""), (2, "", "not_text"), (3, "c", "")]),
    ("a\nb".encode("utf-16")[:-1], [(1, "a", ""), (2, "", "not_text")]),
    (b"x" * LONGEST + b"\nb", [(1, "x" * LONGEST, ""), (2, "b", "")]),
    (b"x" * 21 + b"\nb", [(1, "", "too_long"), (2, "b", "")]),
    (b"x" * 500 + b"\r\nb", [(1, "", "too_long"), (2, "b", "")]),
    (b"x" * 500, [(1, "", "too_long")]),
    (b"a\0b", [(1, "a\0b", "")]),
]


@each_of(("data", "wanted"), LINES)
def test_lines_are_numbered_and_what_is_wrong_is_named(data: bytes, wanted: list[tuple[int, str, str]]) -> None:
    found = lines(decoded(io.BytesIO(data), data[:4]), LONGEST)
    assert [(line.number, line.text, line.wrong) for line in found] == wanted


@pytest.mark.parametrize(
    ("data", "line"), [(b"a\nb\xe9", 2), ("a".encode("utf-32"), 1), (b"\xfe\xffa", 0)], ids=["latin", "utf-32", "half"]
)
def test_a_file_that_is_no_text_is_given_up_with_its_line(data: bytes, line: int) -> None:
    where = rf"kb\.md is not text in UTF-8( \(line {line}\))?\. Save it as UTF-8"
    with pytest.raises(BadInput, match=where):
        file_text(io.BytesIO(data), "kb.md")
    with pytest.raises(BadInput, match=r"kb\.md is not text in UTF-8"):
        list(file_lines(io.BytesIO(data), "kb.md", LONGEST))


def test_lines_of_bytes_are_kept_as_they_came() -> None:
    data = b"\xef\xbb\xbf {1} \r\n\n  \n\xff\n" + b"x" * 50 + b"\n{2}"
    found = [(line.number, line.data, line.cut) for line in byte_lines(io.BytesIO(data), LONGEST)]
    assert found == [(1, b"{1}", False), (4, b"\xff", False), (5, b"x" * 21, True), (6, b"{2}", False)]


ROWS: list[tuple[bytes, list[tuple[int, int, tuple[str, ...], str]]]] = [
    (b"a,b\nc,d", [(1, 1, ("a", "b"), ""), (2, 2, ("c", "d"), "")]),
    (b'"a\r\nb",c\nd', [(1, 2, ("a\nb", "c"), ""), (3, 3, ("d",), "")]),
    (b'a\n"b"c\nd', [(1, 1, ("a",), ""), (2, 2, (), "quotes"), (3, 3, ("d",), "")]),
    (b'a\n"b\nc', [(1, 1, ("a",), ""), (2, 3, (), "quotes")]),
    (b'a\n"' + b"b\n" * 40, [(1, 1, ("a",), ""), (2, 21, (), "too_long")]),
    (b"=1+1,'=1", [(1, 1, ("=1+1", "'=1"), "")]),
]


@each_of(("data", "wanted"), ROWS)
def test_rows_stand_where_they_begin(data: bytes, wanted: list[tuple[int, int, tuple[str, ...], str]]) -> None:
    found = table_rows(lines(decoded(io.BytesIO(data), data[:4]), LONGEST), lambda _: ",", LONGEST)
    assert [(row.line, row.last, row.cells, row.wrong) for row in found][: len(wanted)] == wanted


def test_a_line_that_is_lost_is_told_with_the_row_it_belongs_to() -> None:
    data = b'a,"b\nno \xf6dem\nc"\nd,e'
    first, second = table_rows(lines(decoded(io.BytesIO(data), data[:4]), LONGEST), lambda _: ",", LONGEST)
    assert [line.number for line in first.lost] == [2]
    assert (second.line, second.cells, second.lost) == (4, ("d", "e"), ())


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(CELL, min_size=2, max_size=4), max_size=6), st.sampled_from(",;\t|"))
def test_what_was_written_comes_back(rows: list[list[str]], mark: str) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=mark, lineterminator="\n").writerows(rows)
    data = out.getvalue().encode()
    found = list(table_rows(lines(decoded(io.BytesIO(data), b""), 1_000), lambda _: mark, 1_000))
    assert [list(row.cells) for row in found] == rows
    begins = [1 + sum(cell.count("\n") for row in rows[:at] for cell in row) + at for at in range(len(rows))]
    assert [row.line for row in found] == begins


def test_a_long_table_is_never_in_memory() -> None:
    row = b"word " * 200 + b",b\n"
    left = [row] * 40_000

    tracemalloc.start()
    try:
        text = decoded(stream_of(lambda _: left.pop() if left else b""), b"")
        count = sum(1 for _ in table_rows(lines(text, 10_000), lambda _: ",", 10_000))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (count, most < 1_000_000) == (40_000, True)


def test_a_folder_is_gone_through_by_name_and_links_are_not_followed(tmp_path: Path) -> None:
    for name in ("b.csv", "a/z.csv", "a.csv", ".hidden.csv", ".git/c.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "round").symlink_to(tmp_path)

    def names(**how: bool) -> list[str]:
        folders_last = how.pop("folders_last", False)
        found = files_in(tmp_path, folders_last=folders_last, **how)
        return [str(path.relative_to(tmp_path)) for path, _ in found]

    assert names() == ["a/z.csv", "a.csv", "b.csv", "round"]
    assert names(folders_last=True) == ["a.csv", "b.csv", "round", "a/z.csv"]
    assert names(folders_last=True, hidden_folders=True) == ["a.csv", "b.csv", "round", ".git/c.csv", "a/z.csv"]


def test_what_is_no_ordinary_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", Path("/dev/null"), Path("/proc/self/environ")):
        with pytest.raises(BadInput, match="no ordinary file"):
            open_file(path, path.name)
    for path in (tmp_path / "missing.csv", tmp_path / "a\0b"):
        with pytest.raises(BadInput, match="cannot be read"):
            open_file(path, "it")


def test_one_form_for_all_problems() -> None:
    told = [str(Problem(*where, "Mend it.")) for where in (("a.csv", 3), ("a.csv", 0), ("", 3), ("", 0))]
    assert told == ["a.csv:3: Mend it.", "a.csv: Mend it.", "line 3: Mend it.", "Mend it."]
    assert shown("a\x1b[31m\u202eb\n.csv").isprintable() and len(shown("folder/" * 90)) == 200
