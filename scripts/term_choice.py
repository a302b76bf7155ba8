"""Which terms of the open vocabularies ship: what is frequent, and whatever else decides on its name and its codes.

The vocabularies are merged in full first. A concept ships if one of its terms is frequent; then its terms of MONDO, HPO
and MeSH ship as they are. A term of DOID or EFO that stands beside one of those lends its name and its references only,
and ships only where the concept would differ without it; whole, where that is still not enough.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from docgemma.terminology.building.groups import Group, spelled
from docgemma.terminology.building.merging import grouped, merge
from docgemma.terminology.contract import Concept
from docgemma.terminology.sources.record import MESH, SNOMED, UMLS, Record

LENDING = ("DOID", "EFO")
_CODES = (UMLS, SNOMED)
_LENT = (*_CODES, MESH, "MONDO", "DOID")

_LONG = ("MONDO", MESH)
_WORD = re.compile(r"\w+")

Key = tuple[str, str]
Outcome = tuple[str, str | None, str | None, tuple[str, ...]]


def chosen(cores: Sequence[Record], pool: Sequence[Record]) -> dict[str, list[Record]]:
    """By source, in the order of the source."""
    names = {spelled(name) for record in cores for name in record.names}
    groups = grouped([*cores, *pool])
    wanted = _outcomes(groups, merge([*cores, *pool]))
    shipping = [group for group in groups if any(_is_frequent(record, names) for record in group.records)]
    kept = {_key(record) for group in shipping for record in group.records if not _only_lends(record, group)}
    kept |= {_key(record) for record in pool if record.type is None and spelled(record.name) in names}
    kept |= {_key(record) for group in shipping for record in _adding(group)}
    forms = _short_forms(shipping)
    own = {_key(record): group for group in shipping for record in group.records if record.id}
    before = (-1, -1)
    while before != (len(kept), len(forms)):
        before = (len(kept), len(forms))
        found = [forms.get(_key(record), record) for record in pool if _key(record) in kept]
        trial = grouped([*cores, *found])
        reached = _outcomes(trial, merge([*cores, *found]))
        differ = [group for group in trial if any(reached[key] != wanted[key] for key in map(_key, group.records))]
        touched = (own.get(_key(record)) for group in differ for record in group.records)
        for group in {id(group): group for group in touched if group is not None}.values():
            _add(group, kept, forms)
    return _by_source(found)


def _add(group: Group, kept: set[Key], forms: dict[Key, Record]) -> None:
    """One step more of a concept: all its records, then its long ones whole, then those that lend."""
    keys = {_key(record) for record in group.records if record.id}
    if keys <= kept:
        long = {_key(record) for record in group.records if record.source in _LONG} & set(forms)
        for key in long or keys:
            forms.pop(key, None)
    kept |= keys


def _by_source(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        found[record.source].append(record)
    return found


def _short_forms(groups: Iterable[Group]) -> dict[Key, Record]:
    """How a record ships unless its concept needs it whole."""
    forms: dict[Key, Record] = {}
    for group in groups:
        called = {spelled(record.name) for record in group.records}
        for record in group.records:
            if _only_lends(record, group):
                refs = tuple(ref for ref in record.xrefs if ref[0] in _LENT)
                forms[_key(record)] = replace(record, synonyms=(), xrefs=refs)
            elif record.source in _LONG:
                forms[_key(record)] = _shorter(record, called if record.source != MESH else set())
    return forms


def _shorter(record: Record, needed: Set[str]) -> Record:
    """Without the synonyms that only turn the words round or add a plural: the search knows these by itself.

    One that another record of the concept is called by stays: by it they find each other. HPO's all stay: its licence
    wants its terms unaltered.
    """
    seen: dict[tuple[str, ...], str] = {}
    for name in sorted(record.names, key=lambda name: ", " in name):
        seen.setdefault(tuple(sorted(word.rstrip("s") for word in _WORD.findall(name.casefold()))), name)
    kept = set(seen.values())
    return replace(record, synonyms=tuple(name for name in record.synonyms if name in kept or spelled(name) in needed))


def _is_frequent(record: Record, core_names: Set[str]) -> bool:
    """As far as a vocabulary tells: MeSH has it, or the others know it from UMLS or MeSH; labs if the core has them."""
    if record.source == MESH:
        return record.type is not None
    if record.type == "Lab_Value":
        return spelled(record.name) in core_names
    return any(system == UMLS or (system == MESH and ref.startswith("D")) for system, ref in record.xrefs)


def _only_lends(record: Record, group: Group) -> bool:
    others = (held.source for held in group.records if held.source not in LENDING and held.type is not None)
    return record.source in LENDING and record.type == "Condition" and any(others)


def _adding(group: Group) -> Iterable[Record]:
    """The records that hold a CUI or a code that nothing before them holds."""
    seen = {ref for record in group.records if not _only_lends(record, group) for ref in record.xrefs}
    for record in group.records:
        codes = {ref for ref in record.xrefs if ref[0] in _CODES}
        if codes - seen:
            seen |= codes
            yield record


def _outcomes(groups: Iterable[Group], concepts: Iterable[Concept]) -> dict[Key, Outcome]:
    """For each record what its concept is called and coded."""
    found: dict[Key, Outcome] = {}
    for group, concept in zip(groups, concepts, strict=True):
        outcome = (concept.display, concept.cui, concept.snomed_code, concept.ids.get(UMLS, ()))
        found.update((_key(record), outcome) for record in group.records)
    return found


def _key(record: Record) -> Key:
    return (record.source, record.id or record.name)
