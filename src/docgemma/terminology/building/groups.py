"""A concept while it grows: the records that were found to mean the same, and what they add up to."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from docgemma.terminology.contract import Concept, EntityType
from docgemma.terminology.sources.core import CORE
from docgemma.terminology.sources.record import MESH, SNOMED, UMLS, Record, distinct

_NOT_WRITTEN = re.compile(r"[\W_]+")
ONTOLOGIES = {"MESH supplementary": MESH, "HP": "HPO"}


@lru_cache(maxsize=1 << 18)
def spelled(name: str) -> str:
    """What two names must share to be one: letters and digits, whatever the case, spacing and punctuation."""
    return _NOT_WRITTEN.sub("", name.casefold())


@dataclass(slots=True)
class Group:
    """Records that mean the same. The first one gives the display and the type."""

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

    def concept(self, weak: frozenset[str], preferred: dict[tuple[str, str], str], taken: set[str]) -> Concept:
        """What the records add up to. `taken` are the CUIs and codes of earlier groups, and grows."""
        head = self.records[0]
        names = distinct((name for record in self.records for name in record.synonyms), but=head.name)
        others = distinct((record.name for record in self.records[1:]), but=head.name)
        return Concept(
            display=head.name,
            type=self.type,
            ontology=ONTOLOGIES.get(head.source, head.source),
            names=(head.name, *distinct((*others, *names), but=head.name)),
            cui=self._best(UMLS, taken),
            snomed_code=self._best(SNOMED, taken),
            ids=self._ids(preferred),
            weak=weak,
        )

    def _best(self, system: str, taken: set[str]) -> str | None:
        """The core's own, else what most vocabularies say; of equals, the one of the vocabulary that agrees most with
        the others, then one that no earlier group has (HPO gives a seizure the CUI of epilepsy too), then the first.
        """
        order = _held(self.records[0], system)[:1] if self.is_core else []
        order = order or list(dict.fromkeys(ref for record in self._speaking() for ref in _held(record, system)))
        if not order:
            return None
        best = order[0] if len(order) == 1 else self._agreed(system, order, taken)
        taken.add(best)
        return best

    def _agreed(self, system: str, order: list[str], taken: set[str]) -> str:
        speaking = self._speaking()
        said = Counter(ref for record in speaking for ref in record.xrefs)
        agreement = dict.fromkeys(order, 0)
        for record in speaking:
            shared = sum(said[ref] - 1 for ref in record.xrefs)
            agreement.update((ref, max(shared, agreement[ref])) for ref in _held(record, system))
        return min(order, key=lambda ref: (-said[system, ref], -agreement[ref], ref in taken, order.index(ref)))

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


def _held(record: Record, system: str) -> list[str]:
    return [ref for held, ref in record.xrefs if held == system]
