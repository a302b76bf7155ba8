"""Files as they come: formats, ids, broken lines, hostile content."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import BadInput
from docgemma.grounding.contract import LONGEST_CRITERION, Criterion
from docgemma.grounding.reading import Format, Problem, read
from docgemma.grounding.reading.naming import Seen

FIXTURES = Path(__file__).parent.parent / "fixtures"


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def split(found: list[Criterion | Problem]) -> tuple[list[Criterion], list[Problem]]:
    return [one for one in found if isinstance(one, Criterion)], [one for one in found if isinstance(one, Problem)]


def test_one_criterion_a_line(tmp_path: Path) -> None:
    path = written(tmp_path, "my list.txt", "\ufeffage > 18\nplatelets ≥ 100\n\nno prior stroke,\nor seizure\r\n")
    criteria, problems = split(list(read(path)))
    assert [one.text for one in criteria] == ["age > 18", "platelets ≥ 100", "no prior stroke,", "or seizure"]
    assert [one.criterion_id for one in criteria] == [f"my_list-criterion-{number}" for number in range(1, 5)]
    assert not problems


def test_a_pasted_block_is_seen_by_its_headings(tmp_path: Path) -> None:
    path = written(
        tmp_path, "NCT90000009.txt", "Inclusion Criteria:\n- Adults\n- Asthma\nExclusion Criteria:\n- Smoking\n"
    )
    criteria, _ = split(list(read(path)))
    assert [(one.criterion_id, one.type, one.protocol_id) for one in criteria] == [
        ("NCT90000009-inclusion-1", "inclusion", "NCT90000009"),
        ("NCT90000009-inclusion-2", "inclusion", "NCT90000009"),
        ("NCT90000009-exclusion-1", "exclusion", "NCT90000009"),
    ]


def test_json_lines_keep_their_text_and_a_broken_line_stops_nothing(tmp_path: Path) -> None:
    rows = [
        '{"criterion_id": "a", "text": "  HbA1c \\\\> 7 ", "type": "Inclusion", "protocol_id": "P1"}',
        "{broken",
        '["no object"]',
        '{"id": 7, "text": "Stroke", "type": "excl"}',
        '{"id": "a", "text": "again", "protocol_id": "P1"}',
        '{"id": "b", "type": "inclusion"}',
        '{"id": "c", "text": ""}',
        '{"id": "d", "text": "x", "type": "perhaps"}',
        '{"id": "e", "text": 5}',
        '{"id": "f", "text": "\\ud800"}',
        json.dumps({"id": "g", "text": "x" * (LONGEST_CRITERION + 1)}),
        "",
        '{"text": "no id"}',
        "[" * 5000,
    ]
    path = written(tmp_path, "c.jsonl", "\n".join(rows).encode() + b"\n\xff\xfe{}\n")
    criteria, problems = split(list(read(path)))
    assert [(one.criterion_id, one.text, one.type) for one in criteria] == [
        ("a", "  HbA1c \\> 7 ", "inclusion"),
        ("7", "Stroke", "exclusion"),
        ("c-criterion-1", "no id", "unknown"),
    ]
    assert [one.row for one in problems] == [2, 3, 5, 6, 7, 8, 9, 10, 11, 14, 15]
    assert "already used" in problems[2].text
    assert "4,000" in problems[8].text


def test_a_block_in_a_record_is_split(tmp_path: Path) -> None:
    row = {"nct_id": "NCT90000008", "inclusion_criteria": "- Adults\n- Asthma", "exclusion_criteria": "Smoking"}
    criteria, _ = split(list(read(written(tmp_path, "c.jsonl", json.dumps(row)))))
    assert [(one.criterion_id, one.text) for one in criteria] == [
        ("NCT90000008-inclusion-1", "Adults"),
        ("NCT90000008-inclusion-2", "Asthma"),
        ("NCT90000008-exclusion-1", "Smoking"),
    ]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.txt", "a"])
def test_an_array_is_known_by_its_beginning(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, '[\n {"id": "1", "text": "Stroke"},\n {"id": "2"},\n {"id": "3", "text": "Asthma"}]')
    criteria, problems = split(list(read(path)))
    assert [one.criterion_id for one in criteria] == ["1", "3"]
    assert [one.row for one in problems] == [3]


def test_an_array_that_breaks_gives_what_came_before(tmp_path: Path) -> None:
    path = written(tmp_path, "a.json", '[{"id": "1", "text": "Stroke"},\n{"id": 2, "te')
    criteria, problems = split(list(read(path)))
    assert [one.text for one in criteria] == ["Stroke"]
    assert problems[0].row == 2


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
def test_tables_with_any_separator(tmp_path: Path, mark: str) -> None:
    rows = [["NCT Number", "Criterion ID", "Inclusion/Exclusion", "Criterion Text"]]
    rows += [["N1", "1", "I", '"=HYPERLINK(1) and ""more"""'], ["N1", "2", "E", "Stroke"], ["N1", "2", "E", "Again"]]
    path = written(tmp_path, "t.csv", "\ufeff" + "\n".join(mark.join(row) for row in rows))
    criteria, problems = split(list(read(path)))
    assert [(one.criterion_id, one.protocol_id, one.type, one.text) for one in criteria] == [
        ("1", "N1", "inclusion", '=HYPERLINK(1) and "more"'),
        ("2", "N1", "exclusion", "Stroke"),
    ]
    assert [one.row for one in problems] == [4]


def test_a_table_goes_on_after_a_row_that_cannot_be_read(tmp_path: Path) -> None:
    content = 'id,text\n1,"Stroke"x\n2,Asthma\n3,a,b\n4,"two\nlines"\n'
    criteria, problems = split(list(read(written(tmp_path, "t.csv", content))))
    assert [one.text for one in criteria] == ["Asthma", "two\nlines"]
    assert [one.row for one in problems] == [2, 4]


def test_a_table_without_a_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no column for the criterion's text"):
        list(read(written(tmp_path, "t.csv", "a,b\n1,2\n")))


def test_studies_of_the_registry() -> None:
    criteria, problems = split(list(read(FIXTURES / "studies.json")))
    assert [(one.criterion_id.removeprefix("NCT90000001-"), one.text) for one in criteria] == [
        ("inclusion-1", "Age >= 18 years."),
        ("inclusion-2", "HbA1c > 7.5%"),
        ("inclusion-3", "Fasting glucose > 126 mg/dL"),
        ("exclusion-1", "Pregnant or breastfeeding"),
        ("exclusion-2", "Stroke within 6 months of screening"),
        ("minimum-age", "Minimum Age: 18 Years"),
        ("maximum-age", "Maximum Age: 75 Years"),
        ("sex", "Sex: Female"),
    ]
    assert {one.protocol_id for one in criteria} == {"NCT90000001"}
    assert ["NCT90000002" in one.text for one in problems] == [True]


def test_the_older_shape_of_the_registry() -> None:
    criteria, _ = split(list(read(FIXTURES / "legacy.json")))
    assert [one.text for one in criteria] == ["Adults", "Asthma", "Smokers", "Sex: Male"]
    assert {one.protocol_id for one in criteria} == {"NCT90000003"}


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    written(tmp_path, "b.json", (FIXTURES / "studies.json").read_bytes())
    written(tmp_path / "deep", "a.json", (FIXTURES / "legacy.json").read_bytes())
    written(tmp_path, "broken.json", "{")
    written(tmp_path, ".hidden.json", "{")
    written(tmp_path, "picture.png", b"\0")
    written(tmp_path, "again.json", (FIXTURES / "legacy.json").read_bytes())
    criteria, problems = split(list(read(tmp_path)))
    assert len(criteria) == 12
    assert {one.file for one in problems} == {"b.json", "broken.json", "deep/a.json"}
    assert sum("already used" in one.text for one in problems) == 4


def test_an_output_in_the_folder_is_no_input(tmp_path: Path) -> None:
    written(tmp_path, "a.txt", "Asthma\n")
    written(tmp_path, "out.jsonl", '{"criterion_id": "a-criterion-1", "text": "Asthma"}\n')
    written(tmp_path, ".out.jsonl.run", b"")
    criteria, problems = split(list(read(tmp_path)))
    assert [one.criterion_id for one in criteria] == ["a.txt-criterion-1"] and not problems


def test_protocols_may_number_their_criteria_alike(tmp_path: Path) -> None:
    rows = "protocol,id,text\nA,1,Asthma\nB,1,Stroke\nA,1,Gout\n"
    criteria, problems = split(list(read(written(tmp_path, "c.csv", rows))))
    assert [(one.protocol_id, one.criterion_id) for one in criteria] == [("A", "1"), ("B", "1")]
    assert [one.row for one in problems] == [4]


def test_a_cell_of_which_a_line_is_lost_is_no_criterion(tmp_path: Path) -> None:
    rows = b'id,text\n1,"Asthma\nand no \xd6dem\nor COPD"\n2,Stroke\n3,Gef\xe4\xdf\n'
    criteria, problems = split(list(read(written(tmp_path, "c.csv", rows))))
    assert [(one.criterion_id, one.text) for one in criteria] == [("2", "Stroke")]
    assert [one.row for one in problems] == [3, 6]


def test_the_separator_that_excel_writes_first(tmp_path: Path) -> None:
    rows = "\ufeffsep=;\r\nid;text\r\n1;Asthma, severe\r\n"
    criteria, problems = split(list(read(written(tmp_path, "c.csv", rows))))
    assert [(one.criterion_id, one.text) for one in criteria] == [("1", "Asthma, severe")] and not problems


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (b"1,Inclusion,Asthma\n2,Exclusion,Stroke\n", "no column for the criterion's text"),
        (b"id;type;text;Gr\xf6\xdfe\n1;Inclusion;Asthma;\n", "Save the file as UTF-8"),
    ],
    ids=["none", "not-utf-8"],
)
def test_a_table_without_a_header_is_not_read_by_chance(tmp_path: Path, rows: bytes, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        list(read(written(tmp_path, "c.csv", rows)))


def test_a_row_that_gives_no_criterion_is_named(tmp_path: Path) -> None:
    rows = "nct id,inclusion,exclusion\nNCT90000001,Asthma,Stroke\nNCT90000002,Inclusion Criteria:,\n"
    criteria, problems = split(list(read(written(tmp_path, "c.csv", rows))))
    assert [one.text for one in criteria] == ["Asthma", "Stroke"]
    assert [one.row for one in problems] == [3]


@pytest.mark.parametrize(
    ("content", "texts"),
    [(b"Stroke\nAsthma", ["Stroke", "Asthma"]), (b'{"text": "Stroke"}\n', ["Stroke"])],
    ids=["text", "jsonl"],
)
def test_standard_input_is_read_and_left_open(content: bytes, texts: list[str]) -> None:
    stdin = io.BytesIO(content)
    criteria, _ = split(list(read("-", stdin=stdin)))
    assert [one.text for one in criteria] == texts
    assert criteria[0].criterion_id == "stdin-criterion-1"
    assert not stdin.closed


def test_format_type_and_protocol_can_be_forced(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", "Patients with prior stroke or\ntransient ischemic attack\n")
    criteria, _ = split(list(read(path, format="block", protocol_id="P9", type="exclusion")))
    assert [(one.criterion_id, one.text) for one in criteria] == [
        ("P9-exclusion-1", "Patients with prior stroke or transient ischemic attack")
    ]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.xlsx", b"PK", "save its sheet as CSV"),
        ("a.pdf", b"%PDF", "copy its criteria"),
        ("a.txt", b"a\0b", "not text"),
        ("a.csv", b"", "empty"),
        ("a.json", b'{"text": ', "no valid JSON"),
        ("a.txt", "ä".encode("utf-32"), "UTF-32"),
    ],
    ids=["workbook", "document", "binary", "empty", "json", "utf32"],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        list(read(written(tmp_path, name, content)))


def test_no_file_no_pipe_no_empty_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    for path in (tmp_path / "missing.txt", tmp_path / "pipe.txt", tmp_path / "a\0b"):
        with pytest.raises(BadInput):
            list(read(path))
    (tmp_path / "none").mkdir()
    with pytest.raises(BadInput, match="holds no file"):
        list(read(tmp_path / "none"))


def test_utf16_with_its_mark(tmp_path: Path) -> None:
    criteria, _ = split(list(read(written(tmp_path, "a.txt", "Größe ≥ 5\nStroke\n".encode("utf-16")))))
    assert [one.text for one in criteria] == ["Größe ≥ 5", "Stroke"]


def test_a_line_without_end_is_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", "Stroke\n" + "x" * 1_200_000 + "\nAsthma\n" + "word " * 2000 + "\nFever\n")
    criteria, problems = split(list(read(path)))
    assert [one.text for one in criteria] == ["Stroke", "Asthma", "Fever"]
    assert [one.row for one in problems] == [2, 4]


def test_reading_is_a_stream(tmp_path: Path) -> None:
    """The first criterion is there while the end of the file does not yet exist."""
    first = io.BytesIO(b'{"id": "1", "text": "Stroke"}\n' + b'{"id": "2", "text": "Asthma"}\n' * 50_000)
    found = next(iter(read("-", stdin=first)))
    assert isinstance(found, Criterion)
    assert first.tell() < 100_000


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=5), max_size=60))
def test_seen_knows_what_it_saw(texts: list[str]) -> None:
    seen, known = Seen(), set[str]()
    for text in texts:
        assert seen.add(text) == (text not in known)
        known.add(text)


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(("text", "block", "jsonl", "json", "csv")))
def test_no_bytes_break_the_reader(content: bytes, format: Format) -> None:
    try:
        for one in read("-", stdin=io.BytesIO(content), format=format):
            assert isinstance(one, Criterion | Problem)
    except BadInput as error:
        assert str(error)
