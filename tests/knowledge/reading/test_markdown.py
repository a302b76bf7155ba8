import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import DocGemmaError
from docgemma.ingest.hygiene import mixed
from docgemma.knowledge.reading.contract import Note, Problem, Row
from tests.knowledge.reading.reading import entries, of_text, problems, reading

PAGE = """---
role: patient_diabetes
đề mục: "Sống chung với bệnh"
subtopic: Insulin
language: vi
nguồn: Sổ tay
reviewed: 13/05/2024
url: https://example.org/a
---
# Insulin

## Insulin là gì?
Một loại thuốc.

### Chi tiết
- một
- hai

## Bảo quản thế nào? ##

Trong tủ lạnh.
"""


def page(folder: Path, text: str, name: str = "page.md") -> Path:
    return of_text(folder, text, name)


def test_every_second_heading_is_a_question_and_the_top_holds_for_all(tmp_path: Path) -> None:
    found = reading(page(tmp_path, PAGE), language="", topic="")
    first, second = (one for one in found if isinstance(one, Row))
    assert (first.row, first.entry.question) == (12, "Insulin là gì?")
    assert first.entry.answer == "Một loại thuốc.\n\n### Chi tiết\n- một\n- hai"
    assert (second.row, second.entry.question, second.entry.answer) == (19, "Bảo quản thế nào?", "Trong tủ lạnh.")
    for entry in (first.entry, second.entry):
        assert (entry.role, entry.topic, entry.subtopic) == ("patient_diabetes", "Sống chung với bệnh", "Insulin")
        assert (entry.language, entry.source, entry.reviewed) == ("vi", "Sổ tay", "2024-05-13")
        assert entry.url == "https://example.org/a"


@pytest.mark.parametrize(
    ("text", "name", "option", "wanted"),
    [
        ("---\ntopic: Top\n---\n# Title\n## A?\nB", "kb/one/two/p.md", "Given", ("Top", "two")),
        ("# Title\n## A?\nB", "kb/one/two/p.md", "Given", ("Title", "")),
        ("## A?\nB", "kb/one/two/p.md", "Given", ("Given", "two")),
        ("## A?\nB", "kb/one/two/three/p.md", "", ("one", "two")),
        ("## A?\nB", "kb/first_aid/p.md", "", ("first aid", "")),
    ],
    ids=["top", "title", "option", "folders", "folder"],
)
def test_where_the_topic_comes_from(tmp_path: Path, text: str, name: str, option: str, wanted: tuple[str, str]) -> None:
    page(tmp_path, text, name)
    entry = entries(tmp_path / "kb", topic=option)[0]
    assert (entry.topic, entry.subtopic) == wanted


def test_a_later_title_begins_another_topic_and_ends_the_answer(tmp_path: Path) -> None:
    found = entries(page(tmp_path, "# One\n## A?\nB\n# Two\nintro\n## C?\nD\n"))
    assert [(entry.topic, entry.answer) for entry in found] == [("One", "B"), ("Two", "D")]


@pytest.mark.parametrize(
    "answer",
    [
        "```\n## no question\n```",
        "~~~text\n## no\n```\n## no\n~~~",
        "````\n```\n## no\n````",
        "    ## indented",
        "##without blank",
        "\\## escaped",
        "### deeper\n#### and deeper",
        "####### seven",
        "text\n\n---\n\nmore",
        "- item\n---",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\n<!-- shown as code -->\n```",
    ],
    ids=range(12),
)
def test_what_is_no_heading_stays_in_the_answer(tmp_path: Path, answer: str) -> None:
    found = entries(page(tmp_path, f"## A?\n{answer}\n\n## C?\nD\n"))
    assert [entry.question for entry in found] == ["A?", "C?"]
    assert found[0].answer == answer.strip()


@pytest.mark.parametrize(
    ("text", "row", "reason"),
    [
        ("", 1, "There is no question in the file"),
        ("# Title\n\ntext\n\n### deep\n", 1, "There is no question in the file"),
        ("## A?\n\n## \n", 1, "There is no answer"),
        ("\n##\ntext\n", 2, "There is no question"),
        ("## A?\nB\n<!-- hidden -->\n", 1, "There is a comment"),
        ("## A?\nB\n<!--\n## Old?\nOld answer\n-->\nC", 1, "There is a comment"),
        ("## A?\nB\n```\ncode\n## C?\nD\n", 1, "is not closed"),
        ("## A?\nB\n\nAnother question?\n---\nC\n", 1, "underlining"),
        ("## A?\nB\n\nTitle\n====\nC\n", 1, "underlining"),
        ("---\nrole: nurse\n- item\n---\n## A?\nB", 3, "not 'key: value'"),
        ("---\nrole: nurse\n  nested: x\n---\n## A?\nB", 3, "not 'key: value'"),
        ("---\nrole: nurse\nrole: nurse\n---\n## A?\nB", 3, "stands twice"),
        ("---\nrole: nurse\n## A?\nB", 1, "not 'key: value'"),
        ("---\nrole: nurse\n", 1, "is not closed"),
        ("---\nreviewed: 05/06/2024\n---\n## A?\nB", 4, "two ways"),
        ("## A?\n=cmd|' /C calc'!A0", 1, "is a formula"),
    ],
    ids=range(16),
)
def test_what_a_reader_could_miss_is_a_problem(tmp_path: Path, text: str, row: int, reason: str) -> None:
    found = problems(page(tmp_path, text))
    assert found
    assert any(reason in said for _, said in found), found
    assert row in [number for number, _ in found] or "key: value" in reason


def test_text_outside_of_entries_and_unknown_keys_are_told(tmp_path: Path) -> None:
    notes: list[Note] = []
    entries(
        page(tmp_path, "---\nauthor: Ann\nid: 7\n# a remark\n\nsource: X\n---\n# T\nIntro.\n## A?\nB\n"), notes=notes
    )
    assert [note.text for note in notes] == [
        "Columns that are not used: 'author', 'id'.",
        "Text that stands under no '## Question' was not read.",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old mac"])
def test_line_ends_and_a_mark_at_the_beginning_change_nothing(tmp_path: Path, end: str) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(b"\xef\xbb\xbf" + PAGE.replace("\n", end).encode())
    assert [(one.row, type(one)) for one in reading(path)] == [(12, Row), (19, Row)]


LINE = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=20).filter(
    lambda text: not mixed(unicodedata.normalize("NFC", text))
)
ANSWER = st.lists(
    st.one_of(LINE, st.sampled_from(["", "- item", "### deeper", "```\n## code\n```"])), min_size=1, max_size=5
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(LINE, LINE, ANSWER), min_size=1, max_size=5))
def test_written_entries_come_back(rows: list[tuple[str, str, list[str]]]) -> None:
    text = "".join(f"## {question}\n{first}\n" + "\n".join(rest) + "\n" for question, first, rest in rows)
    with TemporaryDirectory() as folder:
        found = reading(page(Path(folder), text), ids="content", allow_orders=True)
    assert not [one for one in found if isinstance(one, Problem)]
    said = [(one.entry.question, one.entry.answer) for one in found if isinstance(one, Row)]
    wanted = [(question, "\n".join([first, *rest]).strip()) for question, first, rest in rows]
    composed = [(unicodedata.normalize("NFC", one), unicodedata.normalize("NFC", two)) for one, two in wanted]
    assert set(said) == set(composed)


PIECES = st.lists(
    st.sampled_from(
        [
            "---",
            "role: nurse",
            "# T",
            "## A?",
            "## ",
            "text",
            "```",
            "~~~",
            "<!--",
            "-->",
            "===",
            "    x",
            "key:",
            ":",
            "\0",
            "\u202e",
        ]
    ),
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(PIECES.map("\n".join).map(str.encode), st.binary(max_size=200)))
def test_no_page_brings_the_reader_down(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "page.md")
        path.write_bytes(data)
        try:
            reading(path)
        except DocGemmaError as error:
            assert str(error).isprintable()
