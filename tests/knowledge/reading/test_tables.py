import csv
import io
import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import BadInput, DocGemmaError
from docgemma.ingest.hygiene import mixed
from docgemma.knowledge.reading.contract import Problem, Row
from tests.knowledge.reading.reading import HEADER, entries, of_text, problems, reading


def pairs(path: Path) -> list[tuple[str, str]]:
    return [(entry.question, entry.answer) for entry in entries(path)]


@pytest.mark.parametrize("mark", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old mac"])
def test_the_header_tells_the_separator(tmp_path: Path, mark: str, end: str) -> None:
    text = mark.join(("question", "answer")) + end + mark.join(('"A, b; c\td?"', '"One, two; three"')) + end
    assert pairs(of_text(tmp_path, text)) == [("A, b; c d?", "One, two; three")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom"])
def test_utf8_and_utf16_with_its_mark_are_read(tmp_path: Path, encoding: str) -> None:
    text = "CAUHOI;CAUTRALOI\nĐường huyết là gì?;Lượng đường trong máu.\n"
    data = b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16-le-bom" else text.encode(encoding)
    path = tmp_path / "kb.csv"
    path.write_bytes(data)
    assert pairs(path) == [("Đường huyết là gì?", "Lượng đường trong máu.")]


@pytest.mark.parametrize(
    ("encoding", "where"), [("latin-1", r" \(line 3\)"), ("cp1258", r" \(line 3\)"), ("utf-32", ""), ("utf-16-be", "")]
)
def test_another_encoding_is_never_guessed(tmp_path: Path, encoding: str, where: str) -> None:
    path = tmp_path / "kb.csv"
    path.write_bytes("question,answer\nA?,B\nC?,é ü\n".encode(encoding))
    with pytest.raises(BadInput) as error:
        reading(path)
    if where:
        assert error.match(f"is not text in UTF-8{where}. Save it as UTF-8")


def test_half_a_character_of_utf16_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kb.csv"
    path.write_bytes("question,answer\nA?,B\n".encode("utf-16")[:-1])
    with pytest.raises(BadInput, match="not text in UTF-8"):
        reading(path)


def test_rows_are_numbered_by_the_line_on_which_they_begin(tmp_path: Path) -> None:
    text = '\n\nquestion,answer\n\n"A\nb?","one\ntwo\n\nthree"\n,\nC?,D\n\n\nE?,F'
    found = reading(of_text(tmp_path, text))
    assert [(one.row, one.entry.question) for one in found if isinstance(one, Row)] == [
        (5, "A b?"),
        (11, "C?"),
        (14, "E?"),
    ]


def test_quotes_and_line_ends_in_cells(tmp_path: Path) -> None:
    text = HEADER + '"Say ""ah"", why?","- one\r\n- two, ""three"""\r\n'
    assert pairs(of_text(tmp_path, text)) == [('Say "ah", why?', '- one\n- two, "three"')]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("A?,B\0", "U+0000"),
        ("A?,B,C", "The row has 3 cells, the header 2"),
        ("A?,", "There is no answer"),
        ("A?", "There is no answer"),
        ("A?,=1+1", "is a formula"),
        ('A?,"=HYPERLINK(""x"")"', "is a formula"),
        ("A?," + "x" * 40_001, "the most is 40,000"),
    ],
    ids=["nul", "more cells", "empty", "fewer cells", "formula", "quoted formula", "long"],
)
def test_a_row_that_cannot_be_used_is_a_problem_and_the_rest_goes_on(tmp_path: Path, row: str, reason: str) -> None:
    found = reading(of_text(tmp_path, f"{HEADER}{row}\nC?,D\n"))
    assert isinstance(found[0], Problem)
    assert found[0].row == 2
    assert reason in found[0].text
    assert isinstance(found[1], Row)


def test_empty_cells_behind_the_header_are_no_problem(tmp_path: Path) -> None:
    assert pairs(of_text(tmp_path, HEADER + "A?,B,, ,\n")) == [("A?", "B")]


@pytest.mark.parametrize(
    "rows",
    ['A?,"B\nC?,D\nE?,F\n', 'A?,"B" c\nD?,E\n', 'A?,"' + "x\n" * 80_000 + '"\n', 'A?,"' + "x" * 1_100_000 + '"\n'],
    ids=["not closed", "goes on behind", "long cell", "long line"],
)
def test_quotes_that_do_not_match_stop_the_file_with_the_line(tmp_path: Path, rows: str) -> None:
    with pytest.raises(BadInput, match="line 2"):
        reading(of_text(tmp_path, HEADER + rows))


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"], ids=["nothing", "blank", "mark"])
def test_an_empty_file_is_said_to_be_empty(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="is empty"):
        reading(of_text(tmp_path, text))


def test_an_apostrophe_before_a_sign_is_how_a_spreadsheet_keeps_text(tmp_path: Path) -> None:
    assert pairs(of_text(tmp_path, HEADER + "'+ve?,'- one\n'Tis?,'Tis\n")) == [("+ve?", "- one"), ("'Tis?", "'Tis")]
    assert "is a formula" in problems(of_text(tmp_path, HEADER + "A?,'=1+1\n"))[0][1]


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z", "M")), min_size=1, max_size=30).map(
    lambda text: f"a{text}"
)
TEXT = TEXT.filter(lambda text: not mixed(unicodedata.normalize("NFC", text)) and not mixed(text.lower()))


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(TEXT.map(str.lower), st.lists(TEXT, min_size=1, max_size=4).map("\n".join), min_size=1, max_size=6),
    st.sampled_from(",;\t"),
)
def test_written_rows_come_back(rows: dict[str, str], mark: str) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark)
    writer.writerows([("question", "answer"), *rows.items()])
    with TemporaryDirectory() as folder:
        found = reading(of_text(Path(folder), out.getvalue()), ids="content", allow_orders=True)
    said = {one.entry.question: one.entry.answer for one in found if isinstance(one, Row)}
    wanted = {unicodedata.normalize("NFC", key): unicodedata.normalize("NFC", value) for key, value in rows.items()}
    refused = [one for one in found if isinstance(one, Problem)]
    assert said.items() <= wanted.items()
    assert len(said) + len(refused) == len(rows)
    assert all("browser" in one.text for one in refused)


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(st.sampled_from("question,answer;\"'\n\r\t =+A1é\0\u200b"), max_size=200).map(str.encode),
        st.binary(max_size=200).map(lambda tail: b"question,answer\n" + tail),
        st.binary(max_size=200).map(lambda tail: "question,answer\n".encode("utf-16") + tail),
    )
)
def test_no_bytes_bring_the_reader_down(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "kb.csv")
        path.write_bytes(data)
        try:
            reading(path)
        except DocGemmaError as error:
            assert str(error).isprintable()
