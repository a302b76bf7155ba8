"""How well the words of a name fit the words of a query, as one number between 0 and 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

from docgemma.terminology.index.opening import Index
from docgemma.terminology.names.stems import stems
from docgemma.terminology.search.alternatives import alternatives


@dataclass(frozen=True, slots=True)
class QueryWord:
    stem: str
    weight: float
    left_out: float
    others: dict[str, float]


_GENERAL = 0.5
"""A word that may be left out more safely than this says little by itself."""
_NOTHING_TELLING = 0.1


def weight(index: Index, seen: int) -> float:
    """Rare words weigh more."""
    return math.log(1 + index.names / (1 + seen))


def left_out(index: Index, stem: str) -> float:
    word = index.word(stem)
    base = 0.04 if word.left_out is None else word.left_out
    return max(0.01, min(base, 0.95))


def query_words(index: Index, text: str, learnt: bool = True) -> list[QueryWord]:
    found: dict[str, QueryWord] = {}
    for stem in stems(text):
        if stem not in found:
            others = alternatives(index, stem, learnt)
            seen = max((index.word(other).seen for other in others), default=0)
            found[stem] = QueryWord(stem, weight(index, seen), left_out(index, stem), others)
    return list(found.values())


def fit(index: Index, query: list[QueryWord], name: str) -> float:
    """Words that are there count as they are; each that is missing or too many costs what the index taught."""
    open_words = set(stems(name))
    total = 1.0
    telling = False
    for word in sorted(query, key=lambda word: -word.weight):
        best, chosen = 0.0, ""
        for other in open_words:
            worth = word.others.get(other, 0.0)
            if worth > best:
                best, chosen = worth, other
        if best > word.left_out:
            total *= best
            telling = telling or chosen == word.stem or left_out(index, chosen) < _GENERAL
            open_words.discard(chosen)
        else:
            total *= word.left_out
    for extra in open_words:
        total *= left_out(index, extra)
    return total if telling else total * _NOTHING_TELLING
