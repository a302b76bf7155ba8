"""A built pack of records: opened on the first question; one that cannot be read says so at every question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import Paper
from docgemma.sources.pack.asking import asked
from docgemma.sources.pack.documents import database
from docgemma.sources.pack.documents.content import unpacked
from docgemma.sources.pack.documents.proof import Proof
from docgemma.sources.pack.manifest import Place
from docgemma.sources.pack.rows import damage, described
from docgemma.sources.trials.contract import Study
from docgemma.store.snapshot import Damaged, Handle, Snapshot, needs_full_text

T = TypeVar("T")
R = TypeVar("R", Paper, Study)


class DocumentPack:
    """The index and the records behind it. Nothing is said before the index is proved to be the one that was built."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._index = Snapshot(place.index, what=f"index of the pack {place.name}")
        self._records = Snapshot(place.database, what=f"database of the pack {place.name}")
        self._proof = Proof(place)
        self._joined = False

    @property
    def name(self) -> str:
        return self._place.source

    @property
    def data_date(self) -> str:
        return self._place.date

    async def find(self, look: Callable[[Handle], T], *, ends_at: float) -> T:
        """What the index says."""
        try:
            async with asked(self.name, ends_at):
                return await self._index.run(lambda handle: self._proved(handle, look))
        except SourceError as error:
            if error.error_type == "timeout" and not self._proof.is_done:
                raise SourceError(
                    "timeout", f"The {self.name} is still being checked. Ask again in a moment."
                ) from None
            raise

    async def read(self, numbers: Sequence[int], into: type[R], *, ends_at: float) -> tuple[R, ...]:
        """These records, in this order."""
        async with asked(self.name, ends_at):
            return await self._records.run(lambda handle: self._read(handle, numbers, into))

    async def close(self) -> None:
        self._proof.stop()
        await self._index.close()
        await self._records.close()
        self._proof.close()
        self._joined = False

    def _proved(self, handle: Handle, look: Callable[[Handle], T]) -> T:
        if not self._proof.is_done:
            needs_full_text()
        self._proof.check(handle)
        return look(handle)

    def _read(self, handle: Handle, numbers: Sequence[int], into: type[R]) -> tuple[R, ...]:
        if not self._joined and described(handle) != self._proof.said:
            raise Damaged("The databases of the pack do not belong together.")
        self._joined = True
        try:
            return tuple(unpacked(database.body(handle, number), into) for number in numbers)
        except ValueError:
            raise damage() from None
