"""What a ranking is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scores:
    """Shares of the questions with a right entry at the top, among the top five; and nDCG over different answers."""

    at_1: float
    at_5: float
    ndcg_10: float
    asked: int

    def cells(self) -> tuple[str, ...]:
        return tuple(f"{value:.3f}" for value in (self.at_1, self.at_5, self.ndcg_10))


def scores(rankings: Sequence[tuple[Sequence[str], frozenset[str]]]) -> Scores:
    """Of (keys, best first; the right keys) for each question."""
    if not rankings:
        return Scores(0.0, 0.0, 0.0, 0)
    count = len(rankings)
    return Scores(
        sum(bool(right & set(keys[:1])) for keys, right in rankings) / count,
        sum(bool(right & set(keys[:5])) for keys, right in rankings) / count,
        sum(ndcg(keys, right) for keys, right in rankings) / count,
        count,
    )


def ndcg(keys: Sequence[str], right: frozenset[str], depth: int = 10) -> float:
    """Several entries of one key are one answer: only the first of them counts."""
    distinct = list(dict.fromkeys(keys))[:depth]
    gained = sum(1 / math.log2(place + 2) for place, key in enumerate(distinct) if key in right)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(depth, len(right))))


def as_keys(ids: Iterable[str], keys: Mapping[str, str]) -> list[str]:
    """A distractor is known by its own id: it is right for nothing."""
    return [keys.get(each, each) for each in ids]
