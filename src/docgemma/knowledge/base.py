"""The knowledge base as one thing: entries in the library, found through an index that is built from it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from docgemma.embed import Embedder
from docgemma.errors import Conflict, DocGemmaError, Unavailable
from docgemma.knowledge.contract import Topic
from docgemma.knowledge.demo.entries import demonstration
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.index.contract import Document, Index, Scope, Version
from docgemma.knowledge.ingesting import BadRows, Ingested, Told, checked, ingested, untold
from docgemma.knowledge.library.library import Imported, Library
from docgemma.knowledge.reading.contract import Problem, Row
from docgemma.knowledge.roles import Role
from docgemma.knowledge.search.found import Findings
from docgemma.knowledge.search.meaning import meaning_text
from docgemma.knowledge.search.searching import Searcher, document
from docgemma.knowledge.search.words import LAYOUT
from docgemma.knowledge.vectors import Vectors
from docgemma.store.opened import Opened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

SMALL = 5_000
"""Entries up to which an index that is behind is built when somebody asks: it takes a second or two."""

_BATCH = 1_000
_PATIENCE_S = 20.0
STALE = "The index of the knowledge base is behind its entries; what is new may not be found. Run `docgemma kb index`."
DEMONSTRATION = "demonstration"


@dataclass(frozen=True, slots=True)
class Info:
    """How the base stands."""

    entries: int
    by_role: Mapping[tuple[str, str], int]
    generation: int
    index: Version | None
    embedder: str
    demonstration: bool


class KnowledgeBase(Opened):
    """Opened on first use, by whichever question comes first: most runs of the program never ask it anything.

    A new base holds the demonstration entries. They leave as a whole when the first own knowledge comes in.
    """

    def __init__(
        self, library: Library, index: Index, *, vectors: Path, load: Callable[[], Embedder | None] = lambda: None
    ) -> None:
        self.library = library
        self._index = index
        self._vectors_file = vectors
        self._load = load
        self._ready = False
        self._making = asyncio.Lock()
        self._stale = False

    async def open(self) -> None:
        """Nothing yet: see `ready`."""

    async def close(self) -> None:
        await self.library.close()
        await self._index.close()
        if "_vectors" in self.__dict__ and self._vectors is not None:
            await self._vectors.close()

    async def search(self, question: str, scope: Scope, *, limit: int = 10) -> Findings:
        await self.ready()
        found = await self._searcher.search(question, scope, limit=limit)
        return Findings(found.found, found.by, (*found.notices, STALE)) if self._stale else found

    async def entries(self, ids: Sequence[str]) -> Mapping[str, Entry]:
        await self.ready()
        return await self.library.entries(ids)

    async def topics(self, role: str, language: Language) -> tuple[Topic, ...]:
        await self.ready()
        return await self.library.topics(role, language)

    async def roles(self) -> tuple[Role, ...]:
        await self.ready()
        return await self.library.roles()

    async def role(self, role: str) -> Role:
        await self.ready()
        return await self.library.role(role)

    async def ready(self) -> None:
        """Entries to answer from, and an index over them. Of several that come first, one does the work."""
        async with self._making:
            if self._ready:
                return
            await self.library.open()
            if await self.library.generation() == 0:
                await self._first_entries()
            await self._current_index()
            self._ready = True

    async def ingest(
        self,
        rows: Callable[[], Iterable[Row | Problem]],
        *,
        by: str,
        origin: str = "",
        skip_bad: bool = False,
        withdraw_missing: bool = False,
        dry_run: bool = False,
        on_progress: Told = untold,
    ) -> Ingested:
        """Take these in: all are read and checked before the first is stored, and everybody sees all of them at once.

        `rows` gives them from the beginning each time: they may be more than fit into memory.
        """
        await self.library.open()
        good, bad = await asyncio.to_thread(checked, rows(), on_progress)
        if bad and not skip_bad:
            raise BadRows(bad[0], bad[1])
        skipped = bad[1] if bad else 0
        if dry_run:
            return Ingested(rows=good, skipped=skipped)
        counts = await self._import(
            (row.entry for row in rows() if isinstance(row, Row)),
            by=by,
            origin=origin,
            total=good,
            withdraw_missing=withdraw_missing,
            replace_demonstration=True,
            on_progress=on_progress,
        )
        await self.reindex(on_progress, anew=False)
        return ingested(counts, good, skipped)

    async def load_demonstration(self, by: str, on_progress: Told = untold) -> Ingested:
        """The demonstration entries, as they ship."""
        await self.library.open()
        shipped = await asyncio.to_thread(demonstration)
        counts = await self._import(
            shipped,
            by=by,
            origin=DEMONSTRATION,
            total=len(shipped),
            replace_demonstration=True,
            on_progress=on_progress,
        )
        await self.reindex(on_progress, anew=False)
        return ingested(counts, len(shipped), 0)

    async def reindex(self, on_progress: Told = untold, *, anew: bool = True) -> Version:
        """Build the index from what the library holds now; unless `anew`, only where it is behind."""
        await self.library.open()
        counts = await self.library.counts()
        version = self._version(await self.library.generation(), sum(counts.values()))
        found = await self._index.version() if not anew else None
        if found is not None and _same(found, version):
            return found
        await self._index.build(version, self._documents(version, on_progress))
        self._stale = False
        return version

    async def info(self) -> Info:
        await self.ready()
        counts = await self.library.counts()
        shipped = [batch async for batch in _first(self.library.each_current(batch=1))]
        return Info(
            entries=sum(counts.values()),
            by_role=counts,
            generation=await self.library.generation(),
            index=await self._index.version(),
            embedder=self._embedder.name if self._embedder else "",
            demonstration=any(entry.demonstration for batch in shipped for entry in batch),
        )

    async def _first_entries(self) -> None:
        """Two programs that start together on a new machine: one stores, the other waits for it."""
        try:
            shipped = await asyncio.to_thread(demonstration)
            await self._import(shipped, by="docgemma", origin=DEMONSTRATION, total=len(shipped))
        except Conflict:
            await _until(self._has_entries)

    async def _has_entries(self) -> bool:
        return await self.library.generation() > 0

    async def _current_index(self) -> None:
        """An index of these entries, or the last one there is with a word that it is behind."""
        generation, counts = await self.library.generation(), await self.library.counts()
        wanted = self._version(generation, sum(counts.values()))
        found = await self._index.version()
        if found is not None and _same(found, wanted):
            return
        if found is None or wanted.entries <= SMALL:
            try:
                await self._index.build(wanted, self._documents(wanted, untold))
                return
            except Conflict:
                if found is None:
                    await _until(self._has_index)
            except Unavailable as error:
                if found is None:
                    raise
                log.warning("the knowledge index was not built: %s", type(error).__name__)
        now = await self._index.version()
        self._stale = now is None or now.generation != await self.library.generation()

    async def _has_index(self) -> bool:
        return await self._index.version() is not None

    async def _import(
        self,
        entries: Iterable[Entry],
        *,
        by: str,
        origin: str,
        total: int,
        withdraw_missing: bool = False,
        replace_demonstration: bool = False,
        on_progress: Told = untold,
    ) -> Imported:
        import_id = await self.library.begin_import(by=by, origin=origin)
        remaining, done = iter(entries), 0
        try:
            while batch := await asyncio.to_thread(lambda: list(islice(remaining, _BATCH))):
                await self.library.stage(import_id, batch)
                done += len(batch)
                on_progress("storing", done, total)
            return await self.library.finish_import(
                import_id, withdraw_missing=withdraw_missing, replace_demonstration=replace_demonstration
            )
        except BaseException:
            await asyncio.shield(self.library.abandon_import(import_id))
            raise

    async def _documents(self, version: Version, on_progress: Told) -> AsyncIterator[Sequence[Document]]:
        done, vectors = 0, self._vectors
        async for batch in self.library.each_current(batch=_BATCH, generation=version.generation):
            rows = await vectors.of([meaning_text(entry) for entry in batch]) if vectors else None
            yield await asyncio.to_thread(_as_documents, batch, rows)
            done += len(batch)
            on_progress("indexing", done, version.entries)

    def _version(self, generation: int, entries: int) -> Version:
        made_by = self._embedder
        if made_by is None:
            return Version(generation, "", 0, entries, LAYOUT)
        return Version(generation, made_by.name, made_by.dimensions, entries, LAYOUT)

    @cached_property
    def _embedder(self) -> Embedder | None:
        try:
            return self._load()
        except DocGemmaError as error:
            log.warning("Entries are found by words alone: %s", error)
            return None

    @cached_property
    def _vectors(self) -> Vectors | None:
        return Vectors(self._vectors_file, self._embedder) if self._embedder else None

    @cached_property
    def _searcher(self) -> Searcher:
        return Searcher(self._index, self._embedder, self.library.entries)


def _as_documents(batch: Sequence[Entry], rows: NDArray[np.float32] | None) -> Sequence[Document]:
    if rows is None:
        return [document(entry, None) for entry in batch]
    return [document(entry, row) for entry, row in zip(batch, rows.tolist(), strict=True)]


def _same(found: Version, wanted: Version) -> bool:
    kept = (found.generation, found.embedder, found.layout)
    return kept == (wanted.generation, wanted.embedder, wanted.layout)


async def _until(done: Callable[[], Awaitable[bool]]) -> None:
    """Wait for another process to do it."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + _PATIENCE_S
    while not await done():
        if loop.time() > ends_at:
            raise Conflict("The knowledge base is being set up by another process. Try again in a moment.")
        await asyncio.sleep(0.1)


async def _first(batches: AsyncIterator[tuple[Entry, ...]]) -> AsyncIterator[tuple[Entry, ...]]:
    async for batch in batches:
        yield batch
        return
