"""Every text of the pages is there in Vietnamese, and nothing else is."""

from __future__ import annotations

import ast
import string
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from jinja2 import nodes

import docgemma
from docgemma.drugs.rules.outcome import Check as CheckName
from docgemma.grounding import choosing, contract, fitting
from docgemma.grounding.attributes import finding
from docgemma.grounding.nodes import medgemma_ground, validate_confidence
from docgemma.orders.carding import called
from docgemma.orders.model import Check
from docgemma.server.pages.language import catalogue, chosen, translator
from docgemma.server.pages.templating import environment
from docgemma.server.pages.words import SPOKEN
from docgemma.tools.registry import TOOLS

SOURCE = Path(docgemma.__file__).parent
REASONS = (
    contract.UNSURE,
    choosing.UNKNOWN_CUI,
    choosing.UNKNOWN_NUMBER,
    choosing.CONTRADICTION,
    choosing.NONE_FITS,
    choosing.NO_CANDIDATES,
    choosing.NOT_CHOSEN,
    fitting.BROADER,
    fitting.NARROWER,
    medgemma_ground.UNREADABLE,
    medgemma_ground.MISSED,
    medgemma_ground.SPEAKS_TO_A_PROGRAM,
    validate_confidence.OTHER_TYPE,
    validate_confidence.WORDS_DISAGREE,
    validate_confidence.NO_CODE,
    finding._TWO_VALUES,
    finding._TWO_TIMES,
    finding._EXCEPTION,
)
"""Why an entity waits for an expert."""

ACCOUNTS = (
    "A password has at least 12 characters. A few words in a row are a good one.",
    "The name alone is no password. A few words in a row are a good one.",
    "This is the last administrator who can sign in. Make somebody else one first.",
)
DECIDED = ("Approved by a person", "Rejected by a person", "Undone by a person")


def in_templates() -> Iterator[str]:
    made = environment()
    for name in made.list_templates(extensions=["html"]):
        assert made.loader is not None
        text = made.loader.get_source(made, name)[0]
        for call in made.parse(text).find_all(nodes.Call):
            said = call.node.name if isinstance(call.node, nodes.Name) else ""
            if said == "_" and isinstance(call.args[0], nodes.Const):
                yield call.args[0].value


def calls(folder: Path) -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield node.func.id, node


def in_server() -> Iterator[str]:
    """What server code says through `_`."""
    for name, call in calls(SOURCE / "server"):
        if name == "_" and call.args and isinstance(call.args[0], ast.Constant):
            yield str(call.args[0].value)


def labels() -> Iterator[str]:
    """What the timeline calls its steps: written where the step is made, or in the node's LABEL."""
    for folder in (SOURCE / "agent", SOURCE / "knowledge" / "consult"):
        for name, call in calls(folder):
            named = [each.value for each in call.keywords if each.arg == "label"] or call.args[1:2]
            if name in ("step", "TimelineStep") and named and isinstance(named[0], ast.Constant):
                yield str(named[0].value)
        for path in sorted(folder.rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                target = node.targets[0] if isinstance(node, ast.Assign) else None
                if isinstance(target, ast.Name) and target.id == "LABEL" and isinstance(node, ast.Assign):
                    assert isinstance(node.value, ast.Constant)
                    yield str(node.value.value)
    yield from (tool.label for tool in TOOLS)


def on_cards() -> Iterator[str]:
    """Names of lines, as the card is put together, and of checks."""
    text = (SOURCE / "orders" / "carding.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
            first = node.value.elts[0]
            assert isinstance(first, ast.Constant)
            yield str(first.value)
    yield from (called(Check(name=name, outcome="passed")) for name in ("patient", *get_args(CheckName)))


def everything() -> set[str]:
    tables = (*SPOKEN, *REASONS, *ACCOUNTS, *DECIDED)
    return {*in_templates(), *in_server(), *labels(), *on_cards(), *tables}


def blanks(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def test_no_text_is_missing_and_none_is_left_over() -> None:
    said, known = everything(), set(catalogue("vi"))
    assert not sorted(said - known), "add them to server/pages/vi.toml"
    assert not sorted(known - said), "no page says these any more: take them out of server/pages/vi.toml"


def test_blanks_are_the_same_and_the_letters_are_whole() -> None:
    for english, vietnamese in catalogue("vi").items():
        assert blanks(english) == blanks(vietnamese), english
        assert vietnamese == unicodedata.normalize("NFC", vietnamese).strip() != "", english


def test_a_dash_of_markup_in_a_value_stays_text() -> None:
    said = translator("vi")("Role of {name}", name="<b>Ann</b> {x}")
    assert said == "Vai trò của &lt;b&gt;Ann&lt;/b&gt; {x}"
    assert translator("vi")("nobody wrote this") == "nobody wrote this"


@pytest.mark.parametrize(
    ("cookie", "accepted", "lang"),
    [
        (None, None, "en"),
        (None, "vi-VN,vi;q=0.9,en;q=0.8", "vi"),
        (None, "fr-FR, en-US;q=0.7, vi;q=0.3", "en"),
        ("vi", "en", "vi"),
        ("en", "vi", "en"),
        ("xx", "de", "en"),
        ("", "*", "en"),
    ],
    ids=range(7),
)
def test_which_language_a_page_has(cookie: str | None, accepted: str | None, lang: str) -> None:
    assert chosen(cookie, accepted) == lang
