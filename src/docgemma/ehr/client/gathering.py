"""What has been read about one patient so far, what is in doubt, and what belongs to somebody else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from docgemma.clinical import ErrorType
from docgemma.ehr.client.ownership import SUPPORTING, Owner, local, medications, references
from docgemma.ehr.contract import Gap, Record, Resource

Key = tuple[str, str]


class Gathering:
    """Only resources that name this patient go in. Each kind is certain or in doubt, and doubt ends as a gap."""

    def __init__(self, owner: Owner, kinds: Sequence[str], bases: frozenset[str]) -> None:
        self.patient: Resource | None = None
        self.by_kind: dict[str, dict[str, Resource]] = {kind: {} for kind in kinds if kind not in SUPPORTING}
        self._owner = owner
        self._kinds = kinds
        self._bases = bases
        self._doubts: dict[str, ErrorType] = {}
        self._strangers: set[Key] = set()
        self._supporting: dict[Key, Resource] = {}
        self._missed: dict[Key, ErrorType] = {}

    @property
    def doubtful(self) -> frozenset[str]:
        return frozenset(self._doubts)

    def doubt(self, kinds: Iterable[str], reason: ErrorType) -> None:
        self._doubts.update(dict.fromkeys(kinds, reason))

    def take(self, resources: Iterable[Resource]) -> None:
        """Whatever came. A stranger casts doubt on its kind: who sends what was not asked for may omit what was."""
        for resource in resources:
            kind, id_ = resource["resourceType"], resource["id"]
            if kind in SUPPORTING:
                self._supporting[kind, id_] = resource
            elif kind == "Patient" and self._owner.owns(resource):
                self.patient = resource
            elif kind in self.by_kind and self._owner.owns(resource):
                self.by_kind[kind][id_] = resource
            elif kind in self.by_kind or self._owner.is_about_another(resource):
                self._strangers.add((kind, id_))
                if kind in self.by_kind:
                    self._doubts[kind] = "invalid_response"

    def settle(self, kind: str, matches: Sequence[Resource], reason: ErrorType | None) -> None:
        """The answer to a search for this kind alone: it says whether earlier doubts hold."""
        self._doubts.pop(kind, None)
        self.take(matches)
        if any(match["resourceType"] != kind for match in matches):
            reason = "invalid_response"
        if reason is not None:
            self._doubts[kind] = reason

    def miss(self, key: Key, reason: ErrorType) -> None:
        """Something referred to that could not be had."""
        self._missed[key] = reason

    def wanted(self) -> list[Key]:
        """What is referred to and neither here nor known to be missing."""
        return [key for key in self._referred() if key not in self._supporting and key not in self._missed]

    def record(self) -> Record:
        """Sorted by id, so that every server gives the same record of the same patient."""
        if self.patient is None:
            raise ValueError("a record needs its patient")
        resources = {kind: _by_id(found) for kind, found in self.by_kind.items() if found}
        for kind, id_ in self._referred():
            if (kind, id_) in self._supporting:
                resources[kind] = (*resources.get(kind, ()), self._supporting[kind, id_])
        return Record(self.patient, resources, tuple(self._gaps()), len(self._strangers))

    def _gaps(self) -> Iterator[Gap]:
        for kind in self._kinds:
            if kind in self._doubts:
                yield Gap(kind, self._doubts[kind])
        missed: dict[str, ErrorType] = {}
        for (kind, _), reason in sorted(self._missed.items()):
            missed.setdefault(kind, reason)
        if any(True for _ in self._nowhere()):
            missed.setdefault("Medication", "not_found")
        yield from (Gap(kind, reason) for kind, reason in sorted(missed.items()))

    def _referred(self) -> list[Key]:
        """What the patient's resources need to be understood: their drugs, and the kinds that were asked for."""
        others = SUPPORTING.intersection(self._kinds) - {"Medication"}
        keys: dict[Key, None] = {}
        waiting = [resource for found in self.by_kind.values() for resource in found.values()]
        while waiting:
            resource = waiting.pop()
            named = [*medications(resource), *(references(resource) if others else ())]
            for key in (local(reference, self._bases) for reference in named):
                if key is not None and key not in keys and (key[0] == "Medication" or key[0] in others):
                    keys[key] = None
                    if key in self._supporting:
                        waiting.append(self._supporting[key])
        return sorted(keys)

    def _nowhere(self) -> Iterator[str]:
        """Drugs named by a reference that leads off this server, or to nothing inside the resource."""
        for found in self.by_kind.values():
            for resource in found.values():
                contained = resource.get("contained")
                listed = contained if isinstance(contained, list) else []
                inside = [one.get("id") for one in listed if isinstance(one, dict)]
                for reference in medications(resource):
                    is_inside = reference.startswith("#") and reference[1:] in inside
                    if not is_inside and local(reference, self._bases) is None:
                        yield reference


def _by_id(found: dict[str, Resource]) -> tuple[Resource, ...]:
    return tuple(found[id_] for id_ in sorted(found))
