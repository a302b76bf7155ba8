"""What a sentence states of this patient: measurements, doses, birth date and age, against the record."""

from __future__ import annotations

import re

from docgemma.agent.answer.births import births
from docgemma.agent.answer.evidence import Evidence
from docgemma.agent.answer.labs import lab_values
from docgemma.entities.amounts.quantities import quantities

_ABOUT_PATIENT = re.compile(
    r"\b(?:her|his|she|he|your|(?:the|this|that|your|our)\s+patient(?:['’]s)?"
    r"(?!\s+(?:population|group|cohort|selection))|patient['’]s|pt(?:['’]s)?|mrs?\.?|ms\.?|"
    r"current(?:ly)?(?!\s+(?:smok|guid|evidence|practi|literat|recommend|label|stud|research|data|use\b|standard))|"
    r"today['’]s|most\s+recent|latest|last\s+(?:measured|recorded))(?!\w)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(r"\b(?:if|unless|in\s+case|in\s+the\s+event)\b", re.IGNORECASE)
_ADVISED = re.compile(
    r"\b(?:should|would|could|may|might|can|cannot|must|consider|recommend\w*|target\w*|goals?|aim\w*|typically|"
    r"usually|generally|normal(?:ly)?|until|when(?:ever)?|monitor\w*|maximum|minimum|exceed\w*|thresholds?|defined|"
    r"suggest\w*|need\w*|avoid\w*|reference|at\s+least|below|above|over|under|ranges?|limits?|guidelines?|"
    r"patients\s+with|less\s+than|more\s+than|greater\s+than|keep|lower\s+than|higher\s+than)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:(]|\bbut\b|\bso\b|\bbecause\b", re.IGNORECASE)
_OF_OTHERS = re.compile(
    r"\b(?:patients|adults|children|women|men|people|persons|individuals|participants|subjects|volunteers|infants|"
    r"pediatric|elderly|stud(?:y|ies)|trials?|cohort|mean|median|average|baseline|placebo|arm|groups?|healthy|defined|"
    r"definition|hyper\w+emia|hypo\w+emia|hypertension|stages?|grades?|class|criteria|score|every|each|example|"
    r"molecular|type|syndrome|a\s+normal)\b",
    re.IGNORECASE,
)
"""Studies, guidelines and definitions speak of values too."""

_COMPARED = re.compile(r"[<>≤≥=~]\s*$|\b(?:from|between|by|of\s+up\s+to|up\s+to)\s*$", re.IGNORECASE)
_BOUNDED = re.compile(
    r"\d*(?:\.\d+)?\s*(?:[-–—]|to\b|and\b)\s*\d|"
    r"[^\s,;]*(?:\s+[^\s,;]+){0,2}?\s*(?:or|and)\s+(?:more|higher|greater|above|over|older|up|less|lower|below|under|"
    r"younger)\b",
    re.IGNORECASE,
)
"""A range or an open end after the number: "30-45", "6.5 mmol/L or higher"."""


_LINK = re.compile(
    r"(?:\W+|\b(?:is|was|are|were|be|has|have|been|of|at|to|today|now|yesterday|currently|just|only|still|again|about|"
    r"approximately|around|remains?|levels?|values?|readings?|results?|serum|measured|recorded|reported|noted|as|came|"
    r"come|comes|back|returned|rose|risen|fell|fallen|dropped|increased|decreased|improved|worsened|up|down|elevated|"
    r"low|high|reduced|mildly|moderately|severely|critically|markedly|slightly|very|a|an|the|this|last|latest|recent|"
    r"most|on|morning|visit|shows?|reads?|stands?|percent|rate|count|which|estimated|calculated)\b)*",
    re.IGNORECASE,
)
"""What may stand between a name and its value when the value is somebody's."""

_DOSE = re.compile(r"[\d.,]+\s*(?:mg|mcg|µg|g|tablets?|capsules?|ml|iu|units?)\b(?!\s*/)", re.IGNORECASE)
_EITHER = re.compile(r"\b(?:he|his|him|she|hers?)(?:\s+or\s+|/)(?:he|his|him|she|hers?)\b", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"^\W*(?:try|keep|limit|take|drink|eat|aim|avoid|use|do|don['’]t|check|ask|tell|call|talk|start|give|increase|"
    r"reduce|spread|break|get|follow|continue|stop|hold|repeat|recheck|monitor|measure|target|"
    r"maintain)\b(?!.*(?:\bis\b|\bwas\b|:))",
    re.IGNORECASE,
)


def about_patient(sentence: str, evidence: Evidence) -> bool:
    """Whether the sentence speaks of this patient. "His or her" is anybody."""
    named = any(name and name in sentence for name in evidence.names)
    return named or bool(_ABOUT_PATIENT.search(_EITHER.sub("", sentence)))


def invents_value(sentence: str, evidence: Evidence) -> bool:
    """A measurement, dose, age or birth date stated of this patient that neither the record nor the user gave."""
    of_patient = about_patient(sentence, evidence)
    if not (of_patient or evidence.chart):
        return False
    labs = [lab for lab in lab_values(sentence) if (lab.name, lab.value) not in evidence.labs]
    if of_patient:
        doses = [one for one in quantities(sentence) if one.unit != "year" and not one.forms & evidence.amounts]
        starts = [*(lab.start for lab in labs), *(dose.start for dose in doses)]
        if any(not _is_general(sentence[:start]) for start in starts) and not _IMPERATIVE.search(sentence):
            return True
    elif any(_LINK.fullmatch(lab.link) and not _is_of_others(sentence, lab.start) for lab in labs):
        return True
    return bool(evidence.chart) and (_invents_birth(sentence, evidence) or _invents_age(sentence, evidence, of_patient))


def _is_general(before: str) -> bool:
    """Whether what leads to a number makes it a condition or an advice rather than a fact of the patient."""
    return bool(_SUPPOSED.search(before) or _ADVISED.search(_CLAUSE.split(before)[-1]))


def _is_of_others(sentence: str, start: int) -> bool:
    """Without a word for the patient a value is still hers, unless it is advice, a range, or of a study."""
    before = sentence[:start]
    return (
        _is_general(before)
        or bool(_ADVISED.search(before))
        or bool(_OF_OTHERS.search(sentence))
        or bool(_COMPARED.search(before))
        or bool(_BOUNDED.match(sentence, start))
        or bool(_DOSE.match(sentence, start))
    )


def _invents_birth(sentence: str, evidence: Evidence) -> bool:
    return any(not any(birth == known[: len(birth)] for known in evidence.births) for birth in births(sentence))


_AGE = re.compile(
    r"\b(?P<old>\d{1,3})[\s-]*(?:years?|yrs?)?[\s-]*(?:old|y/?o)\b|"
    r"(?:^\W*|,\s*|\b(?:is|was)\s+)aged?\W{1,3}(?P<aged>\d{1,3})\b|\bage\s+is\s+(?P<is>\d{1,3})\b",
    re.IGNORECASE,
)


def _invents_age(sentence: str, evidence: Evidence, of_patient: bool) -> bool:
    for match in _AGE.finditer(sentence):
        place = match.start(match.lastgroup or 0)
        general = _is_general(sentence[:place]) if of_patient else _is_of_others(sentence, place)
        known = int(match[match.lastgroup or 0]) in evidence.ages
        if not (known or general or _BOUNDED.match(sentence, place)):
            return True
    return False
