""" "No known allergies" is a fact that somebody recorded, not an empty list. This tells such entries from allergies."""

from __future__ import annotations

import re
from typing import Literal

from docgemma.ehr.chart.recorded.codeable import codings
from docgemma.ehr.chart.recorded.plain import plain
from docgemma.ehr.chart.recorded.shape import Node, code, node

Scope = Literal["all", "medication", "food", "environment", "latex", "one"]
"""What is said to be free of allergies. `one`: a single thing that no category covers."""

_CODES: dict[str, Scope] = {
    "716186003": "all",
    "409137002": "medication",
    "429625007": "food",
    "428607008": "environment",
    "no-known-allergies": "all",
    "no-known-medication-allergies": "medication",
    "no-known-food-allergies": "food",
    "no-known-environmental-allergies": "environment",
}
"""SNOMED CT as HL7 maps it between C-CDA and FHIR, and the codes of the International Patient Summary."""

_NO_INFORMATION = frozenset({"no-allergy-info"})
_KIND = r"(?:drug|medication|medicine|food|environmental|latex|seasonal|animal|insect|contrast|substance)s?"
_WHAT = r"(?:allerg(?:y|ies)|intolerances?|sensitivit(?:y|ies)|adverse (?:drug )?reactions?)"
_SAID = re.compile(
    rf"(?:no|nil)[ -](?:known|documented|recorded|reported)[ -](?:{_KIND}(?:,| and| or|/)? ?){{0,4}}"
    rf"(?:\w{{1,40}} )?{_WHAT}"
    rf"(?:(?:/| or | and ){_WHAT})?(?: to (?:any )?{_KIND})?(?: \((?:situation|finding|nkd?a)\)| on file)?"
    rf"|no (?:{_KIND} )?allergies|none known|nkda|nkfa|nka",
    re.I,
)
_SCOPES: tuple[tuple[Scope, re.Pattern[str]], ...] = (
    ("medication", re.compile(r"drug|medic|nkda", re.I)),
    ("food", re.compile(r"food|nkfa", re.I)),
    ("latex", re.compile(r"latex", re.I)),
    ("environment", re.compile(r"environment|seasonal|animal|insect", re.I)),
    ("all", re.compile(rf"(?:known|documented|recorded|reported|no)[ -](?:substance )?{_WHAT}|none known|nka", re.I)),
)


def negated(concept: object) -> Scope | None:
    """What the entry says to be free of allergies. None when it names something, or when words and code disagree:
    an entry that is in doubt counts as an allergy.
    """
    scopes: list[Scope] = []
    for coding in codings(concept):
        verdict = _verdict(coding)
        if verdict == "something":
            return None
        if verdict != "silent":
            scopes.append(verdict)
    text = plain(concept if isinstance(concept, str) else node(concept).get("text"))
    own_words = {plain(coding.get("display")) for coding in codings(concept)}
    if text and not _SAID.fullmatch(text.rstrip(". ")) and text not in own_words:
        return None
    if scopes:
        return scopes[0]
    return _scope(text) if text and _SAID.fullmatch(text.rstrip(". ")) else None


def no_information(concept: object) -> bool:
    """An entry which says that nobody knows: neither an allergy nor the absence of one."""
    return any(code(coding.get("code")) in _NO_INFORMATION for coding in codings(concept))


def _verdict(coding: Node) -> Scope | Literal["something", "silent"]:
    known = _CODES.get(code(coding.get("code")))
    if known:
        return known
    display = plain(coding.get("display"))
    if not display:
        return "silent"
    return _scope(display) if _SAID.fullmatch(display.rstrip(". ")) else "something"


def _scope(text: str) -> Scope:
    return next((scope for scope, pattern in _SCOPES if pattern.search(text)), "one")
