"""Vietnamese as it is compared: syllables, pairs of them (most words have two), each with and without its marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from docgemma.knowledge.search.tables import stop_words

_SYLLABLE = re.compile(r"[^\W_]+")
PLAIN = "~"
"""Begins a form without marks, so that "ma" typed plain and "ma" the word stay two."""


def syllables(text: str) -> list[str]:
    return _SYLLABLE.findall(unicodedata.normalize("NFC", text).lower())


@lru_cache(maxsize=1 << 14)
def plain(syllable: str) -> str:
    """Without tones and marks, as typed on a keyboard that has none."""
    return flat(syllable)


def flat(text: str) -> str:
    """The same for a whole text, which nobody will ask for again."""
    if text.isascii():
        return text
    split = unicodedata.normalize("NFD", text.replace("đ", "d"))
    return "".join(letter for letter in split if not unicodedata.combining(letter))


def is_plain(text: str) -> bool:
    """Whether somebody typed without marks: then only forms without marks can be compared."""
    return text.isascii()


def marked_forms(found: Sequence[str]) -> tuple[list[str], list[str]]:
    """Syllables and pairs as written, none with a stop word."""
    stop = stop_words("vi")
    single = [each for each in found if each not in stop]
    pairs = [f"{one} {two}" for one, two in pairwise(found) if not (one in stop or two in stop)]
    return single, pairs


def plain_forms(found: Sequence[str]) -> tuple[list[str], list[str]]:
    """The same without marks. Few words say nothing whatever their marks: "sau" is after, and the decay of a tooth."""
    flat = [plain(each) for each in found]
    stop = stop_words("plain.vi")
    single = [PLAIN + each for each in flat if each not in stop]
    pairs = [f"{PLAIN}{one} {two}" for one, two in pairwise(flat) if not (one in stop and two in stop)]
    return single, pairs


def name(found: Sequence[str], *, bare: bool) -> tuple[str, ...]:
    """A word's forms that must all be there: its pairs, or its one syllable."""
    single, pairs = (plain_forms if bare else marked_forms)(found)
    return tuple(pairs or single)
