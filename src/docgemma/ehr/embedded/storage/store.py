"""The charts in one SQLite file: transactions for whoever does several things, and one call for each common thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import Narrow, Saved, Stored
from docgemma.ehr.embedded.searches import indexing
from docgemma.ehr.embedded.storage import schema
from docgemma.ehr.embedded.storage.unit import Counts, Entries, Unit
from docgemma.store.database import Cursor
from docgemma.store.opened import Opened
from docgemma.store.sqlite import SqliteDatabase

T = TypeVar("T")
Clock = Callable[[], datetime]

_CACHE_MIB = 32


class FhirStore(Opened):
    """Several processes may open the same file. What goes wrong with it is `Unavailable`, or `Damaged` (a FhirFault).

    `entries` makes the index; when `edition` says that it works otherwise than before, the index is made anew.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock = lambda: datetime.now(UTC),
        entries: Entries = indexing.entries,
        edition: int = indexing.EDITION,
        busy_seconds: float = 10.0,
    ) -> None:
        # Settled, because SQLite drops the rest of a side file in which a byte was damaged and says nothing: what is
        # in the main file already, under our seals, cannot be lost like that.
        self._database = SqliteDatabase(
            path,
            what="chart store",
            busy_seconds=busy_seconds,
            durable=True,
            settled=True,
            cache_mib=_CACHE_MIB,
        )
        self._clock = clock
        self._entries = entries
        self._edition = edition

    async def open(self) -> None:
        """Make the tables of a new file, or prove that a file has them."""
        if not await self._database.run(schema.is_ready, write=False):
            await self._database.run(self._create)
        if await self.run(lambda unit: unit.edition, write=False) != self._edition:
            await self.run(lambda unit: unit.reindex(self._edition))

    async def close(self) -> None:
        await self._database.close()

    async def run(self, work: Callable[[Unit], T], *, write: bool = True) -> T:
        """Do all of `work` in one transaction, or nothing of it when it raises. It runs in a thread.

        With `write=False` the unit sees one moment of the store and must not write.
        """

        def transaction(cursor: Cursor) -> T:
            unit = Unit(cursor, entries=self._entries, now=_instant(self._clock()), writable=write)
            result = work(unit)
            if write:
                unit.finish()
            return result

        return await self._database.run(transaction, write=write)

    async def read(self, kind: str, id_: str) -> Stored | None:
        """The newest version; None when there never was one, `deleted` when there is none any more."""
        return await self.run(lambda unit: unit.read(kind, id_), write=False)

    async def version(self, kind: str, id_: str, number: int) -> Stored | None:
        return await self.run(lambda unit: unit.version(kind, id_, number), write=False)

    async def history(self, kind: str, id_: str) -> list[Stored]:
        """Every version, newest first."""
        return await self.run(lambda unit: unit.history(kind, id_), write=False)

    async def find(self, kind: str, narrow: Sequence[Narrow]) -> list[str]:
        return await self.run(lambda unit: unit.find(kind, narrow), write=False)

    async def of_patient(self, patient: str, kinds: Sequence[str] | None = None) -> list[Stored]:
        """Everything live in a patient's chart: complete, or refused."""
        return await self.run(lambda unit: unit.of_patient(patient, kinds), write=False)

    async def counts(self) -> dict[str, int]:
        """How many live resources there are of each kind."""
        return await self.run(lambda unit: unit.counts(), write=False)

    async def create(self, resource: Resource) -> Saved:
        return await self.run(lambda unit: unit.create(resource))

    async def update(self, resource: Resource, *, if_match: int | None = None) -> Saved:
        return await self.run(lambda unit: unit.update(resource, if_match=if_match))

    async def delete(self, kind: str, id_: str, *, if_match: int | None = None) -> Stored | None:
        return await self.run(lambda unit: unit.delete(kind, id_, if_match=if_match))

    async def put_many(self, resources: Iterable[Resource]) -> Counts:
        """One transaction: all of them, or none."""
        return await self.run(lambda unit: unit.put_many(resources))

    def _create(self, cursor: Cursor) -> None:
        """Another process may have been quicker."""
        if not schema.is_ready(cursor):
            schema.create(cursor, self._edition)


def _instant(moment: datetime) -> str:
    """As FHIR writes it, always of one width, so that later times are greater text."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
