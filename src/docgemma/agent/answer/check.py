"""One sentence of the model's text against the turn's evidence: release it, mark it, or leave it out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from docgemma.agent.answer.citations import citations
from docgemma.agent.answer.claims import claims_action
from docgemma.agent.answer.denied import says_seen
from docgemma.agent.answer.evidence import Evidence
from docgemma.agent.answer.grading import invents_grade, makes_light
from docgemma.agent.answer.language import not_english
from docgemma.agent.answer.patient import invents_value
from docgemma.agent.answer.reassurance import reassures
from docgemma.agent.answer.register import contradicts
from docgemma.agent.answer.wording import (
    is_data,
    readable,
    tidy,
    without_markup,
    without_thoughts,
    without_tool_names,
)
from docgemma.entities.amounts.quantities import quantities
from docgemma.entities.printable import printable

MARK = " [not from the sources]"

Reason = Literal[
    "thinking",
    "not prose",
    "not in English",
    "claimed action",
    "citation not retrieved",
    "patient value not in the chart",
    "reassurance not in the sources",
    "milder than the sources",
    "not what the register says",
    "not what was seen",
    "empty",
]


@dataclass(frozen=True, slots=True)
class Checked:
    """What may be shown of a sentence. `dropped` says why nothing is."""

    text: str
    dropped: Reason | None = None
    marked: bool = False


def check(sentence: str, evidence: Evidence) -> Checked:
    """The sentence as it may be released. Numbers and clinical words of what is released are never changed."""
    clean = printable(sentence)
    if not clean.strip():
        return Checked(clean) if clean or not sentence else Checked("", "empty")
    spoken = without_thoughts(clean)
    if spoken is None:
        return Checked("", "thinking")
    if is_data(spoken):
        return Checked("", "not prose")
    if _cites_unretrieved(readable(spoken), evidence):
        return Checked("", "citation not retrieved")
    visible = without_markup(spoken, evidence)
    if claims_action(visible, evidence):
        return Checked("", "claimed action")
    text = tidy(without_tool_names(visible), spoken)
    if not any(char.isalnum() for char in text):
        return Checked(text) if text == clean else Checked("", "empty")
    if reason := _unsupported(readable(text), evidence):
        return Checked("", reason)
    if not evidence.direct and _goes_beyond(readable(text), evidence):
        body = text.rstrip()
        return Checked(body + MARK + text[len(body) :], marked=True)
    return Checked(text)


def _unsupported(sentence: str, evidence: Evidence) -> Reason | None:
    """Why a sentence that reads well must not be believed."""
    if not_english(sentence, evidence):
        return "not in English"
    if invents_value(sentence, evidence):
        return "patient value not in the chart"
    if reassures(sentence, evidence):
        return "reassurance not in the sources"
    if makes_light(sentence, _named(sentence, evidence), evidence.graded):
        return "milder than the sources"
    if contradicts(sentence, evidence.trials, alone=not any(one.startswith("PMID") for one in evidence.retrieved)):
        return "not what the register says"
    if says_seen(sentence, evidence.unseen):
        return "not what was seen"
    return None


def _named(sentence: str, evidence: Evidence) -> frozenset[str]:
    return frozenset(drug.casefold() for drug in evidence.drugs_in(sentence))


_NOT_THERE = re.compile(
    r"\b(?:not|no|nothing|never|cannot|unable|could\s?n['’]t|was\s?n['’]t|did\s?n['’]t|unavailable)\b", re.IGNORECASE
)


def _cites_unretrieved(sentence: str, evidence: Evidence) -> bool:
    """An identifier nobody retrieved. One that the user asked for may be named to say that it was not found."""
    allowed = evidence.retrieved | (evidence.asked if _NOT_THERE.search(sentence) else frozenset())
    return not citations(sentence) <= allowed


def _goes_beyond(sentence: str, evidence: Evidence) -> bool:
    """Numbers with units, drugs, or a grade of an interaction, that nothing in this turn speaks of."""
    return (
        any(not amount.forms & evidence.amounts for amount in quantities(sentence))
        or any(not evidence.names_drug(drug) for drug in evidence.drugs_in(sentence))
        or invents_grade(sentence, _named(sentence, evidence), evidence.graded)
    )
