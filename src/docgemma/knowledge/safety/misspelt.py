"""Words of an emergency with a small mistake in them, as a frightened person types: "hart attack", "cant breeth".

Only the table's key words are looked for, and everyday words that resemble one are left alone. What is read here is an
addition to the text as written, never instead of it, so that a wrong guess can only raise a notice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from docgemma.knowledge.safety.language import unmarked
from docgemma.knowledge.safety.vocabulary import ENGLISH, SYLLABLE

_SHORTEST = 4
_SHORTEST_SKELETON = 6
_MOSTLY = 0.85
_LETTERS = re.compile(r"[^\W\d_]+")
_VOWELS = re.compile(r"(?<=.)[aeiouy]+")
_TWICE = re.compile(r"(.)\1+")


@dataclass(frozen=True, slots=True)
class Speller:
    """`keys` are the words to find, `real` everyday words near one of them, `shorthand` Vietnamese as it is texted."""

    keys: tuple[str, ...]
    real: frozenset[str]
    shorthand: Mapping[str, str]

    def mended(self, plain: str, *, vietnamese: bool) -> str:
        """The normalised text with the words that were perhaps meant."""
        words = plain.split(" ")
        meant = {word: self._meant(word, vietnamese=vietnamese) for word in {*words}}
        return " ".join(meant[word] for word in words)

    def _meant(self, word: str, *, vietnamese: bool) -> str:
        if vietnamese and word in self.shorthand:
            return self.shorthand[word]
        if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
            return word
        if word in self.keys or word in self.real or word in ENGLISH or (vietnamese and SYLLABLE.fullmatch(word)):
            return word
        near = next((key for key in self.keys if _one_apart(word, key)), "")
        return near or next((key for key in self.keys if _sounds_alike(word, key)), word)


def seems_vietnamese(text: str) -> bool:
    """Whether nearly every word could be a Vietnamese syllable, whatever else it may be."""
    words = _LETTERS.findall(unmarked(text))
    return sum(SYLLABLE.fullmatch(word) is not None for word in words) > _MOSTLY * len(words)


def _one_apart(word: str, key: str) -> bool:
    """One letter more, less or other, or two neighbours in each other's place."""
    if abs(len(word) - len(key)) > 1:
        return False
    same = next((at for at, (one, other) in enumerate(zip(word, key, strict=False)) if one != other), None)
    if same is None:
        return True
    rest, wanted = word[same:], key[same:]
    swapped = rest[:2] == wanted[1::-1] and rest[2:] == wanted[2:]
    return swapped or rest[1:] == wanted[1:] or rest[1:] == wanted or rest == wanted[1:]


def _sounds_alike(word: str, key: str) -> bool:
    """The same consonants in the same order; a long word keeps its meaning without its vowels."""
    if min(len(word), len(key)) < _SHORTEST_SKELETON or abs(len(word) - len(key)) > 1:
        return False
    return _skeleton(word) == _skeleton(key)


def _skeleton(word: str) -> str:
    return _TWICE.sub(r"\1", _VOWELS.sub("", word.replace("ph", "f")))
