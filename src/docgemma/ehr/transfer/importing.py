"""Files into the embedded store. One file is one transaction; importing it again changes nothing.

A resource that breaks R4 is refused with its place and reason, and the rest of its file is taken; `strict` refuses
the file. An id that already belongs to another patient's entry is never overwritten: two record systems that both
count from 1 must not lose an allergy to each other.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.embedded.storage.unit import Counts
from docgemma.ehr.transfer.files import Source, Unreadable, groups, sources
from docgemma.ehr.transfer.filing import Filing, Missing


@dataclass(frozen=True, slots=True)
class Step:
    """How far the import has come: resources gone through, and bytes of all files."""

    resources: int
    done: int
    total: int


Progress = Callable[[Step], None]
"""Called from another thread, after every group of resources."""

Wrote = Callable[[Collection[str], int], Awaitable[None]]
"""Told after each file that changed something: the patients whose charts it changed, and how many entries."""


@dataclass(frozen=True, slots=True)
class Refused:
    """What was not taken. An empty place is the whole file."""

    file: str
    place: str
    reason: str


@dataclass(slots=True)
class Report:
    """What an import did. `dangling` references lead to nothing here; `orphans` belong to no patient of the store."""

    files: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    patients: int = 0
    dangling: int = 0
    orphans: int = 0
    refused: list[Refused] = field(default_factory=list)


class _Stopped(Exception):
    """Interrupted: the file's transaction is given up."""


class _Waits(Exception):
    """The file refers to something by its identifier that no file has brought yet."""


class _NotWhole(Exception):
    """A strict import does not take part of a file."""

    def __init__(self, filing: Filing) -> None:
        super().__init__()
        self.filing = filing


async def _unheard(_: Collection[str], __: int) -> None:
    """Nobody keeps account."""


async def import_files(
    store: FhirStore,
    paths: Sequence[Path],
    progress: Progress = lambda _: None,
    *,
    strict: bool = False,
    wrote: Wrote = _unheard,
) -> Report:
    """Everything in these files and folders. Raises BadInput for what is no file to import at all."""
    found = await asyncio.to_thread(sources, paths)
    return await _Import(store, progress, wrote, sum(source.size for source in found), strict=strict).run(found)


class _Import:
    def __init__(self, store: FhirStore, progress: Progress, wrote: Wrote, total: int, *, strict: bool) -> None:
        self._store, self._progress, self._wrote = store, progress, wrote
        self._total, self._strict = total, strict
        self._report = Report()
        self._missing = Missing()
        self._patients: set[str] = set()
        self._stopped = threading.Event()
        self._resources = self._bytes = 0

    async def run(self, found: Sequence[Source]) -> Report:
        later = [source for source in found if not await self._file(source, wait=True)]
        for source in later:
            await self._file(source, wait=False)
        self._missing = await self._store.run(self._missing.without_found, write=False)
        self._report.dangling, self._report.orphans = self._missing.dangling, self._missing.orphans
        self._report.patients = len(self._patients)
        return self._report

    async def _file(self, source: Source, *, wait: bool) -> bool:
        """Whether the file is done; one that waits for another has left nothing behind."""
        try:
            filing, missing = await self._store.run(lambda unit: self._fill(Filing(unit), source, wait=wait))
        except asyncio.CancelledError:
            self._stopped.set()
            raise
        except _Waits:
            return False
        except Unreadable as error:
            self._report.refused.append(Refused(source.name, "", str(error)))
        except _NotWhole as error:
            self._refuse(source, error.filing)
            self._report.refused.append(Refused(source.name, "", "Nothing of it was imported, because of the above."))
        else:
            self._refuse(source, filing)
            self._count(filing.counts)
            self._patients |= filing.patients
            self._missing += missing
            self._resources += filing.seen
            if changed := filing.counts.created + filing.counts.updated:
                await self._wrote(filing.touched, changed)
        self._bytes += source.size
        return True

    def _fill(self, filing: Filing, source: Source, *, wait: bool) -> tuple[Filing, Missing]:
        def tell(bytes_read: int) -> None:
            self._progress(Step(self._resources + filing.seen, self._bytes + bytes_read, self._total))

        for group in groups(source, tell):
            filing.take(group)
            if wait and filing.unresolved:
                raise _Waits
            if self._stopped.is_set():
                raise _Stopped
        missing = filing.finish()
        if self._strict and filing.refused:
            raise _NotWhole(filing)
        tell(source.size)
        return filing, missing

    def _refuse(self, source: Source, filing: Filing) -> None:
        self._report.refused += (Refused(source.name, each.place, each.reason) for each in filing.refused)

    def _count(self, counts: Counts) -> None:
        self._report.files += 1
        self._report.created += counts.created
        self._report.updated += counts.updated
        self._report.unchanged += counts.unchanged
