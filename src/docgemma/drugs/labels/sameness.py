"""Whether two sentences say the same, so that a reader meets each once.

Only what is certain counts: the same words in the same order. Where one of two denies something, both stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.words import word_set

_WORD = re.compile(r"[^\W_]+")
_SMALL = word_set(
    "a an the of in on to for with and or is are was were be been by at as it its this that these those may can should "
    "which who has have had will from their your you patients patient also any"
)
_DENIES = word_set("no not never without neither nor none cannot unless except avoid unlikely")
_SHORT = 8
"""Up to so many words, a sentence means what its heading makes of it: "Avoid combination."."""

_SHARED = 0.75

Key = tuple[str, ...]


def words(text: str) -> Key:
    """Folded words, without marks and blanks."""
    return tuple(_WORD.findall(text.casefold()))


def key(text: str, heading: str = "") -> Key:
    """What makes a statement the same as another: its words, and for a short one the heading it stands under."""
    said = words(text)
    return said if len(said) >= _SHORT else (*said, "\n", *words(heading))


def gist(text: str) -> Key:
    """The words that carry the meaning, without plural endings."""
    return tuple(_stem(word) for word in words(text) if word not in _SMALL)


def denials(gist_of_text: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in gist_of_text if word in _DENIES)


def within(short: Key, long: Key) -> bool:
    """Whether the longer text says all of the shorter one, in its order, and denies neither more nor less."""
    if not short or len(short) > len(long) or denials(short) != denials(long):
        return False
    rest = iter(long)
    return all(word in rest for word in short)


def repeats(one: Key, other: Key) -> bool:
    """Whether the first says nothing that the second does not: most words are shared, and all numbers and denials."""
    if within(one, other):
        return True
    left, right = set(one), set(other)
    if len(left & right) < _SHARED * len(left | right) or denials(one) != denials(other):
        return False
    return not any(any(char.isdigit() for char in word) for word in left ^ right)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
