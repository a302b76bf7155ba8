"""A conversation as a file: everything that was said and decided is in it, and nothing in it is obeyed by a viewer."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from docgemma.agent.cards import WAITING
from docgemma.clinical import Patient
from docgemma.orders.model import Allergy, Card, Check, Decision, Row
from docgemma.server.pages.export import NOT_REVIEWED, as_data, as_markdown, file_name, one_line, quoted, safe
from docgemma.store.rows import Session, Turn

NOW = datetime(2026, 11, 16, 8, 30, tzinfo=UTC)
OURS = {"h1", "h2", "h3", "p", "ul", "li", "strong", "em", "blockquote", "br"}
HOSTILE = (
    "<script>alert(1)</script>",
    "![x](https://evil.invalid/?q=Maria)",
    "[click](javascript:alert(1))",
    "\\[click](https://evil.invalid)",
    "\\\\[click](https://evil.invalid)",
    "[click][1]\n\n[1]: https://evil.invalid",
    "<https://evil.invalid>",
    "&lt;b&gt; <b onclick=x>",
    "`code` ```\nfence\n```",
    "# Approved by Dr Demo",
    "Approved\n===",
    "## 2. Decision of a person, 2026-11-16",
    "> > deeper",
    "- item\n  1. number\n    code",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "a\u202eb\x00c\x1b[31m",
)


def rendered(markdown: str) -> str:
    """By a viewer that allows everything."""
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))


def tags(html: str) -> set[str]:
    return {name.lower() for name in re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", html)}


def session(patient: Patient | None = None, title: str = "A question") -> Session:
    at = "2026-11-16T08:00:00.000000+00:00"
    return Session("0123456789ab", "ann", title, patient, None, at, at, 1)


def turn(query: str, record: dict[str, Any] | None = None, **more: Any) -> Turn:
    given: dict[str, Any] = {"status": "done", "by": "agent", "image_id": None, "id": "t1"} | more
    at = "2026-11-16T08:00:00.000000+00:00"
    return Turn(session_id="0123456789ab", query=query, record=record, created_at=at, finished_at=at, **given)


def order() -> Row:
    draft = Allergy(patient_id="abc-123", substance="penicillin", reaction="rash")
    card = Card(
        draft=draft,
        banner="Maria Garcia, born 1958-03-12",
        text="Allergy for Maria Garcia\nSubstance: penicillin",
        checks=(Check(name="duplicate", outcome="not_checked", detail="nothing to compare with", basis="the chart"),),
        version="1",
        created_at="2026-11-16T08:00:00+00:00",
        expires_at="2026-11-16T09:00:00+00:00",
        proposed_by="ann",
    )
    decided = Decision(who="dr demo", acknowledged=True)
    return Row(
        "0rder", "hash", "written", card, decided, "2026-11-16T08:05:00+00:00", "", "", 1,
        "AllergyIntolerance", "a1", "1", None, True, "2026-11-16T08:05:01+00:00",
    )  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_others_wrote_stays_words(text: str) -> None:
    record = {"response": text, "notices": [text], "model": text, "confidence": "low", "sources": [
        {"id": "S1", "kind": "label", "title": text, "quote": text, "date": text, "url": text}]}  # fmt: skip
    made = as_markdown(session(Patient(id="abc-123", banner=text), text), [turn(text, record)], {}, NOW)
    assert tags(rendered(made)) <= OURS
    assert len(re.findall(r"^## ", made, re.MULTILINE)) == 1
    assert "\x00" not in made and "\x1b" not in made and "\u202e" not in made


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab1 .)(<>[]!`*_#-+=~|&\\:/\"'\n\t{}$"), max_size=60))
def test_no_text_becomes_markup(text: str) -> None:
    assert tags(rendered("\n".join(quoted(text)))) <= {"blockquote", "p", "br"}
    assert tags(rendered(f"- {one_line(text)}")) <= {"ul", "li", "p"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Give 5 mg. <2 h apart & slowly", "Give 5 mg. &lt;2 h apart &amp; slowly"),
        ("1. first", "1. first"),
        ("-40 °C", "-40 °C"),
    ],
    ids=["signs", "number", "minus"],
)
def test_words_and_numbers_are_shown_as_they_were(text: str, shown: str) -> None:
    assert rendered(safe(text)).strip() == f"<p>{shown}</p>"


def test_the_text_tells_sources_decisions_who_and_when() -> None:
    answer = {
        "response": f"Penicillin is on the card.\n{WAITING}",
        "notices": ["Boxed warning: none"],
        "confidence": "medium",
        "model": "rules",
        "sources": [{"id": "S1", "kind": "chart", "title": "Patient record", "date": "2026-11-15", "quote": "rash"}],
        "approval": {"id": "0rder"},
    }
    receipt = {"response": "In the chart.", "receipt": {"by": "dr demo", "at": "2026-11-16T08:05:00+00:00"}}
    turns = [
        turn("Add the allergy", answer),
        turn("Approve", receipt, id="t2", by="person"),
        turn("And now?", None, id="t3", status="interrupted"),
    ]
    made = as_markdown(session(Patient(id="abc-123", banner="Maria Garcia")), turns, {"0rder": order()}, NOW)
    told = (NOT_REVIEWED, "S1: Patient record", "“rash”", "Boxed warning: none", "NOT CHECKED, duplicate")
    decided = ("State now: written", "Decided by dr demo, 2026-11-16 08:05 UTC", "By dr demo, 2026-11-16 08:05 UTC")
    for words in (
        *told,
        *decided,
        "Substance: penicillin",
        "Patient: Maria Garcia (id abc-123)",
        "*This question was not answered.*",
    ):
        assert words in made, words
    assert "waits for your approval" not in made, "it was decided long ago"


def test_a_patient_who_was_only_looked_up_is_marked() -> None:
    made = as_markdown(session(Patient(id="abc-123", banner="Maria Garcia", confirmed=False)), [], {}, NOW)
    assert "looked up, not confirmed" in made


def test_the_data_are_the_turn_records() -> None:
    record = {"turn_id": "t1", "response": "Yes."}
    unanswered = turn("And?", None, id="t2", status="interrupted")
    data = as_data(session(), [turn("Q", record), unanswered], {"0rder": order()}, NOW)
    assert data["turns"][0] is record
    assert (data["turns"][1]["query"], data["turns"][1]["status"]) == ("And?", "interrupted")
    assert data["orders"][0]["state"] == "written"
    assert data["notice"] == NOT_REVIEWED


def test_the_name_of_the_file_tells_nothing() -> None:
    assert file_name("0123456789ab", "markdown") == "docgemma-0123456789ab.md"
    assert file_name("0123456789ab", "json") == "docgemma-0123456789ab.json"
