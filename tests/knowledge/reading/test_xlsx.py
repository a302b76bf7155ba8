import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from docgemma.errors import BadInput
from docgemma.knowledge.reading.contract import Note, Problem, Row
from tests.knowledge.reading.reading import entries, problems, reading
from tests.knowledge.reading.workbooks import SHEET, changed, shared, swapped, workbook


def test_rows_are_read_with_the_numbers_of_the_sheet(tmp_path: Path) -> None:
    path = workbook(tmp_path, ("A?", "one\ntwo"), ("", None), (None, None), ("Đường huyết?", " B "))
    found = reading(path)
    assert [(one.row, one.entry.answer) for one in found if isinstance(one, Row)] == [(2, "one\ntwo"), (5, "B")]


def test_vietnamese_columns_and_dates(tmp_path: Path) -> None:
    header = ("HEADER", ("STT", "ĐỀ MỤC", "CHỦ ĐỀ CON", "CÂU HỎI", "CÂU TRẢ LỜI", "Ngày duyệt", "id"))
    day = datetime.datetime(2024, 5, 1, 10, 30)
    notes: list[Note] = []
    entry = entries(workbook(tmp_path, header, (1, "Bệnh lý", "Định nghĩa", "A?", "B", day, 7)), notes=notes)[0]
    assert (entry.topic, entry.subtopic, entry.reviewed, entry.id) == ("Bệnh lý", "Định nghĩa", "2024-05-01", "7")
    assert [note.text for note in notes] == ["Columns that are not used: 'STT'."]


CELLS: dict[str, tuple[Any, str]] = {
    "formula": ("=B1", "The answer is a formula. Paste its value"),
    "call": ('=HYPERLINK("http://evil.example","x")', "The answer is a formula"),
    "number": (37.5, "The answer is a number"),
    "whole number": (5, "The answer is a number"),
    "date": (datetime.date(2024, 5, 1), "The answer is a date"),
    "time": (datetime.time(10, 30), "The answer is a date or time"),
    "truth": (True, "The answer is TRUE or FALSE"),
    "error": ("#REF!", "The answer is an error"),
    "hidden": ("a\u200bb", "U+200B"),
    "nothing": (None, "There is no answer"),
}


@pytest.mark.parametrize(("value", "reason"), CELLS.values(), ids=CELLS)
def test_a_cell_that_is_no_text_is_a_problem_and_the_rest_goes_on(tmp_path: Path, value: Any, reason: str) -> None:
    found = reading(workbook(tmp_path, ("A?", value), ("C?", "D")))
    assert isinstance(found[0], Problem)
    assert found[0].row == 2
    assert found[0].text.startswith(reason) or reason in found[0].text
    assert isinstance(found[1], Row)


def test_a_text_cell_that_looks_like_a_formula_is_refused_too(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["question", "answer"])
    sheet.append(["A?", "x"])
    sheet["B2"].value = "=cmd|' /C calc'!A0"
    sheet["B2"].data_type = "s"
    book.save(tmp_path / "kb.xlsx")
    assert "is a formula" in problems(tmp_path / "kb.xlsx")[0][1]


def test_a_formula_in_a_column_that_is_not_used_is_no_problem(tmp_path: Path) -> None:
    rows = (("HEADER", ("question", "answer", "count")), ("A?", "B", "=LEN(B2)"))
    assert len(entries(workbook(tmp_path, *rows))) == 1


def test_a_topic_that_is_merged_downwards_holds_for_its_rows(tmp_path: Path) -> None:
    header = ("HEADER", ("topic", "subtopic", "question", "answer"))
    rows = (
        ("Insulin", "Care", "A?", "1"),
        (None, None, "B?", "2"),
        (None, "Cost", "C?", "3"),
        ("Feet", None, "D?", "4"),
    )
    path = workbook(tmp_path, header, *rows, merge=["A2:A4", "B2:B3"])
    found = [(entry.topic, entry.subtopic) for entry in entries(path)]
    assert found == [("Insulin", "Care"), ("Insulin", "Care"), ("Insulin", "Cost"), ("Feet", "")]


def test_cells_merged_sideways_do_not_become_an_answer(tmp_path: Path) -> None:
    assert problems(workbook(tmp_path, ("A?", None), merge=["A2:B2"])) == [
        (2, "There is no answer. Fill it in, or remove the row.")
    ]


def test_one_question_merged_over_two_answers_is_a_conflict(tmp_path: Path) -> None:
    found = reading(workbook(tmp_path, ("A?", "B"), (None, "C"), merge=["A2:A3"]))
    assert isinstance(found[1], Problem)
    assert "answered otherwise in kb.xlsx:2" in found[1].text


def test_cells_beyond_the_header_are_a_problem(tmp_path: Path) -> None:
    assert "beyond the 2 columns" in problems(workbook(tmp_path, ("A?", "B", "C")))[0][1]


def sheets(folder: Path, **states: str) -> Path:
    book = openpyxl.Workbook()
    for title, state in states.items():
        sheet = book.create_sheet(title)
        sheet.append(["question", "answer"])
        sheet.append([f"{title}?", "B"])
        sheet.sheet_state = state
    del book["Sheet"]
    book.active = list(states.values()).index("visible") if "visible" in states.values() else 0
    path = folder / "kb.xlsx"
    book.save(path)
    return path


def test_the_first_visible_sheet_is_read_and_the_others_are_told(tmp_path: Path) -> None:
    notes: list[Note] = []
    path = sheets(tmp_path, Old="hidden", Trap="veryHidden", Main="visible", More="visible")
    assert entries(path, notes=notes)[0].question == "Main?"
    assert notes[0].text.startswith("Read was the sheet 'Main'; not read: 'Old', 'Trap', 'More'.")


@pytest.mark.parametrize("name", ["Old", "old", " OLD "])
def test_a_sheet_that_is_named_is_read_also_when_hidden(tmp_path: Path, name: str) -> None:
    assert entries(sheets(tmp_path, Old="hidden", Main="visible"), sheet=name)[0].question == "Old?"


def test_a_sheet_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"has no sheet 'X'. Its sheets are: 'Old', 'Main'"):
        reading(sheets(tmp_path, Old="hidden", Main="visible"), sheet="X")


def test_an_empty_sheet_is_said_to_be_empty(tmp_path: Path) -> None:
    openpyxl.Workbook().save(tmp_path / "kb.xlsx")
    with pytest.raises(BadInput, match="is empty"):
        reading(tmp_path / "kb.xlsx")


def test_the_columns_found_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no column for the question and answer. Columns found: 'a', 'b'"):
        reading(workbook(tmp_path, ("HEADER", ("a", "b")), (1, 2)))


def test_texts_are_read_as_excel_keeps_them(tmp_path: Path) -> None:
    rich = b'<si><r><t xml:space="preserve">Keep it </t></r><r><rPr><b/></rPr><t>cold_x000D_\nand dark</t></r></si>'
    path = changed(workbook(tmp_path, ("A?", "B"), ("C?", "D")), shared(rich))
    changed(path, swapped(SHEET, b"<v>5</v>", b"<v>6</v>"))
    assert [entry.answer for entry in entries(path)] == ["B", "Keep it cold\nand dark"]


def test_a_control_character_that_excel_writes_in_letters_is_found(tmp_path: Path) -> None:
    assert "U+0007" in problems(workbook(tmp_path, ("A?", "B_x0007_")))[0][1]
