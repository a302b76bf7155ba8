"""Finding the ids of a person's records in a text, in whatever way people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from docgemma.fetch.folding import fold, word_set

_CUES = word_set("patient patients pt id ids identifier mrn record chart person subject case number no nr #")
_FILLERS = word_set("is was number no nr id #")
_AMOUNTS = word_set(
    "mg mcg ug g kg ml l dl iu u unit units tablet tablets mmol meq percent h hr hour hours day days week weeks month"
    " months year years yr yrs y yo"
)
_TOKEN = re.compile(r"[^\W_]+|#")
_GLUED_CUE = re.compile(r"(patient|pt|id|mrn|record|chart|subject|case|no|nr)([0-9].*)")
_SHORT = 4
"""Shorter ids are numbers or words like any other, unless a word before says what they are."""

_LONG = 8
_LONG_DIGITS = 7
_LONG_MIXED = 6
"""From here on an id of letters, of digits, or of both is recognised without its hyphens too."""

_ZEROS = 6
"""From here on a number is the same with other zeros before it."""

_UUID = re.compile(r"([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class IdSearch:
    """One text, to be asked for many ids."""

    def __init__(self, text: str) -> None:
        tokens = list(_tokens(fold(text)))
        self._tokens = [token for token, _ in tokens]
        self._marks = [mark for _, mark in tokens]
        self._squeezed = "".join(self._tokens)
        self._starts = {start: place for place, start in enumerate(_starts(self._tokens))}

    def finds(self, wanted: str) -> bool:
        """Whether this id stands there as a whole, in any case. A short one must be announced: "patient 12"."""
        return any(self._finds(parts) for parts in _forms(wanted))

    def _finds(self, parts: list[str]) -> bool:
        squeezed = "".join(parts)
        if not squeezed:
            return False
        digits, letters = squeezed.isdecimal(), squeezed.isalpha()
        bare = squeezed.lstrip("0")
        if digits and len(bare) >= _ZEROS and any(token.lstrip("0") == bare != token for token in self._tokens):
            return True
        unsure = len(squeezed) < _SHORT or (letters and len(parts) == 1 and len(squeezed) < _LONG)
        loose = len(squeezed) >= (_LONG if letters else _LONG_DIGITS if digits else _LONG_MIXED)
        for start, end in self._places(squeezed):
            if not loose and self._tokens[start:end] != parts:
                continue
            announced = self._announced(start)
            amount = digits and len(squeezed) < _LONG and self._is_unit(end)
            if (announced and not amount) if unsure else (announced or not amount):
                return True
        return False

    def _places(self, squeezed: str) -> Iterator[tuple[int, int]]:
        """From which token to which these characters stand, however they are cut, with nothing of another token."""
        at = self._squeezed.find(squeezed)
        while at >= 0:
            start, end = self._starts.get(at), self._starts.get(at + len(squeezed))
            if start is not None and end is not None:
                yield start, end
            at = self._squeezed.find(squeezed, at + 1)

    def _is_unit(self, place: int) -> bool:
        """Whether the number before is an amount. What stands behind another mark belongs to something else."""
        if place >= len(self._tokens):
            return False
        return self._tokens[place] in _AMOUNTS and self._marks[place].strip() in ("", "+", "-")

    def _announced(self, start: int) -> bool:
        before = self._tokens[max(0, start - 2) : start]
        return bool(before) and (before[-1] in _CUES or (before[-1] in _FILLERS and before[0] in _CUES))


def _forms(wanted: str) -> Iterator[list[str]]:
    """An id as it is known, without the word that says what it is, and the part of it that people write down."""
    folded = fold(wanted)
    known = [token for token, _ in _tokens(folded)]
    yield known
    value = folded.rpartition("|")[2]
    bare = [token for token, _ in _tokens(value)]
    while len(bare) > 1 and bare[0] in _CUES:
        bare = bare[1:]
    if bare != known and len("".join(bare)) >= _SHORT:
        yield bare
    if bare and bare[0].isdecimal() and len(bare) == 1 and bare[0] != bare[0].lstrip("0"):
        yield [bare[0].lstrip("0")]
    written = _UUID.search(value)
    if written:
        yield [written[1]]


def _tokens(folded: str) -> Iterator[tuple[str, str]]:
    """Words and numbers, each with the mark before it. "mrn123" is two: a cue and a number."""
    end = 0
    for found in _TOKEN.finditer(folded):
        glued = _GLUED_CUE.fullmatch(found.group())
        yield (glued[1] if glued else found.group()), folded[end : found.start()]
        if glued:
            yield glued[2], ""
        end = found.end()


def _starts(tokens: list[str]) -> Iterator[int]:
    """Where each begins when they are written as one, and where the last ends."""
    yield 0
    yield from accumulate(map(len, tokens))
