"""Laboratory values and vital signs in text: which name goes with which number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

from docgemma.entities.amounts.quantities import NUMBER, bare_numbers, number, plain

_LABS: dict[str, str] = {
    "hba1c": r"h(?:a?emoglobin|b)\s?a1c|hba1c|a1c|glycated\s+h(?:a)?emoglobin",
    "egfr": r"e?gfr|glomerular\s+filtration\s+rate",
    "creatinine clearance": r"creatinine\s+clearance|crcl",
    "creatinine": r"(?:serum\s+)?creatinine|scr",
    "potassium": r"potassium|k\+",
    "sodium": r"sodium",
    "calcium": r"calcium",
    "magnesium": r"magnesium",
    "inr": r"inr",
    "blood pressure": r"blood\s+pressure|bp|systolic|diastolic",
    "heart rate": r"heart\s+rate|pulse|hr",
    "respiratory rate": r"respiratory\s+rate|rr",
    "temperature": r"temperature|temp",
    "weight": r"weight|weighs",
    "height": r"height",
    "bmi": r"bmi|body\s+mass\s+index",
    "glucose": r"(?:fasting\s+|blood\s+)*(?:glucose(?!\s?-?6)|sugar)",
    "hemoglobin": r"ha?emoglobin|hgb|hb",
    "hematocrit": r"ha?ematocrit|hct",
    "platelets": r"platelets?|plt",
    "wbc": r"wbc|white\s+(?:blood\s+)?cells?|leu[ck]ocytes?",
    "ldl": r"ldl(?:[\s-]c(?:holesterol)?)?",
    "hdl": r"hdl(?:[\s-]c(?:holesterol)?)?",
    "cholesterol": r"cholesterol",
    "triglycerides": r"triglycerides?",
    "tsh": r"tsh",
    "alt": r"alt|sgpt",
    "ast": r"ast|sgot",
    "bilirubin": r"bilirubin",
    "albumin": r"albumin",
    "ferritin": r"ferritin",
    "troponin": r"troponin",
    "bnp": r"(?:nt-?pro-?)?bnp",
    "oxygen saturation": r"oxygen\s+saturation|spo2|o2\s+sat(?:uration)?|saturation",
    "qtc": r"qtc?(?:\s+interval)?",
    "ejection fraction": r"(?:lv)?ef|ejection\s+fraction",
    "crp": r"crp|c-reactive\s+protein",
    "bun": r"bun|urea(?:\s+nitrogen)?",
    "urate": r"uric\s+acid|urate",
}
_LAB = re.compile(
    r"(?<![\w-])(?:" + "|".join(f"(?P<l{n}>{p})" for n, p in enumerate(_LABS.values())) + r")(?![\w-])", re.IGNORECASE
)
_LAB_NAMES = tuple(_LABS)
_VALUE_AFTER = re.compile(
    rf"[^.;!?\n\d]{{0,40}}?(?<![\w.,-])({NUMBER})(?:\s*/\s*({NUMBER}))?(?![\d/]|,\d)"
    r"(?!\s*(?:(?:-|–|to|or)\s*\d+)?\s*-?\s*(?:second|minute|min|hour|hr|day|week|wk|month|year|yr)s?\b)",
    re.IGNORECASE,
)
"""The number a name is given. A stretch of time after it ("INR in 3 days") is no value; nor is part of a date."""

_YEAR = re.compile(r"[^.;!?\n\d]{0,20}?\b(?:19|20)\d\d(?:-\d\d){0,2}\b(?!\.\d)")


@dataclass(frozen=True, slots=True)
class LabValue:
    """A laboratory or vital sign with the value a sentence gives it. `link` is what stands between the two."""

    name: str
    value: Decimal
    start: int
    link: str


def lab_values(text: str) -> tuple[LabValue, ...]:
    """Each laboratory name with the number that follows it ("potassium was 5.9", "BP 140/90")."""
    text = plain(text)
    found: list[LabValue] = []
    for match in _LAB.finditer(text):
        year = _YEAR.match(text, match.end())
        begin = year.end() if year else match.end()
        after = _VALUE_AFTER.match(text, begin)
        if after:
            name, link = _lab_name(match), text[begin : after.start(1)]
            found += [LabValue(name, number(part), after.start(1), link) for part in after.groups() if part]
    return tuple(found)


def lab_facts(text: str) -> frozenset[tuple[str, Decimal]]:
    """What a record states: every laboratory name of a line with every number of that line."""
    facts: set[tuple[str, Decimal]] = set()
    for line in plain(text).splitlines():
        names = {_lab_name(match) for match in _LAB.finditer(line)}
        if names:
            facts.update(product(names, bare_numbers(line)))
    return frozenset(facts)


def _lab_name(match: re.Match[str]) -> str:
    return _LAB_NAMES[int((match.lastgroup or "l0")[1:])]
