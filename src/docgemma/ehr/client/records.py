"""One patient's record, gathered so that what is vital is read first and what was not read is told."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from docgemma.ehr.client.address import typed
from docgemma.ehr.client.asking import Budget, Question
from docgemma.ehr.client.exchange import Exchange
from docgemma.ehr.client.gathering import Gathering, Key
from docgemma.ehr.client.ownership import Owner
from docgemma.ehr.client.pages import follow
from docgemma.ehr.client.reading import read_one
from docgemma.ehr.contract import VITAL, EhrError, Record, Resource

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
