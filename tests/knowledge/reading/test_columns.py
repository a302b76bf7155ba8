from pathlib import Path

import pytest

from docgemma.errors import BadInput
from docgemma.knowledge.reading.columns import table_columns
from docgemma.knowledge.reading.contract import Note, Options
from tests.knowledge.reading.reading import GIVEN, entries, of_lines, of_text, reading
from tests.support.tables import each_of

NAMES = {
    "question": (
        "question",
        "Question",
        " QUESTION ",
        "CAUHOI",
        "CAU_HOI",
        "câu hỏi",
        "Câu Hỏi",
        "CÂU_HỎI",
        "ca\u0302u ho\u0309i",
    ),
    "answer": ("answer", "CAUTRALOI", "câu trả lời", "Cau_Tra_Loi", "trả lời"),
    "role": ("role", "vai_tro", "Vai trò", "VAITRO"),
    "topic": ("topic", "DEMUC", "đề mục", "ĐỀ MỤC", "De_Muc", "chủ đề"),
    "subtopic": ("subtopic", "sub_topic", "Sub-topic", "CHU_DE_CON", "chủ đề con"),
    "language": ("language", "lang", "ngôn ngữ", "NGON_NGU"),
    "source": ("source", "nguồn", "Nguon"),
    "url": ("url", "URL", "link"),
    "reviewed": ("reviewed", "reviewed date", "Reviewed_Date", "ngày duyệt"),
    "id": ("id", "ID"),
}


@each_of(
    ("field", "name"),
    [(field, name) for field, names in NAMES.items() for name in names],
)
def test_columns_are_known_in_both_languages(field: str, name: str) -> None:
    others = [one for one in ("question", "answer") if one != field]
    found = table_columns([name, *others], Options(**GIVEN), "kb.csv")
    assert found.places[0] == field


def test_a_running_number_is_no_id(tmp_path: Path) -> None:
    notes: list[Note] = []
    found = entries(of_text(tmp_path, "STT,CAUHOI,CAUTRALOI\n1,A?,B\n"), notes=notes)
    assert found[0].id.startswith("q-")
    assert [str(note) for note in notes] == ["kb.csv: Columns that are not used: 'STT'."]


@pytest.mark.parametrize("header", ["a,b", "question,b", "a,answer"])
def test_without_question_and_answer_the_columns_found_are_named(tmp_path: Path, header: str) -> None:
    with pytest.raises(BadInput) as error:
        reading(of_text(tmp_path, f"{header}\n1,2\n"))
    assert all(f"'{name}'" in str(error.value) for name in header.split(","))


def test_two_columns_for_one_field_are_refused_and_a_map_decides(tmp_path: Path) -> None:
    path = of_text(tmp_path, "question,CAUHOI,answer\nA?,B?,C\n")
    with pytest.raises(BadInput, match="two columns for the question: 'question', 'CAUHOI'"):
        reading(path)
    assert entries(path, columns={"question": "cauhoi"})[0].question == "B?"


def test_a_map_to_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = of_text(tmp_path, "question,answer,fokus\nA?,B,C\n")
    with pytest.raises(BadInput, match=r"no column 'focus' as --map says.*'fokus'"):
        reading(path, columns={"topic": "focus"})
    lines = of_lines(tmp_path, {"question": "A?", "answer": "B", "fokus": "C"})
    with pytest.raises(BadInput, match="no column 'focus' as --map says"):
        reading(lines, columns={"topic": "focus"})


def test_what_no_column_and_no_option_gives_is_said_once(tmp_path: Path) -> None:
    path = of_text(tmp_path, "question,answer\nA?,B\nC?,D\n")
    with pytest.raises(BadInput, match=r"no column for: role, source.*--role TEXT --source TEXT"):
        reading(path, role="", source="")


@pytest.mark.parametrize(
    "columns", [{"focus": "topic"}, {"topic": "x", "source": "X"}, {"topic": "***"}], ids=["field", "twice", "none"]
)
def test_a_map_that_makes_no_sense_is_refused(tmp_path: Path, columns: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        reading(of_text(tmp_path, "question,answer,x\nA?,B,C\n"), columns=columns)


def test_column_names_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as error:
        reading(of_text(tmp_path, '"\x1b[31mred\u202e",b\n1,2\n'))
    assert str(error.value).isprintable()
