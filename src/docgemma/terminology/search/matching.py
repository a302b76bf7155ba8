"""How well the words of a name fit the words of a query, as one number between 0 and 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

from docgemma.terminology.index.opening import Index
from docgemma.terminology.names.heads import modifies
from docgemma.terminology.names.stems import stems
from docgemma.terminology.search.alternatives import alternatives
from docgemma.terminology.search.variants import Means


@dataclass(frozen=True, slots=True)
class QueryWord:
    stem: str
    weight: float
    left_out: float
    others: dict[str, float]


_GENERAL = 0.5
"""A word that may be left out more safely than this says little by itself."""
_NOTHING_TELLING = 0.1


_UNSEEN, _LEAST_LEFT_OUT, _MOST_LEFT_OUT = 0.04, 0.01, 0.95
_TELLING = 0.01
_MODIFIER = 0.3
_NEVER_LEFT_OUT = frozenset(["anti", "hyper", "hypo", "no", "non", "nonalcohol", "not", "post", "pre", "un", "without"])
"""Words that turn a name round, like the numbers and letters of kinds: type 1 is not type 2."""


def weight(index: Index, seen: int) -> float:
    """Rare words weigh more."""
    return math.log(1 + index.names / (1 + seen))


def left_out(index: Index, stem: str) -> float:
    """How safely a stem may be missing from, or be too many in, a name."""
    if stem in _NEVER_LEFT_OUT or len(stem) == 1 or stem.isdigit():
        return _TELLING
    taught = index.word(stem).left_out
    return max(_LEAST_LEFT_OUT, min(_UNSEEN if taught is None else taught, _MOST_LEFT_OUT))


def query_words(index: Index, text: str, means: Means) -> list[QueryWord]:
    found: dict[str, QueryWord] = {}
    for stem in stems(text):
        if stem not in found:
            others = alternatives(index, stem, learnt=means.learnt, slipped=means.slips)
            seen = max((index.word(other).seen for other in others), default=0)
            missing = max(left_out(index, stem), _MODIFIER) if modifies(stem) else left_out(index, stem)
            found[stem] = QueryWord(stem, weight(index, seen), missing, others)
    return list(found.values())


def fit(index: Index, query: list[QueryWord], name: str) -> float:
    """Words that are there count as they are; each that is missing or too many costs what the index taught."""
    open_words = dict.fromkeys(stems(name))
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
            del open_words[chosen]
        else:
            total *= word.left_out
    for extra in open_words:
        total *= left_out(index, extra)
    return total if telling else total * _NOTHING_TELLING
