"""One sentence of the model's text against the turn's evidence: release it, mark it, or leave it out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from docgemma.agent.answer.citations import citations
from docgemma.agent.answer.claims import claims_action
from docgemma.agent.answer.evidence import Evidence
from docgemma.agent.answer.labs import lab_values
from docgemma.agent.answer.quantities import Quantity, quantities
from docgemma.agent.answer.wording import readable, tidy, without_markup, without_thoughts, without_tool_names

MARK = " [not from the sources]"

Reason = Literal["thinking", "claimed action", "citation not retrieved", "patient value not in the chart", "empty"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What may be shown of a sentence. `dropped` says why nothing is."""

    text: str
    dropped: Reason | None = None
    marked: bool = False


def check(sentence: str, evidence: Evidence) -> Checked:
    """The sentence as it may be released. Numbers and clinical words of what is released are never changed."""
    if not sentence.strip():
        return Checked(sentence)
    spoken = without_thoughts(sentence)
    if spoken is None:
        return Checked("", "thinking")
    if _cites_unretrieved(readable(spoken), evidence):
        return Checked("", "citation not retrieved")
    visible = without_markup(spoken, evidence)
    if claims_action(visible, evidence):
        return Checked("", "claimed action")
    text = tidy(without_tool_names(visible), spoken)
    if not any(char.isalnum() for char in text):
        return Checked(text) if text == sentence else Checked("", "empty")
    if _invents_patient_value(readable(text), evidence):
        return Checked("", "patient value not in the chart")
    if not evidence.direct and _goes_beyond(readable(text), evidence):
        body = text.rstrip()
        return Checked(body + MARK + text[len(body) :], marked=True)
    return Checked(text)


_NOT_THERE = re.compile(
    r"\b(?:not|no|nothing|never|cannot|unable|could\s?n['’]t|was\s?n['’]t|did\s?n['’]t|unavailable)\b", re.IGNORECASE
)


def _cites_unretrieved(sentence: str, evidence: Evidence) -> bool:
    """An identifier nobody retrieved. One that the user asked for may be named to say that it was not found."""
    allowed = evidence.retrieved | (evidence.asked if _NOT_THERE.search(sentence) else frozenset())
    return not citations(sentence) <= allowed


_ABOUT_PATIENT = re.compile(
    r"\b(?:her|his|she|he|your|(?:the|this|that|your|our)\s+patient(?:['’]s)?(?!\s+(?:population|group|cohort|selection))|patient['’]s|pt(?:['’]s)?|mrs?\.?|ms\.?|"
    r"current(?:ly)?(?!\s+(?:smok|guid|evidence|practi|literat|recommend|label|stud|research|data|use\b|standard))|today['’]s|most\s+recent|latest|last\s+(?:measured|recorded))(?!\w)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(r"\b(?:if|unless|in\s+case|in\s+the\s+event)\b", re.IGNORECASE)
_ADVISED = re.compile(
    r"\b(?:should|would|could|may|might|can|cannot|must|consider|recommend\w*|target\w*|goals?|aim\w*|typically|usually|"
    r"generally|normal(?:ly)?|until|when(?:ever)?|monitor\w*|maximum|minimum|exceed\w*|thresholds?|defined|suggest\w*|"
    r"need\w*|avoid\w*|reference|at\s+least|below|above|over|under|ranges?|limits?|guidelines?|patients\s+with)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:(]|\bbut\b|\bso\b|\bbecause\b", re.IGNORECASE)


def _invents_patient_value(sentence: str, evidence: Evidence) -> bool:
    """A measurement or dose stated of this patient that neither the record nor the user gave."""
    if not (_ABOUT_PATIENT.search(sentence) or any(name and name in sentence for name in evidence.names)):
        return False
    labs = (lab.start for lab in lab_values(sentence) if (lab.name, lab.value) not in evidence.labs)
    doses = (amount.start for amount in _unknown(sentence, evidence) if amount.unit != "year")
    return any(not _is_general(sentence[:start]) for start in (*labs, *doses))


def _is_general(before: str) -> bool:
    """Whether what leads to a number makes it a condition or an advice rather than a fact of the patient."""
    return bool(_SUPPOSED.search(before) or _ADVISED.search(_CLAUSE.split(before)[-1]))


def _unknown(sentence: str, evidence: Evidence) -> tuple[Quantity, ...]:
    return tuple(amount for amount in quantities(sentence) if not amount.forms & evidence.amounts)


def _goes_beyond(sentence: str, evidence: Evidence) -> bool:
    """Numbers with units, or drugs, that nothing in this turn speaks of."""
    return bool(_unknown(sentence, evidence)) or any(
        not evidence.names_drug(drug) for drug in evidence.drugs_in(sentence)
    )
