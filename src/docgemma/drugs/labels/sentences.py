"""Label prose taken apart: sentences, bullets and the points of a list.

A label arrives as one long line without paragraphs, so what ends a sentence has to be read from the words. Nothing
is rewritten: the parts, put side by side, are the text again, less bullet signs and references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from docgemma.drugs.labels.references import MARK, marked, unmarked
from docgemma.entities.words import word_set

BULLET = re.compile(r"[•●▪■◦○□‣⁃∙➢✓\uf0b7\uf0a7]|(?<=\s)[·*](?=\s)|(?<=\s)[-–](?=[A-Za-z][a-z])|(?<=[:.;]\s)[-–](?=\s)")
_END = re.compile(rf"[.!?][\"”’)\]]{{0,3}}(?=\s)|{MARK}")
_POINT = re.compile(r"(?:(?<=\s)|^)(?:\((\d{1,2})\)|(\d{1,2})[.)])\s(?=[A-Z])")
_LAST_WORD = re.compile(r"(\S{1,30})$")
_STARTS = re.compile(rf"[\s{MARK}]*[\"“‘(\[]?(?:[A-Z0-9]|[^\x00-\x7f]|[a-h][.)]\s[A-Z])")
_LEADS_IN = re.compile(
    r"(?:do not|ask (?:a|your) doctor|stop use|when using|tell your|use caution|avoid)\b", re.IGNORECASE
)
LEADS_ON = re.compile(
    r"\b(?:if|has|have|are|is|takes?|taking|with|when|who|whose|in|of|to|for|include|includes|including)$",
    re.IGNORECASE,
)
"""The last word of a line that cannot end there, so that the bullets after it go on with it."""
_ALERT = re.compile(r"(?<=[a-z)] )(?=[A-Z][a-z’']{1,20}(?: [a-z’']{1,20}){0,6} (?:warning|alert):)")
"""Where the next notice of a package begins, though nothing ends the one before: "Allergy alert: …"."""
_DOTTED = re.compile(r"\(?(?:[A-Z]\.){2,}$")

_NEVER_LAST = word_set(
    "e.g. i.e. vs. dr. mr. mrs. ms. cf. viz. approx. ca. fig. st. no. nos. vol. ref. sect. sec. resp."
)
"""A full stop after one of these ends no sentence. After "b.i.d." or "etc." it does, when a capital follows."""
_LONGEST_STEM = 300
"""Letters that every bullet of a list repeats."""
_COUNTED = word_set("table figure no section appendix step chart")


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence or bullet. `stem` is the line that a list hangs from: "Contraindicated in patients with:".

    `refers`: a reference follows, which is what ends a point of the highlights.
    """

    text: str
    stem: str = ""
    refers: bool = False


def sentences(text: str) -> tuple[str, ...]:
    """Sentences, bullets and list points of a text as it is published, without its references."""
    return tuple(part.text for part in parts(marked(text)))


def parts(line: str) -> Iterator[Part]:
    """The same of a line whose references are marked, with what each bullet hangs from."""
    stem = ""
    for listed, item in _items(_ALERT.sub(f"{MARK} ", line)):
        told: list[Part] = []
        for sentence in _sentences(item):
            text = unmarked(sentence)
            if told and sentence.lstrip().startswith(MARK):
                told[-1] = replace(told[-1], refers=True)
            if any(char.isalnum() for char in text):
                refers = sentence.rstrip(" .").endswith(MARK)
                told.append(Part(text, stem if listed and not told else "", refers))
        yield from told
        alone = listed and len(told) == 1
        if told:
            stem = _stem(told[-1].text, stem if listed else "", bullet=alone)


def _stem(last: str, before: str, *, bullet: bool) -> str:
    """What the next bullet hangs from: a line that ends in a colon, "Do not use", or one that cannot end there."""
    if last.endswith(":"):
        return last if len(last) <= _LONGEST_STEM else ""
    if bullet or last[-1] in ".!?":
        return before
    leads = _LEADS_IN.match(last) or LEADS_ON.search(last)
    return f"{last}:" if leads and len(last) <= _LONGEST_STEM else ""


def _items(line: str) -> Iterator[tuple[bool, str]]:
    """The text before the first bullet, then each bullet."""
    start, listed = 0, False
    for begin, end in _list_signs(line):
        if begin > start:
            yield listed, line[start:begin]
        start, listed = end, True
    yield listed, line[start:]


def _list_signs(line: str) -> list[tuple[int, int]]:
    """Bullets, and numbers that count up from one: "1. Patients with … 2. Patients who …"."""
    signs = [found.span() for found in BULLET.finditer(line)]
    expected = 1
    for found in _POINT.finditer(line):
        number = int(found[1] or found[2])
        if number == 1 and not _may_begin_list(line, found.start()):
            continue
        if number in (1, expected) and not _counts(line, found.start()):
            signs.append(found.span())
            expected = number + 1
    return sorted(signs)


def _may_begin_list(line: str, at: int) -> bool:
    before = line[max(0, at - 3) : at].rstrip()
    return not before or before[-1] in f".:;!?){MARK}"


def _counts(line: str, at: int) -> bool:
    """Whether the number belongs to the word before it: "Table 1. Dose"."""
    word = _LAST_WORD.search(line[max(0, at - 31) : at].rstrip())
    return word is not None and word[1].strip(".(").lower() in _COUNTED


def _sentences(item: str) -> Iterator[str]:
    start = 0
    for found in _END.finditer(item):
        if _ends(item, start, found):
            yield item[start : found.end()]
            start = found.end()
    yield item[start:]


def _ends(item: str, start: int, found: re.Match[str]) -> bool:
    """Whether a sentence ends here: something that starts one follows, and the stop belongs to no abbreviation."""
    if not _STARTS.match(item, found.end(), found.end() + 12):
        return False
    before = item[max(start, found.start() - 31) : found.start()]
    if found[0] == MARK:
        return bool(before.strip()) and before.rstrip()[-1] not in ",(-–/"
    if not found[0].startswith("."):
        return True
    word = _LAST_WORD.search(before)
    if word is None:
        return True
    if before.strip() == word[1] and len(word[1]) == 1 and word[1].islower():
        return False
    last = f"{word[1]}.".lstrip('(["“').lower()
    if last in _NEVER_LAST or _DOTTED.search(f"{word[1]}."):
        return False
    return not (word[1].isdigit() and _counts(item, found.start() - len(word[1])))
