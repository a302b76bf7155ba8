"""Which of the two languages a text is in, by its words and letters. No model, no table to load: microseconds.

A wrong "Vietnamese" would keep a clinician's order from being prepared; a wrong "English" would answer a patient in a
language they may not read. Where neither is clear the caller decides, from the session or the screen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from docgemma.entities.words import without_quotes
from docgemma.knowledge.entry import Language
from docgemma.knowledge.safety.vocabulary import (
    ENDING,
    ENGLISH,
    FAMILY_NAMES,
    FRAME,
    LETTERS,
    MIDDLE_NAMES,
    PAIRS,
    SHARED_LETTERS,
    SYLLABLE,
    VIETNAMESE,
)

LONGEST = 2_000
"""The beginning decides; a longer text is no clearer."""

_WORD = re.compile(r"(?<![\w/])(?:[cwh]/o?|s/p|y/o)(?!\w)|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PAIRS = frozenset(PAIRS)
_MOST_OF_A_NAME = 5


def detect(text: str) -> Language | None:
    """English, Vietnamese, or None when neither is clear ("HbA1c?", "ok", a bare name).

    What stands in quotation marks is the topic and not the speaker's language: it counts only when nothing else does.
    """
    begun = unicodedata.normalize("NFC", text[:LONGEST])
    return _of(without_quotes(begun)) or _of(begun)


def unmarked(text: str) -> str:
    """The text in lower case and without the marks of Vietnamese, as many type it."""
    apart = unicodedata.normalize("NFD", text.lower())
    return "".join(char for char in apart if not unicodedata.combining(char)).replace("đ", "d").replace("’", "'")


def _of(text: str) -> Language | None:
    said = _WORD.findall(text)
    words = [word for word, name in zip(said, _in_names(said), strict=True) if not name]
    plain = [unmarked(word) for word in words]
    marked = [_marked(word) for word in words]
    frame = sum(word in FRAME for word in plain)
    english = 3 * frame + sum(
        (word in ENGLISH or ENDING.fullmatch(word) is not None) and word not in FRAME and not mark
        for word, mark in zip(plain, marked, strict=True)
    )
    vietnamese = _vietnamese(words, plain, marked, english > 0)
    if vietnamese > english and (vietnamese > 1 or all(SYLLABLE.fullmatch(word) for word in plain)):
        return "vi"
    if english > vietnamese or (frame and english == vietnamese):
        return "en"
    return None


def _vietnamese(words: Sequence[str], plain: Sequence[str], marked: Sequence[int], among_english: bool) -> int:
    """Points for marks and words. A capital inside an English sentence is somebody's name, however it is spelled."""
    named = [among_english and index > 0 and word[0].isupper() for index, word in enumerate(words)]
    points = sum(
        mark or int(word in VIETNAMESE) for word, mark, name in zip(plain, marked, named, strict=True) if not name
    )
    pairs = sum(
        f"{one} {other}" in _PAIRS and not (marked[index] or marked[index + 1] or named[index] or named[index + 1])
        for index, (one, other) in enumerate(pairwise(plain))
    )
    return points + 2 * pairs


def _marked(word: str) -> int:
    """Two for a letter of Vietnamese alone, one for an accent of other languages too, none in another shape."""
    low = word.lower()
    if not SYLLABLE.fullmatch(unmarked(low)):
        return 0
    return 2 if any(char in LETTERS for char in low) else int(any(char in SHARED_LETTERS for char in low))


def _in_names(words: Sequence[str]) -> Iterator[bool]:
    """For each word, whether it belongs to a Vietnamese person's name: a family name with what follows it."""
    left = 0
    shouted = all(word.isupper() for word in words)
    for index in range(len(words)):
        left = left or _length_of_name(words, index, shouted)
        yield left > 0
        left = max(0, left - 1)


def _length_of_name(words: Sequence[str], start: int, shouted: bool) -> int:
    """How many words of a name begin here; 0 for none. A small "tran thi hoa" is one because of its middle name."""
    if words[start].lower() not in FAMILY_NAMES:
        return 0
    following = words[start + 1 : start + _MOST_OF_A_NAME]
    capitals = 0
    if words[start][0].isupper() and not shouted:
        capitals = next((at for at, word in enumerate(following) if not word[0].isupper()), len(following))
    middle = bool(following) and following[0].lower() in MIDDLE_NAMES
    return max(1 + capitals if capitals else 0, 3 if middle and len(following) > 1 else 0)
