"""The words of a text with their places, each with the key that the index knows it by.

Hyphenated compounds are taken apart ("HER2-positive", "insulin-dependent"). What stands between two words is kept, so
that a phrase may run over a hyphen or a slash but never over a comma or a bracket.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from docgemma.terminology.names.keys import key

_WORD = re.compile(r"[^\W_]+(?:['’][sS](?![^\W_]))?")
_HYPHENS = frozenset("-\u2010\u2011\u2012\u2013")
_JOINTS = _HYPHENS | frozenset(
    {" ", "/", " /", "/ ", " / ", "'", "’", "' ", "’ ", "®", "™", "® ", "™ ", "+", "+ ", ". "}
)
_LONGEST_WORD = 60
"""No name has a longer word; a longer one is not worth a key."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word where it stands. Tables and the index are asked with `key`; `gap` is what follows it."""

    text: str
    start: int
    end: int
    low: str
    key: str
    gap: str

    @property
    def joined(self) -> bool:
        """A phrase may go on after this word."""
        return self.gap in _JOINTS

    @property
    def hyphened(self) -> bool:
        """The next word is the other half of a compound."""
        return self.gap in _HYPHENS


def words(text: str) -> list[Word]:
    """Every word in order."""
    matches = list(_WORD.finditer(text))
    ends = [match.start() for match in matches[1:]] + [len(text)]
    found = []
    for match, after in zip(matches, ends, strict=False):
        raw = match.group()
        gap = text[match.end() : after]
        if len(gap) > 1 and gap.isspace():
            gap = "\n" if "\n" in gap else " "
        found.append(Word(raw, match.start(), match.end(), raw.lower(), word_key(raw), gap))
    return found


@lru_cache(maxsize=50_000)
def word_key(raw: str) -> str:
    """The key of one word. Words repeat from line to line: the last ones seen are remembered."""
    if len(raw) > _LONGEST_WORD:
        return raw.lower()
    return key(raw)


def phrase_key(text: str) -> str:
    """A table's entry as the key that it is found by."""
    return " ".join(word.key for word in words(text))
