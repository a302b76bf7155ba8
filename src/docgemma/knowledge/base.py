"""The knowledge base as one thing: entries in the library, found through an index that is built from it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from docgemma.embed import Embedder
from docgemma.errors import Conflict, Unavailable
from docgemma.knowledge.contract import Topic
from docgemma.knowledge.demo.entries import demonstration
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.index.contract import Index, Scope, Version
from docgemma.knowledge.indexing import Indexing
from docgemma.knowledge.ingesting import BadRows, Ingested, Told, checking, ingested, untold
from docgemma.knowledge.library.library import Imported, Library
from docgemma.knowledge.reading.contract import Problem, Row
from docgemma.knowledge.roles import Role
from docgemma.knowledge.search.found import Findings
from docgemma.store.opened import Opened
from docgemma.store.snapshot import Damaged

log = logging.getLogger(__name__)

SMALL = 5_000
"""Entries up to which an index that is behind is built when somebody asks: it takes a second or two."""
GRACE_S = 10.0
"""Whoever changed the entries builds their index. A process that runs on does so only when this long nobody did."""

_BATCH = 1_000
_PATIENCE_S, _LONG_S = 20.0, 900.0
STALE = (
    "The index of the knowledge base is behind its entries or this program; what is new may not be found. "
    "Run `docgemma kb index`."
)
NO_INDEX = (
    "The knowledge base has no index that can be searched, so nothing can be found in it. Wait where an ingest is "
    "still running, else run `docgemma kb index`."
)
DEMONSTRATION = "demonstration"


@dataclass(frozen=True, slots=True)
class Info:
    """How the base stands. `index` is None where there is none that can be searched."""

    entries: int
    by_role: Mapping[tuple[str, str], int]
    generation: int
    index: Version | None
    embedder: str
    demonstration: bool


class KnowledgeBase(Opened):
    """Opened on first use, by whichever question comes first: most runs of the program never ask it anything.

    A new base holds the demonstration entries. They leave as a whole when the first own knowledge comes in. Other
    processes may change entries and index at any time: both are looked at with every question.
    """

    def __init__(
        self,
        library: Library,
        index: Index,
        *,
        vectors: Path,
        load: Callable[[], Embedder | None] = lambda: None,
        small: int = SMALL,
        grace_s: float = GRACE_S,
    ) -> None:
        self.library = library
        self._indexing = Indexing(library, index, vectors=vectors, load=load)
        self._folder = vectors.parent
        self._small, self._grace_s = small, grace_s
        self._filling, self._making = asyncio.Lock(), asyncio.Lock()
        self._is_filled = False
        self._seen: Version | None = None  # the index as it was last looked at
        self._settled = -1  # the generation that it is known to serve
        self._behind_at: float | None = None  # when it was seen to serve no more, or last tried to be built
        self._looked = False
        self._mendings = 0

    async def open(self) -> None:
        """Nothing yet: see `ready`."""

    async def close(self) -> None:
        await self.library.close()
        await self._indexing.close()

    async def search(self, question: str, scope: Scope, *, limit: int = 10) -> Findings:
        await self.ready()
        mendings = self._mendings
        try:
            found = await self._asked(question, scope, limit)
            gone = not found.found and await self._indexing.version() is None
        except Damaged:
            gone = True
        if gone:
            await self._mended(mendings)
            found = await self._asked(question, scope, limit)
        stale = self._settled != await self.library.generation()
        return Findings(found.found, found.by, (*found.notices, STALE)) if stale else found

    async def entries(self, ids: Sequence[str]) -> Mapping[str, Entry]:
        await self._filled()
        return await self.library.entries(ids)

    async def topics(self, role: str, language: Language) -> tuple[Topic, ...]:
        await self._filled()
        return await self.library.topics(role, language)

    async def roles(self) -> tuple[Role, ...]:
        await self._filled()
        return await self.library.roles()

    async def role(self, role: str) -> Role:
        await self._filled()
        return await self.library.role(role)

    async def ready(self) -> None:
        """Entries to answer from, and an index over them. Of several that come first, one does the work."""
        await self._filled()
        if self._seen is not None and self._making.locked():
            return  # somebody is building: the index before answers meanwhile
        async with self._making:
            await self._follow()

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

        They may be more than fit into memory.
        """
        await self.library.open()
        with checking(self._folder, keep=not dry_run) as found:
            await asyncio.to_thread(lambda: found.read(rows(), on_progress))
            if found.bad and not skip_bad:
                raise BadRows(found.problems, found.bad)
            if dry_run:
                return Ingested(rows=found.good, skipped=found.bad)
            await self._indexing.prepare(found.entries(), found.good, on_progress)
            counts = await self._import(
                found.entries(),
                by=by,
                origin=origin,
                total=found.good,
                withdraw_missing=withdraw_missing,
                replace_demonstration=True,
                on_progress=on_progress,
            )
        await self.reindex(on_progress, anew=False)
        return ingested(counts, found.good, found.bad)

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
        """Build the index from what the library holds now; unless `anew`, only where it is behind.

        A process that just answers a question may be building it already: an ingest waits for that one's end.
        """
        await self.library.open()
        async with self._making:
            version = await self._indexing.build(on_progress, anew=anew, patience_s=0.0 if anew else _LONG_S)
            self._settle(version)
        return version

    async def info(self) -> Info:
        with suppress(Unavailable):  # an index that is out of order is told as none
            await self.ready()
        counts = await self.library.counts()
        embedder = await self._indexing.embedder()
        return Info(
            entries=sum(counts.values()),
            by_role=counts,
            generation=await self.library.generation(),
            index=await self._indexing.version(),
            embedder=embedder.name if embedder else "",
            demonstration=await self._has_demonstration(),
        )

    async def _asked(self, question: str, scope: Scope, limit: int) -> Findings:
        searcher = await self._indexing.searcher(self._seen)
        return await searcher.search(question, scope, limit=limit)

    async def _filled(self) -> None:
        async with self._filling:
            if self._is_filled:
                return
            await self.library.open()
            if await self.library.generation() == 0:
                await _until(self._first_entries)
            self._is_filled = True

    async def _first_entries(self) -> bool:
        """Two programs that start together on a new machine: one stores, the other waits or takes its place."""
        shipped = await asyncio.to_thread(demonstration)
        with suppress(Conflict):
            await self._import(shipped, by="docgemma", origin=DEMONSTRATION, total=len(shipped), only_first=True)
        return await self.library.generation() > 0

    async def _follow(self) -> None:
        """Look whether the index still serves the entries. Where it does not, a small base gets a new one."""
        generation = await self.library.generation()
        if generation == self._settled:
            return
        self._seen = await self._indexing.version()
        if self._seen is not None and await self._indexing.serves(self._seen, generation):
            self._settle(self._seen)
            return
        now = asyncio.get_running_loop().time()
        opening, self._looked = not self._looked, True
        self._behind_at = now if self._behind_at is None else self._behind_at
        if opening or self._seen is None or now - self._behind_at >= self._grace_s:
            self._behind_at = now
            if await self._indexing.entries() <= self._small:
                await self._caught_up()

    async def _caught_up(self) -> None:
        """Build, or answer from the last index there is with a word that it is behind."""
        before = self._seen
        try:
            self._settle(await self._indexing.build(anew=False))
        except Conflict:
            if before is None:
                await _until(self._indexing.sound)
                self._seen = await self._indexing.version()
        except Unavailable as error:
            if before is None:
                raise
            log.warning("the knowledge index was not built: %s", type(error).__name__)

    async def _mended(self, mendings: int) -> None:
        """An index that is gone or damaged, and that was seen to be so after this many were mended."""
        async with self._making:
            if self._mendings != mendings:
                return
            if await self._indexing.entries() > self._small:
                raise Unavailable(NO_INDEX)
            try:
                self._settle(await self._indexing.build())
            except Conflict:
                await _until(self._indexing.sound)
            self._mendings += 1

    def _settle(self, version: Version) -> None:
        self._seen, self._settled, self._behind_at, self._looked = version, version.generation, None, True

    async def _has_demonstration(self) -> bool:
        """Beside own entries too: they are looked for by the names under which they ship."""
        shipped = await asyncio.to_thread(demonstration)
        found = list((await self.library.entries([entry.id for entry in shipped])).values())
        async for batch in self.library.each_current(batch=1):
            found += batch
            break
        return any(entry.demonstration for entry in found)

    async def _import(
        self,
        entries: Iterable[Entry],
        *,
        by: str,
        origin: str,
        total: int,
        withdraw_missing: bool = False,
        replace_demonstration: bool = False,
        only_first: bool = False,
        on_progress: Told = untold,
    ) -> Imported:
        """`only_first`: Conflict where others brought entries in since this process last looked."""
        import_id = await self.library.begin_import(by=by, origin=origin)
        remaining, done = iter(entries), 0
        try:
            if only_first and await self.library.generation() > 0:
                raise Conflict("The knowledge base was filled by another process meanwhile.")
            while batch := await asyncio.to_thread(lambda: list(islice(remaining, _BATCH))):
                await self.library.stage(import_id, batch)
                done += len(batch)
                on_progress("storing", done, total)
            return await self.library.finish_import(
                import_id, withdraw_missing=withdraw_missing, replace_demonstration=replace_demonstration
            )
        except BaseException:
            with suppress(Unavailable):  # what went wrong first is what is told
                await asyncio.shield(self.library.abandon_import(import_id))
            raise


async def _until(done: Callable[[], Awaitable[bool]]) -> None:
    """Wait for another process to do it."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + _PATIENCE_S
    while not await done():
        if loop.time() > ends_at:
            raise Conflict("The knowledge base is being set up by another process. Try again in a moment.")
        await asyncio.sleep(0.1)
