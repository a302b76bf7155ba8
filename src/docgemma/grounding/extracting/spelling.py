"""Misspelt heads: "hypertention", "clearence". One wrong letter in a long word; never in a short one."""

from __future__ import annotations

from functools import cache, lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from docgemma.grounding.extracting.tables import heads, listed
from docgemma.terminology.linking.tables import word_list

_SHORTEST = 8
"""In a shorter word one letter makes another word."""


@lru_cache(maxsize=20_000)
def corrected(key: str) -> str:
    """The listed word that this one is a misspelling of, else the word itself."""
    if len(key) < _SHORTEST or not key.isalpha() or key in _listed() or key in word_list("ordinary"):
        return key
    if key.endswith(("ing", "ed")) or heads().of(key) is not None:
        return key
    best = process.extractOne(key, _by_letter().get(key[0], ()), scorer=OSA.distance, score_cutoff=1)
    return best[0] if best is not None else key


@cache
def _listed() -> frozenset[str]:
    words = {word for name in ("boundaries", "loose_modifiers", "class_endings", "endings") for word in listed(name)}
    return frozenset(words | heads().words.keys())


@cache
def _by_letter() -> dict[str, list[str]]:
    """Long words by their first letter: people seldom get that one wrong."""
    sorted_out: dict[str, list[str]] = {}
    for word in sorted(_listed()):
        if len(word) >= _SHORTEST:
            sorted_out.setdefault(word[0], []).append(word)
    return sorted_out
