"""A concept while it grows: the records that were found to mean the same, and what they add up to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from docgemma.terminology.contract import Concept, EntityType
from docgemma.terminology.names.keys import words
from docgemma.terminology.sources.core import CORE
from docgemma.terminology.sources.first_edition import filed_under, old_heading
from docgemma.terminology.sources.record import MESH, SNOMED, UMLS, Record, distinct

_NOT_WRITTEN = re.compile(r"[\W_]+")
ONTOLOGIES = {"MESH supplementary": MESH, "HP": "HPO"}
_NAMING = ("MONDO", "DOID", "EFO", "HP", MESH)
"""Vocabularies that agree on a display; of equals, the first."""
_LAST = "DOID"
"""Where one vocabulary says this and one that, this one was wrong more often, and its codes are often retired ones."""


@lru_cache(maxsize=1 << 18)
def spelled(name: str) -> str:
    """What two names must share to be one: letters and digits, whatever the case, spacing and punctuation."""
    return _NOT_WRITTEN.sub("", name.casefold())


@lru_cache(maxsize=1 << 16)
def _said(name: str) -> tuple[str, ...]:
    """What two preferred names must share to be one vote: the words, whatever their order and number."""
    return tuple(sorted(words(name)))


@dataclass(slots=True)
class Group:
    """Records that mean the same. The first one gives the type; the name that most agree on is displayed."""

    type: EntityType
    records: list[Record]
    keys: set[str] = field(default_factory=set)

    def add(self, record: Record) -> None:
        self.records.append(record)
        self.keys.update(map(spelled, record.names))

    @property
    def is_core(self) -> bool:
        return self.records[0].source == CORE

    def own(self, system: str) -> list[str]:
        return [record.id for record in self.records if record.system == system]

    def referred(self, system: str) -> list[str]:
        """The identifiers of a system that the records refer to, each once, in the records' order."""
        return list(dict.fromkeys(ref for record in self.records for ref in _held(record, system)))

    @property
    def head(self) -> Record:
        """The record that gives the display: the core's, else the one whose preferred name most vocabularies share."""
        if len(self.records) < 3 or self.records[0].source not in _NAMING:
            return self.records[0]
        naming = [record for record in self.records if record.source in _NAMING]
        votes = Counter(_said(record.name) for record in naming)
        return min(naming, key=lambda record: (-votes[_said(record.name)], _NAMING.index(record.source)))

    def concept(self, weak: frozenset[str], preferred: dict[tuple[str, str], str], taken: dict[str, str]) -> Concept:
        """What the records add up to. `taken` are the CUIs and codes of earlier groups with their CUIs, and grows."""
        head = self.head
        names = distinct((name for record in self.records for name in record.synonyms), but=head.name)
        others = distinct((record.name for record in self.records), but=head.name)
        cuis = self._ranked(UMLS, taken.__contains__)
        cui = cuis[0] if cuis else ""
        codes = self._ranked(SNOMED, lambda code: taken.get(code, cui) != cui)
        for ref in (*cuis[:1], *codes[:1]):
            taken.setdefault(ref, cui)
        ids = self._ids(preferred)
        seen = tuple(dict.fromkeys([*cuis, *self.referred(UMLS)]))
        if len(seen) > 1:
            ids[UMLS] = seen
        return Concept(
            display=head.name,
            type=self.type,
            ontology=ONTOLOGIES.get(head.source, head.source),
            names=(head.name, *distinct((*others, *names), but=head.name)),
            cui=cui or None,
            snomed_code=codes[0] if codes else None,
            ids=ids,
            weak=weak,
        )

    def _ranked(self, system: str, taken: Callable[[str], bool]) -> list[str]:
        """CUIs or codes, best first; of the core only its own, if it has one."""
        own = _held(self.records[0], system)[:1] if self.is_core else []
        speaking = self._speaking()
        order = own or list(dict.fromkeys(ref for record in speaking for ref in _held(record, system)))
        if len(order) < 2:
            return order
        said = _said(self.head.name)
        namesakes = [record for record in speaking if _said(record.name) == said] if system == UMLS else speaking
        counted = Counter(ref for record in namesakes for ref in _held(record, system))
        better = {ref for record in namesakes if record.source != _LAST for ref in _held(record, system)}
        early = {ref for ref in counted if system == UMLS and self._is_early(ref, namesakes)}
        agreement = _agreement(speaking, system)

        def rank(ref: str) -> tuple[bool | int, ...]:
            """What a vocabulary says that calls the thing as we display it; what the first edition of the UMLS filed
            there (a late number is a narrower or derived thing: C4021780, an abnormality of the liver, beside liver
            disease); what most say; not what DOID alone says; what the vocabulary says that agrees most with the
            others; what is no national extension of SNOMED CT; what no earlier group has (HPO gives a seizure the CUI
            of epilepsy too); the first.
            """
            called = (ref not in counted, ref not in early, -counted[ref], ref not in better)
            national = system == SNOMED and ref[-3] == "1"
            return (*called, -agreement[ref], national, taken(ref), order.index(ref))

        return sorted(order, key=rank)

    def _is_early(self, cui: str, namesakes: list[Record]) -> bool:
        """MeSH was in the first edition: a CUI is early if MeSH calls the thing the same and the alphabet agrees."""
        headed = any(record.source == MESH and old_heading(record.id) for record in namesakes)
        return headed and filed_under(cui, self.head.name)

    def _speaking(self) -> list[Record]:
        """The records that may give a CUI or a code: for the core only those that it has the very name of."""
        if not self.is_core:
            return self.records
        own = spelled(self.records[0].name)
        return [record for record in self.records if spelled(record.name) == own]

    def _ids(self, preferred: dict[tuple[str, str], str]) -> dict[str, tuple[str, ...]]:
        """Own ids first, then ids whose own preferred name is one of our names, then the remaining references."""
        systems: dict[str, None] = {}
        for record in self.records:
            systems.update(dict.fromkeys([record.system, *(system for system, _ in record.xrefs)]))
        found: dict[str, tuple[str, ...]] = {}
        for system in sorted(set(systems) - {"", UMLS, SNOMED}):
            listed = list(dict.fromkeys([*self.own(system), *self.referred(system)]))
            own = set(self.own(system))
            found[system] = tuple(
                sorted(listed, key=lambda ref: (preferred.get((system, ref)) not in self.keys, ref not in own))
            )
        return found


def _agreement(records: list[Record], system: str) -> dict[str, int]:
    """For each identifier, how much of what its best vocabulary refers to the others refer to as well."""
    said = Counter(ref for record in records for ref in record.xrefs)
    found: dict[str, int] = {}
    for record in records:
        shared = sum(said[ref] - 1 for ref in record.xrefs)
        found.update((ref, max(shared, found.get(ref, 0))) for ref in _held(record, system))
    return found


def _held(record: Record, system: str) -> list[str]:
    return [ref for held, ref in record.xrefs if held == system]
