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

import docgemma.agent.understanding
import docgemma.entities
from docgemma.agent.arguments import Context, find
from docgemma.agent.understanding.entities import understand
from docgemma.agent.understanding.needs import left_over, needs
from docgemma.agent.understanding.reading import read
from docgemma.entities import words
from docgemma.entities.model import Entities
from docgemma.reader.contract import Asked, Request, Span
from docgemma.reader.encoder import MOST_CHARACTERS
from docgemma.reader.labels import ASKS, SPAN_TYPES, TAKES, WHO
from docgemma.reader.loading import PACKAGED
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


def _marked(text: str) -> Request:
    """A reading that asks for everything and marks every third word, as each kind of span in turn."""
    found = list(re.finditer(r"\S+", text))[::3]
    spans = tuple(
        Span(kind, match.start(), match.end(), match.group(), 1.0, _owner(kind))
        for number, match in enumerate(found)
        for kind in (SPAN_TYPES[number % len(SPAN_TYPES)],)
    )
    return Request(tuple(Asked(ask, 1.0, "sure") for ask in ASKS), spans, urgent=True, conditional=False)


def _owner(kind: Any) -> Any:
    return None if kind in WHO else next((ask for ask in ASKS if kind in TAKES[ask]), None)


def _work(text: str) -> int:
    """Calls made while exact code reads a message, from Python and into C."""
    count = 0

    def tally(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    request = _marked(text)
    understand("warm the caches", _marked("warm the caches"))
    sys.setprofile(tally)
    try:
        _used(text, understand(text, request))
    finally:
        sys.setprofile(None)
    return count


def _used(text: str, found: Entities) -> None:
    """All that a turn makes of a reading before a tool is called."""
    wanted = needs(found, has_image=True, patient_known=True)
    left_over(found, wanted)
    for tool in TOOL_NAMES:
        assert all(sourced.value for sourced in find(tool, Context(found)).args.values())


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        '"',
        "not ",
        "1,",
        "\n",
        "abc-123: ",
        "John Smith, ",
        "every 8 ",
        "both daily for 5/7 ",
        "l0 mg QD -5 mg ",
        "prescribe amoxicillin 500 mg po tds x 7 days for pain, ",
        "interactions between a, ",
        "check warfarin, aspirin, ",
        "side efects of metfromin, ",
        "she is on warfarin. can i give aspirin? ",
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
        for package in (docgemma.entities, docgemma.agent.understanding)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not module.name.endswith(_OF_ANSWERS)
    ]
    for module in map(importlib.import_module, (*names, "docgemma.agent.vision.requests")):
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
@settings(max_examples=100, deadline=None)
def test_any_message_is_read_without_an_exception(text: str) -> None:
    for found in (read(PACKAGED, text, earlier=(text,)), understand(text, _marked(text))):
        for kind in ("patient_ids", "birth_dates", "doses", "frequencies", "note_texts", "undoable", "unaccounted"):
            for mention in getattr(found, kind):
                assert mention.text in text
        assert all(0 <= write.start <= write.end <= len(text) for write in found.writes)
        _used(text, found)


def test_a_hundred_kilobytes_are_read() -> None:
    text = ("She is on metformin 500 mg daily, seen by John Smith. " * 2_000)[: 5 * MOST_CHARACTERS]
    found = understand(text, _marked(text[:MOST_CHARACTERS]))
    assert "metformin" in found.text
