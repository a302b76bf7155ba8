"""References inside a label: "( 4.1 , 7.1 )" and "[see Warnings and Precautions (5.1)]" tell a reader nothing here.

Each gives way to a mark, because in the highlights a reference is often all that ends a point. Whatever is more than
a reference stays: "(see table; do not use with nitrates)" says something of its own.
"""

from __future__ import annotations

import re

from docgemma.entities.words import word_set

MARK = "\ue000"
"""Stands where a reference stood. `marked` keeps those that are there, so blank them in a text from outside."""

_NUMBER = r"(?:1[0-7]|[1-9])(?:\.(?:1\d|2[0-5]|[1-9])){0,2}"
_JOIN = r"\s{0,3}(?:,|;|-|–|and|to|or|&)\s{0,3}"
_NUMBERS = re.compile(rf"\(\s{{0,3}}({_NUMBER}(?:{_JOIN}(?:and\s{{1,3}})?{_NUMBER}){{0,15}})\s{{0,3}},?\s{{0,3}}\)")
_SEE_SQUARE = re.compile(r"\[\s{0,3}(?:[Ss]ee|SEE)\b[^\[\]]{0,600}\]")
_SEE_ROUND = re.compile(r"\(\s{0,3}(?:[Ss]ee|SEE)\b[^()]{0,200}(?:\([^()]{0,100}\)[^()]{0,200}){0,8}\)")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]+")
_LEFT_COMMA = re.compile(rf", {{0,3}}{MARK}(?= {{0,3}}[.;])")
_RANGE = re.compile(r"-|–|to")
_FIGURE = re.compile(
    r"(?:[\d%=<>≤≥]|\b(?:CI|interval|ratio|range|mean|median|average|HR|RR|OR|INR|of|was|were|is))\s{0,2}$"
)
_GAP = re.compile(r" (?=[.,;:](?: |$))")
_FORBIDS = word_set("not no never avoid stop")

_IN_REFERENCES = word_set(
    "see also and or under section sections subsection subsections table tables the in for of with to on by use age "
    "ages years year old from full prescribing information above below warning warnings precaution precautions "
    "contraindication contraindications boxed adverse reactions reaction drug interactions interaction clinical "
    "pharmacology pharmacokinetics studies dosage administration specific populations overdosage indications usage "
    "description how supplied patient patients pregnancy nursing mothers pediatric geriatric lactation general"
)
_TARGETS = word_set(
    "warning warnings precaution precautions contraindication contraindications boxed adverse interactions "
    "pharmacology pharmacokinetics dosage populations overdosage indications studies section sections table pregnancy "
    "administration information dependence toxicology counseling supplied"
)


def marked(text: str) -> str:
    """The text in one line, with a mark in place of every reference."""
    line = _BLANK.sub(" ", text).strip()
    line = _SEE_SQUARE.sub(_mark_if_reference, line)
    line = _SEE_ROUND.sub(_mark_if_reference, line)
    return _NUMBERS.sub(_mark_if_numbers, line)


def unmarked(text: str) -> str:
    """Without marks, and without the gap that a removed reference leaves before a comma or full stop."""
    return _GAP.sub("", _BLANK.sub(" ", _LEFT_COMMA.sub("", text).replace(MARK, " "))).strip()


def _mark_if_reference(found: re.Match[str]) -> str:
    """A name of a section among names and numbers; a word that no such list has means that something is said."""
    words = _WORD.findall(found[0])
    folded = {word.lower() for word in words}
    aimed = folded & _TARGETS or re.search(r"\d\.\d", found[0])
    says = folded & _FORBIDS or any(word.islower() and word not in _IN_REFERENCES for word in words)
    return f" {MARK} " if aimed and not says else found[0]


def _mark_if_numbers(found: re.Match[str]) -> str:
    """ "( 7 )" and "(5.1)" are references; "(5)" may be a number that was spelled out, "2.1 (1.2, 3.4)" an interval."""
    inside = found[1]
    if found[0][1] == " ":
        return f" {MARK} "
    before = found.string[max(0, found.start() - 14) : found.start()]
    after = found.string[found.end() : found.end() + 2].lstrip()
    value = "." not in inside or _RANGE.search(inside) or _FIGURE.search(before)
    goes_on = after[:1].islower() and "," not in inside
    return found[0] if value or goes_on else f" {MARK} "
