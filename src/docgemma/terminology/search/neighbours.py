"""Names one or two steps away from a query, looked up by key: a word left out, added, or put for another.

Keys are exact and cheap, so this also finds short names of common words ("tumour"), which lists by word cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest

from docgemma.terminology.index.layout import BAG
from docgemma.terminology.index.opening import Index
from docgemma.terminology.names.heads import PLAIN
from docgemma.terminology.search.matching import QueryWord, left_out

_LOOK_UPS = 48
_LEAST = 0.01
_MOST_WORDS = 8

Step = tuple[float, int, str]
"""How safe it is, which word (-1: an added one), and what stands there instead (empty: nothing)."""


def neighbours(index: Index, query: list[QueryWord]) -> Iterator[int]:
    """Names whose stems are those of the query after one or two steps, safest first."""
    if not 0 < len(query) <= _MOST_WORDS:
        return
    stems = [word.stem for word in query]
    steps = list(_steps(index, query))
    pairs = (
        (one[0] * two[0], (one, two))
        for place, one in enumerate(steps)
        for two in steps[place + 1 :]
        if one[1] != two[1] or one[1] < 0
    )
    ways = [(step[0], (step,)) for step in steps]
    for worth, taken in nlargest(_LOOK_UPS, [*ways, *pairs], key=lambda way: way[0]):
        if worth >= _LEAST:
            key = _after(stems, taken)
            if key:
                yield from index.named(key, BAG)


def _steps(index: Index, query: list[QueryWord]) -> Iterator[Step]:
    for place, word in enumerate(query):
        if len(query) > 1:
            yield word.left_out, place, ""
        for other, share in word.others.items():
            if other != word.stem:
                yield share, place, other
    for head in PLAIN:
        yield left_out(index, head), -1, head


def _after(stems: list[str], taken: tuple[Step, ...]) -> str:
    changed: list[str] = list(stems)
    for _, place, other in taken:
        if place < 0:
            changed.append(other)
        else:
            changed[place] = other
    return " ".join(sorted({stem for stem in changed if stem}))
