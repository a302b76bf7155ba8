"""Peoples and ethnic groups as kinds of participants: "Japanese men", "of Chinese or Korean descent".

The same words name languages, guidelines and remedies ("Chinese herbal medicine"), so a word for persons must follow.
"""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.grounding.extracting.model import Found
from docgemma.grounding.extracting.tables import listed
from docgemma.terminology.linking.words import Word

_MOST_WORDS = 2
_JOINING = frozenset({"or", "and"})
_GAPS = frozenset({" ", ", ", "/"})
_COLOURS = frozenset({"white", "black"})
"""Written without a capital too."""


def peoples(words: Sequence[Word]) -> list[Found]:
    """Read from the right: a people stands before persons, or before another people that does."""
    found: list[Found] = []
    opened = len(words)
    place = len(words) - 1
    while place >= 0:
        size = _size(words, place) if _meant(words, place + 1, opened) else 0
        if size:
            first = place + 1 - size
            found.append(Found(first, place + 1, "Demographic", rank=2))
            opened = first
        place -= size or 1
    return found[::-1]


def _size(words: Sequence[Word], last: int) -> int:
    """How many words the people's name has that ends with `last`; 0 where there is none."""
    for size in range(_MOST_WORDS, 0, -1):
        first = last + 1 - size
        if first < 0 or any(word.gap not in {" ", "-"} for word in words[first:last]):
            continue
        name = words[first : last + 1]
        capital = name[0].text[0].isupper() or name[0].low in _COLOURS
        if capital and " ".join(word.key for word in name) in listed("peoples"):
            return size
    return 0


def _meant(words: Sequence[Word], after: int, opened: int) -> bool:
    """Whether persons follow at `after`, or the people that begins at `opened`."""
    if after >= len(words) or words[after - 1].gap not in _GAPS:
        return False
    if words[after].key in listed("persons"):
        return words[after - 1].gap == " "
    return after == opened or (after + 1 == opened and words[after].low in _JOINING)
