"""What else a word of the query may be written as: words that stand for it, and words that it is a slip of."""

from __future__ import annotations

from rapidfuzz import fuzz, process
from rapidfuzz.distance import DamerauLevenshtein

from docgemma.terminology.index.layout import buckets
from docgemma.terminology.index.opening import Index
from docgemma.terminology.names.heads import heads_of

_LEAST_ALIKE = 0.75
_MOST_SLIPS = 4
_HEAD = 0.45


def alternatives(index: Index, stem: str, learnt: bool = True) -> dict[str, float]:
    """Stems that may stand for this one, each with how safely."""
    word = index.word(stem)
    found: dict[str, float] = {stem: 1.0} if word.seen else {}
    for other, share in word.near if learnt else ():
        found[other] = max(found.get(other, 0.0), share)
    for other in heads_of(stem):
        found[other] = max(found.get(other, 0.0), _HEAD)
    if word.seen < 3 and len(stem) >= 5 and stem.isalpha():
        for other, share in slips(index, stem):
            found[other] = max(found.get(other, 0.0), share)
            for further, closeness in index.word(other).near[:4]:
                found[further] = max(found.get(further, 0.0), share * closeness)
    return found


def slips(index: Index, stem: str) -> list[tuple[str, float]]:
    """Stems of like spelling, best first."""
    near: set[str] = set()
    reach = 3 if len(stem) < 8 else 4
    for length in range(len(stem) - 2, len(stem) + 3):
        width = 3 if length < 8 else 4
        if width == reach:
            near.update(index.spelt(f"{stem[:width]}+{length}"), index.spelt(f"{length}+{stem[-width:]}"))
        else:
            near.update(index.spelt(f"{stem[:width]}+{length}"), index.spelt(f"{length}+{stem[-width:]}"))
    near.discard(stem)
    cutoff = _LEAST_ALIKE
    found = process.extract(stem, list(near), scorer=DamerauLevenshtein.normalized_similarity, limit=_MOST_SLIPS, score_cutoff=cutoff)
    return [(word, alike * alike) for word, alike, _ in found]
