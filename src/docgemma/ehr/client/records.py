"""One patient's record, gathered so that what is vital is read first and what was not read is told."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence

from docgemma.clinical import ErrorType
from docgemma.ehr.client.address import typed
from docgemma.ehr.client.asking import Budget, Question
from docgemma.ehr.client.exchange import Exchange, read_one
from docgemma.ehr.client.ownership import SUPPORTING, Owner, local, medications, references
from docgemma.ehr.client.searching import follow
from docgemma.ehr.contract import VITAL, EhrError, Gap, Record, Resource

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


_AT_ONCE = 6
_MOST_PER_KIND = 50_000
_EVERYTHING_SHARE = 0.6
"""How much of the time and bytes `$everything` may use: the rest stays for reading allergies on their own."""

_MOST_REFERRED = 200
"""A prescription names a drug, a drug its ingredients, and so on: this many are fetched, and the rest is a gap."""


class RecordReader:
    """Reads one patient once."""

    def __init__(self, exchange: Exchange, patient_id: str, kinds: Sequence[str], *, page_size: int) -> None:
        self._exchange = exchange
        self._patient_id = patient_id
        asked = tuple(dict.fromkeys(typed(kind) for kind in kinds if kind != "Patient"))
        bases = exchange.bases
        self._gathered = Gathering(Owner(patient_id, bases), asked, bases)
        self._count = ("_count", str(page_size))
        self._at_once = asyncio.Semaphore(_AT_ONCE)

    async def read(self, budget: Budget, *, everything: bool) -> Record | None:
        """None when there is no such patient. A patient who cannot be read is an error; a kind is a gap."""
        kinds = self._gathered.by_kind
        # For a few kinds it is less to ask for each than to leave out most of everything.
        worth_it = everything and len(kinds) > len(VITAL)
        if not worth_it or not await self._everything(budget.part(_EVERYTHING_SHARE)):
            return await self._by_kind(budget)
        if self._gathered.patient is None:
            self._gathered.patient = await self._patient(budget)
        if self._gathered.patient is None:
            return None
        # An allergy list that came back empty is asked for by itself: some servers leave out of `$everything`,
        # without a word, what the client may not read. And strangers may be there by right, as when a mother
        # reported her child's allergy: a search by patient tells.
        empty = {kind for kind in VITAL if kind in kinds and not kinds[kind]}
        await self._search(empty | self._gathered.doubtful, budget)
        return await self._whole(budget)

    async def _by_kind(self, budget: Budget) -> Record | None:
        kinds = set(self._gathered.by_kind)
        vital = asyncio.create_task(self._search(kinds.intersection(VITAL), budget))
        try:
            self._gathered.patient = await self._patient(budget)
            if self._gathered.patient is None:
                return None
            await vital
        finally:
            vital.cancel()
        await self._search(kinds.difference(VITAL), budget)
        return await self._whole(budget)

    async def _everything(self, budget: Budget) -> bool:
        """Whether it gave anything. If it stopped midway, every kind is in doubt."""
        url = self._exchange.base.asking(f"Patient/{self._patient_id}/$everything", [self._count])
        try:
            found = await follow(self._exchange, Question(url), budget, most=_MOST_PER_KIND, total="all")
        except EhrError:
            return False
        self._gathered.take([*found.matches, *found.included])
        if found.reason is not None:
            self._gathered.doubt(self._gathered.by_kind, found.reason)
        return True

    async def _search(self, kinds: Collection[str], budget: Budget) -> None:
        """Each kind on its own; what is vital is done before the rest may use up time and bytes."""
        vital = [kind for kind in VITAL if kind in kinds]
        rest = [kind for kind in self._gathered.by_kind if kind in kinds and kind not in VITAL]
        for some in (vital, rest):
            await asyncio.gather(*(self._kind(kind, budget) for kind in some))

    async def _kind(self, kind: str, budget: Budget) -> None:
        url = self._exchange.base.asking(kind, [("patient", f"Patient/{self._patient_id}"), self._count])
        try:
            async with self._at_once:
                found = await follow(self._exchange, Question(url), budget, most=_MOST_PER_KIND)
        except EhrError as error:
            self._gathered.doubt([kind], error.error_type)
        else:
            self._gathered.settle(kind, found.matches, found.reason)

    async def _patient(self, budget: Budget) -> Resource | None:
        return await read_one(self._exchange, "Patient", self._patient_id, budget)

    async def _whole(self, budget: Budget) -> Record:
        """With what the patient's resources refer to: a prescription may name its drug only there."""
        left = _MOST_REFERRED
        while wanted := self._gathered.wanted():
            for key in wanted[left:]:
                self._gathered.miss(key, "invalid_response")
            await asyncio.gather(*(self._referred(key, budget) for key in wanted[:left]))
            left = max(0, left - len(wanted))
        return self._gathered.record()

    async def _referred(self, key: Key, budget: Budget) -> None:
        try:
            async with self._at_once:
                resource = await read_one(self._exchange, *key, budget)
        except EhrError as error:
            self._gathered.miss(key, error.error_type)
            return
        if resource is None:
            self._gathered.miss(key, "not_found")
        else:
            self._gathered.take([resource])
