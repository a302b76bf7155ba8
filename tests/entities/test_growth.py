"""A hostile message must not stop the service: no exception, and work that grows in line with its length."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import docgemma.agent.requests
import docgemma.entities
from docgemma.agent.arguments import find
from docgemma.agent.requests.patterns import follow_up, left_over, needs
from docgemma.entities import extract, words
from docgemma.entities.people.choice import fill
from docgemma.tools.registry import TOOL_NAMES
from tests.support.tables import each_of

_WORDS = [
    *("prescribe", "start", "metformin", "500", "mg", "daily", "bid", "for", "abc-123", "patient", "John", "Smith"),
    *(",", ".", "?", "!", ":", ";", "(", ")", '"', "'", "“", "-", "–", "#", "\n", "and", "then", "or", "if"),
    *("do", "not", "don't", "allergic", "to", "penicillin", "allergy", "note", "saying", "trials", "in", "studies"),
    *("on", "born", "1955-03-02", "interactions", "between", "reaction", "MRN", "12", "every", "q", "8", "h"),
    *("as", "needed", "Dr.", "please", "can", "you", "warnings"),
]
_MESSAGES = st.one_of(st.text(max_size=400), st.lists(st.sampled_from(_WORDS), max_size=60).map(" ".join))


def _work(text: str) -> int:
    """Calls made while a message is read, from Python and into C."""
    count = 0

    def tally(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    extract("warm the caches")
    sys.setprofile(tally)
    try:
        found = extract(text)
        needs(text, found, has_image=True, patient_known=True)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        "prescribe metformin 500 mg daily, ",
        "abc-123: ",
        "John Smith, ",
        "allergic to penicillin and ",
        '"',
        "“",
        "not ",
        "1,",
        "reaction: x ",
        "trials for ",
        "every 8 ",
        "\n",
        "start. ",
        "interactions between a, ",
        "stop metformin, ",
        "prescribe metformin 500 mg and ",
        "add allergy to penicillin (rash), ",
        "charts of abc-123 and John Smith and ",
        "studies on gout and find ",
        "check warfarin, aspirin, ",
        "prescribe amoxicillin 500 mg po tds x 7 days for pain, ",
        "1. amoxicillin 500 tds ",
        "l0 mg QD -5 mg ",
        "five ",
        "both daily for 5/7 ",
        "she is on warfarin. can i give aspirin? ",
        "trials for a, b and ",
        "her labs and ",
        "side efects of metfromin, ",
        "lady with gout asked if any trials, ",
    ],
)
def test_work_grows_in_line_with_length(unit: str) -> None:
    short, long = (_work(unit * (size // len(unit))) for size in (500, 4_000))
    assert long < 8 * short * 1.25 + 500


_OF_ANSWERS = (".amounts.quantities", ".cutting", ".printable", ".sentences")
"""They read what a model or an entry says, a bounded piece at a time, never a whole message."""


def _patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    names = [
        module.name
        for package in (docgemma.entities, docgemma.agent.requests)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not module.name.endswith(_OF_ANSWERS)
    ]
    for module in map(importlib.import_module, names):
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield f"{module.__name__}.{name}", value


@each_of(("name", "pattern"), _patterns(), ids=lambda row: row[0])
def test_no_expression_can_read_without_bound(name: str, pattern: re.Pattern[str]) -> None:
    """From any place an expression reads a bounded stretch, so it cannot turn a long message into quadratic work."""
    if pattern in (words.WORD,):
        return  # it consumes every character it reads
    parsed = re._parser.parse(pattern.pattern, pattern.flags)  # type: ignore[attr-defined]
    assert parsed.getwidth()[1] <= 20_100


@example('"PENC1LL1N ALLERG"')
@given(_MESSAGES)
@settings(max_examples=200, deadline=None)
def test_any_message_is_read_without_an_exception(text: str) -> None:
    found = extract(text)
    for kind in ("patient_ids", "birth_dates", "doses", "frequencies", "note_texts"):
        for mention in getattr(found, kind):
            assert text[mention.start : mention.end] == mention.text
    assert all(0 <= write.start < write.end <= len(text) for write in found.writes)
    wanted = needs(text, found, has_image=True, patient_known=True)
    for need in wanted:
        find(need.tool, need.subject, text, found)
    left_over(text, found, wanted)
    follow_up(text, found, ["Does warfarin interact with ibuprofen?", text])
    assert all(text[told.start : told.end] == told.text for told in found.undoable)
    for tool in TOOL_NAMES:
        assert all(sourced.value for sourced in find(tool, None, text, found).args.values())
    fill(text, ["note_text"], found)


@pytest.mark.parametrize("size", [100_000])
def test_a_hundred_kilobytes_are_read(size: int) -> None:
    text = ("She is on metformin 500 mg daily, seen by John Smith. " * (size // 50))[:size]
    assert extract(text).drug_names() == ("metformin",)
