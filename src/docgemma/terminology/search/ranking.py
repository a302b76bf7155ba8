"""The order of what was found, and how far each of it is to be trusted.

The weights were fitted on the training parts of BC5CDR and NCBI disease; docs and `bench.linking` report the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from docgemma.terminology.contract import EntityType
from docgemma.terminology.index.opening import Entry, Index
from docgemma.terminology.names.stems import stems
from docgemma.terminology.search.confidence import Doubt, trusted
from docgemma.terminology.search.evidence import Found, Way

_LOOKED_AT = 25
_WAY: dict[Way, float] = {"same": 0.0, "key": -0.35, "squeezed": -0.25, "bag": -0.4, "soft": 0.0}
_PREFERRED = 0.15
_PREFERRED_ELSE = 0.05
_DISPLAY = 0.15
"""For a synonym whose words are also those of the preferred name: `stroke` is `stroke disorder` before another."""
_WEAK = -0.2
_OTHER_TYPE = -3.25
_SYSTEM = 0.15
_SNOMED = 0.25
_CORE = 0.3
_APART = 1.1
"""For a compound taken apart. Not where the term itself is a preferred name: no reading of ours goes before that."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One concept in its place."""

    found: Found
    entry: Entry
    score: float
    confidence: float


def ranked(index: Index, found: Iterable[Found], term: str, type: EntityType | None) -> list[Ranked]:
    """Best first."""
    best = sorted(found, key=lambda one: (-one.worth, one.concept))[:_LOOKED_AT]
    named = any(one.how == "written" and one.way == "same" and index.preferred(one.name) for one in best)
    apart = 0.0 if named else _APART
    rows = [
        (_score(index, one, entry, type) + apart * (one.how == "apart"), one, entry)
        for one in best
        for entry in (index.entry(one.concept),)
    ]
    rows.sort(key=lambda row: (-row[0], row[1].concept))
    first = rows[0][0] if rows else 0.0
    second = rows[1][0] if len(rows) > 1 else -math.inf
    ordered: list[Ranked] = []
    most = 1.0
    for score, one, entry in rows:
        other_type = _kind(one, type) not in (None, entry.type)
        lead = score - (second if score == first else first)
        preferred, weak = index.preferred(one.name), index.weak(one.name)
        doubt = Doubt(one, lead, entry.type, other_type, preferred, weak, type is not None, term)
        confidence = min(trusted(doubt), most)
        ordered.append(Ranked(one, entry, score, round(confidence, 4)))
        most = min(confidence, 1 - ordered[0].confidence)
    return ordered


def _kind(one: Found, type: EntityType | None) -> EntityType | None:
    return type or one.type


def _score(index: Index, one: Found, entry: Entry, type: EntityType | None) -> float:
    score = math.log(max(one.worth, 1e-6)) + _WAY[one.way]
    score += _WEAK * index.weak(one.name)
    if index.preferred(one.name):
        score += _PREFERRED if one.way == "same" else _PREFERRED_ELSE
    score += _DISPLAY * _shared(one.text, entry.display)
    score += _SYSTEM * math.log(1 + len(entry.ids)) + _SNOMED * (entry.snomed_code is not None)
    score += _CORE * (entry.ontology == "CORE")
    if _kind(one, type) not in (None, entry.type):
        score += _OTHER_TYPE
    return score


def _shared(name: str, display: str) -> float:
    """Which part of the words of a name is in the preferred name."""
    if name == display:
        return 1.0
    own = set(stems(name))
    return len(own.intersection(stems(display))) / len(own) if own else 0.0
