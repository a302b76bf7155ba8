"""Ids, dates, languages and what is filled in."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from docgemma.errors import BadInput
from docgemma.knowledge.entry import LONGEST_ANSWER, LONGEST_QUESTION, id_from
from docgemma.knowledge.reading.contract import Note, Problem, Row
from docgemma.knowledge.reading.dates import Unclear, reviewed
from tests.knowledge.reading.reading import TODAY, entries, of_lines, problems, reading

BASE = {"question": "How is a wound cleaned?", "answer": "With water."}

DATES: dict[str, tuple[Any, str]] = {
    "iso": ("2024-05-01", "2024-05-01"),
    "iso with time": ("2024-05-01T10:00:00Z", "2024-05-01"),
    "iso as exported": ("2024-05-01 00:00:00", "2024-05-01"),
    "short iso": ("2024-5-1", "2024-05-01"),
    "day first": ("13/05/2024", "2024-05-13"),
    "day first, dots": ("31.1.2024", "2024-01-31"),
    "day first, dashes": ("25-12-2024", "2024-12-25"),
    "a date": (date(2024, 5, 1), "2024-05-01"),
    "today": ("2026-11-15", "2026-11-15"),
    "leap day": ("29/02/2024", "2024-02-29"),
}
NO_DATES = {
    "two ways": ("05/06/2024", "two ways"),
    "two ways, small": ("1/2/2024", "two ways"),
    "month first": ("05/13/2024", "not understood"),
    "future": ("2026-11-16", "future"),
    "no such day": ("2023-02-29", "no such day"),
    "no such day, day first": ("31/02/2024", "no such day"),
    "short year": ("13/05/24", "not understood"),
    "word": ("May 2024", "not understood"),
    "number": ("45413", "not understood"),
    "mixed separators": ("13/05-2024", "not understood"),
    "long ago": ("0024-05-01", "before 1950"),
    "other digits": ("٢٠٢٤-٠٥-٠١", "not understood"),
}


@pytest.mark.parametrize(("written", "day"), DATES.values(), ids=DATES)
def test_dates_that_can_be_read_in_one_way(written: str | date, day: str) -> None:
    assert reviewed(written, TODAY) == day


@pytest.mark.parametrize(("written", "reason"), NO_DATES.values(), ids=NO_DATES)
def test_other_dates_are_refused(tmp_path: Path, written: str, reason: str) -> None:
    with pytest.raises(Unclear, match=reason):
        reviewed(written, TODAY)
    assert reason in problems(of_lines(tmp_path, {**BASE, "reviewed": written}))[0][1]


LANGUAGES = {
    "en": "en",
    "EN": "en",
    "English": "en",
    "en-US": "en",
    "vi": "vi",
    "VIE": "vi",
    "Tiếng Việt": "vi",
    "vi_VN": "vi",
}


@pytest.mark.parametrize(("written", "language"), LANGUAGES.items(), ids=LANGUAGES)
def test_languages_have_several_names(tmp_path: Path, written: str, language: str) -> None:
    assert entries(of_lines(tmp_path, {**BASE, "language": written}), language="")[0].language == language


def test_a_language_nobody_names_is_told_from_the_words(tmp_path: Path) -> None:
    vietnamese = {"question": "Vết thương được rửa như thế nào?", "answer": "Rửa bằng nước sạch."}
    found = entries(of_lines(tmp_path, BASE, vietnamese), language="")
    assert [entry.language for entry in found] == ["en", "vi"]


@pytest.mark.parametrize(
    ("row", "options", "reason"),
    [
        ({"question": "HbA1c?", "answer": "7 %"}, {"language": ""}, "The language is not clear"),
        ({**BASE, "language": "fr"}, {}, "The language 'fr' is not one of"),
        ({**BASE, "question": " "}, {}, "There is no question"),
        ({**BASE, "answer": "\n"}, {}, "There is no answer"),
        ({**BASE, "answer": None}, {}, "There is no answer"),
        (BASE, {"role": ""}, "There is no role"),
        (BASE, {"topic": ""}, "There is no topic"),
        (BASE, {"source": ""}, "There is no source"),
        ({**BASE, "role": "Head Nurse"}, {}, "The role 'Head Nurse'"),
        ({**BASE, "id": "a b"}, {}, "The id 'a b'"),
        ({**BASE, "id": "x" * 81}, {}, "The id 'xx"),
        ({**BASE, "url": "javascript:alert(1)"}, {}, "which a browser would run"),
        ({**BASE, "url": "ftp://x.example"}, {}, "The link is no web address"),
        ({**BASE, "url": "https://x.example/a b"}, {}, "The link is no web address"),
        ({**BASE, "question": "x" * (LONGEST_QUESTION + 1)}, {}, "has 1,001 characters; the most is 1,000"),
        ({**BASE, "answer": "x" * (LONGEST_ANSWER + 1)}, {}, "has 40,001 characters; the most is 40,000"),
        ({**BASE, "topic": "x" * 121}, {}, "The topic has 121 characters"),
        ({**BASE, "url": "https://x.example/" + "x" * 1_000}, {}, "The link has 1,018 characters"),
    ],
    ids=range(18),
)
def test_a_row_that_cannot_be_used_says_why(
    tmp_path: Path, row: dict[str, Any], options: dict[str, Any], reason: str
) -> None:
    found = problems(of_lines(tmp_path, row), **options)
    assert len(found) == 1
    assert reason in found[0][1]


def test_options_fill_in_only_where_a_row_says_nothing(tmp_path: Path) -> None:
    own = {"role": "patient_dental", "topic": "Teeth", "subtopic": "Gums", "source": "Clinic", "reviewed": "2020-01-02"}
    given: dict[str, Any] = {
        "role": "nurse",
        "topic": "Wounds",
        "subtopic": "Basics",
        "source": "Handbook",
        "reviewed": "2021-03-04",
    }
    blank = dict.fromkeys(own, " ")
    rows = ({**BASE, **own}, {**BASE, **blank}, {**BASE, "question": "Another?"})
    first, second, third = entries(of_lines(tmp_path, *rows), **given)
    assert {name: getattr(first, name) for name in own} == own
    assert {name: getattr(second, name) for name in own} == given
    assert {name: getattr(third, name) for name in own} == given


@pytest.mark.parametrize(
    "options",
    [{"role": "Head Nurse"}, {"language": "fr"}, {"reviewed": "2030-01-01"}, {"source": "a\u200bb"}, {"topic": "=1+1"}],
    ids=["role", "language", "reviewed", "source", "topic"],
)
def test_what_is_given_for_all_rows_is_judged_before_reading(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="given for all rows"):
        reading(of_lines(tmp_path, BASE), **options)


def test_without_an_id_the_question_makes_it(tmp_path: Path) -> None:
    assert entries(of_lines(tmp_path, BASE))[0].id == id_from("nurse", "en", BASE["question"])


def test_the_same_row_twice_is_one_entry_and_is_told(tmp_path: Path) -> None:
    notes: list[Note] = []
    rows = ({**BASE, "id": "w1"}, {**BASE, "id": "w1"}, BASE)
    found = reading(of_lines(tmp_path, *rows), notes=notes)
    assert [one.row for one in found if isinstance(one, Row)] == [1, 3]
    assert "taken once: 1." in notes[-1].text


def test_one_id_with_two_contents_names_both_places(tmp_path: Path) -> None:
    first = of_lines(tmp_path, BASE, {**BASE, "id": "w1"}, name="a.jsonl")
    second = of_lines(tmp_path, {**BASE, "id": "w1", "answer": "With soap."}, name="b.jsonl")
    found = reading([first, second])
    last = found[-1]
    assert isinstance(last, Problem)
    assert str(last).startswith("b.jsonl:1: The id 'w1' stands in a.jsonl:2 with other content.")


def test_one_question_with_two_answers_names_both_places(tmp_path: Path) -> None:
    found = reading(of_lines(tmp_path, BASE, {**BASE, "answer": "With soap."}))
    assert isinstance(found[0], Row)
    assert isinstance(found[1], Problem)
    assert "answered otherwise in kb.jsonl:1" in found[1].text


def test_the_same_question_to_another_role_or_in_another_language_is_another_entry(tmp_path: Path) -> None:
    rows = (BASE, {**BASE, "role": "patient_dental", "answer": "x"}, {**BASE, "language": "vi", "answer": "y"})
    assert len({entry.id for entry in entries(of_lines(tmp_path, *rows))}) == 3


def test_ids_by_content_keep_both_answers_and_ignore_the_file(tmp_path: Path) -> None:
    rows = ({**BASE, "id": "1"}, {**BASE, "id": "1", "answer": "With soap."}, {**BASE, "id": "2"})
    found = entries(of_lines(tmp_path, *rows), ids="content")
    assert [entry.answer for entry in found] == ["With water.", "With soap."]
    assert not {"1", "2"} & {entry.id for entry in found}


def test_ids_by_content_still_refuse_two_sources_for_one_text(tmp_path: Path) -> None:
    found = reading(of_lines(tmp_path, BASE, {**BASE, "source": "Elsewhere"}), ids="content")
    assert isinstance(found[1], Problem)
    assert "stand in kb.jsonl:1 with another topic, source" in found[1].text
