"""Names that may fit a query, from the lists of names by word: few enough to look at each of them."""

from __future__ import annotations

from heapq import nlargest

from docgemma.terminology.index.opening import Index
from docgemma.terminology.search.matching import QueryWord

_LONGEST_LIST = 2_000
"""A word in more names than this finds none by itself: it only adds to those that another word found."""
_ENOUGH = 2_000
_LOOKED_AT = 40
_LEAST_SHARE = 0.3
_TOO_LONG = 0.35
"""What each word of a name beyond those of the query costs, in the weight of a word of the query."""


def gather(index: Index, query: list[QueryWord], looked_at: int = _LOOKED_AT) -> list[int]:
    """The most promising names, best first."""
    scores: dict[int, float] = {}
    sizes: dict[int, int] = {}
    for word in sorted(query, key=lambda word: -word.weight * (1 - word.left_out)):
        got: dict[int, float] = {}
        for other, share in sorted(word.others.items(), key=lambda pair: pair[1]):
            seen = index.word(other).seen if share >= _LEAST_SHARE else 0
            if not seen or (seen > _LONGEST_LIST and not scores and len(query) > 1):
                continue
            names = index.posted(other)
            if len(scores) > _ENOUGH or (scores and seen > _LONGEST_LIST):
                got.update(dict.fromkeys(scores.keys() & names.keys(), word.weight * share))
            else:
                got.update(dict.fromkeys(names, word.weight * share))
                sizes.update(names)
        for name in scores.keys() & got.keys():
            got[name] += scores[name]
        scores.update(got)
    return _best(scores, sizes, query, looked_at)


def _best(scores: dict[int, float], sizes: dict[int, int], query: list[QueryWord], looked_at: int) -> list[int]:
    if not scores:
        return []
    least = 0.4 * max(scores.values())
    cost = _TOO_LONG * sum(word.weight for word in query) / len(query)
    kept = [(score - cost * sizes[name], name) for name, score in scores.items() if score >= least]
    return [name for _, name in nlargest(looked_at, kept)]
