"""What else a word of the query may be written as: words that stand for it, and words that it is a slip of."""

from __future__ import annotations

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from docgemma.terminology.index.layout import buckets
from docgemma.terminology.index.opening import Index
from docgemma.terminology.names.contraries import contrary
from docgemma.terminology.names.heads import heads_of

_HEAD = 0.45
_LEAST_TAUGHT = 0.4
_KNOWN = 3
"""A word in this many names is spelt as it should be."""
_LEAST_LENGTH = 5
_LEAST_ALIKE = 0.75
_MOST_SLIPS = 4
_OTHER_LENGTHS = 2


def alternatives(index: Index, stem: str, *, learnt: bool = True, slipped: bool = True) -> dict[str, float]:
    """Stems that may stand for this one, each with how safely."""
    word = index.word(stem)
    found: dict[str, float] = {stem: 1.0} if word.seen else {}
    for other, share in word.near if learnt else ():
        if share >= _LEAST_TAUGHT and not contrary(stem, other):
            found[other] = max(found.get(other, 0.0), share)
    for other in heads_of(stem):
        found[other] = max(found.get(other, 0.0), _HEAD)
    if slipped and word.seen < _KNOWN and len(stem) >= _LEAST_LENGTH and stem.isalpha():
        for other, share in slips(index, stem):
            found[other] = max(found.get(other, 0.0), share)
            for further, closeness in index.word(other).near[:_MOST_SLIPS] if learnt else ():
                if closeness >= _LEAST_TAUGHT:
                    found[further] = max(found.get(further, 0.0), share * closeness)
    return found


def slips(index: Index, stem: str) -> list[tuple[str, float]]:
    """Stems that are spelt alike, best first, each with how likely it is meant."""
    near: set[str] = set()
    for length in range(max(1, len(stem) - _OTHER_LENGTHS), len(stem) + _OTHER_LENGTHS + 1):
        for bucket in buckets(stem, length):
            near.update(index.spelt(bucket))
    near.discard(stem)
    alike = DamerauLevenshtein.normalized_similarity
    found = process.extract(stem, sorted(near), scorer=alike, limit=_MOST_SLIPS, score_cutoff=_LEAST_ALIKE)
    return [(word, closeness * closeness) for word, closeness, _ in found]
