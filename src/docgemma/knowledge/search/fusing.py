"""Two opinions put together: what the words say and what the meaning says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.knowledge.index.contract import Hit, Ranked

WORDS = 0.4
"""How much the words count; the meaning counts the rest."""
FULL = 0.4
"""The share of the full score from which on the words have their whole weight."""
_NEAR = 0.8
"""The similarity of a question and an entry that say the same."""


@dataclass(frozen=True, slots=True)
class Fused:
    """`words`: the engine's score; `relative`: that to the best one's; `cosine`: the similarity of meaning.

    Where an entry is in one list only, the other's last score stands in: more it cannot have.
    """

    id: str
    score: float
    words: float
    relative: float
    cosine: float


def fused(ranked: Ranked, full: float = 0.0) -> tuple[Fused, ...]:
    """Every entry of either list once, best first; equal ones in the order of their ids.

    `full`: the word score of an entry that is all about the question. Where even the best is far from it, the words
    say little, and the meaning decides.
    """
    words, meaning = _scores(ranked.words), _scores(ranked.meaning)
    best = max(words.values(), default=0.0)
    whole = max(best, FULL * full)
    least_words, least_meaning = min(words.values(), default=0.0), min(meaning.values(), default=0.0)
    found = []
    for entry in words.keys() | meaning.keys():
        by_words, cosine = words.get(entry, least_words), meaning.get(entry, least_meaning)
        relative = by_words / best if best else 0.0
        score = WORDS * (by_words / whole if whole else 0.0) + (1 - WORDS) * cosine / _NEAR
        found.append(Fused(entry, score, by_words, relative, cosine))
    return tuple(sorted(found, key=lambda each: (-each.score, each.id)))


def _scores(hits: Sequence[Hit]) -> dict[str, float]:
    """The better score where an engine names an entry twice; nothing is worse than unrelated."""
    scores: dict[str, float] = {}
    for hit in hits:
        scores[hit.id] = max(0.0, hit.score, scores.get(hit.id, 0.0))
    return scores
