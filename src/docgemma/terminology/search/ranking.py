"""The order of what was found."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from docgemma.terminology.contract import EntityType
from docgemma.terminology.index.opening import Entry, Index
from docgemma.terminology.search.evidence import Found

_LOOKED_AT = 25
W = {"preferred": 0.1, "weak": -0.5, "other_type": -3.0, "rich": 0.15, "core": 0.3, "names": 0.0}


@dataclass(frozen=True, slots=True)
class Ranked:
    found: Found
    entry: Entry
    score: float
    confidence: float


def ranked(index: Index, found: Iterable[Found], term: str, type: EntityType | None) -> list[Ranked]:
    """Best first."""
    best = sorted(found, key=lambda one: -one.worth)[:_LOOKED_AT]
    rows = []
    for one in best:
        entry = index.entry(one.concept)
        score = math.log(max(one.worth, 1e-6))
        score += W["preferred"] * index.preferred(one.name) + W["weak"] * index.weak(one.name)
        score += W["rich"] * math.log(1 + len(entry.ids)) + W["core"] * (entry.ontology == "CORE")
        if type is not None and entry.type != type:
            score += W["other_type"]
        rows.append(Ranked(one, entry, score, min(1.0, math.exp(min(0.0, score - 0.6)))))
    return sorted(rows, key=lambda row: -row.score)
