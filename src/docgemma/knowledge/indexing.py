"""The index that the entries are found through: what it should be, what it is, and building it from the library."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from docgemma.embed import Embedder
from docgemma.errors import Conflict, DocGemmaError
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.index.contract import Document, Index, Scope, Version
from docgemma.knowledge.ingesting import Told, untold
from docgemma.knowledge.library.library import Library
from docgemma.knowledge.search.meaning import UNDERSTOOD, meaning_text
from docgemma.knowledge.search.searching import Searcher, document
from docgemma.knowledge.search.words import LAYOUT
from docgemma.knowledge.vectors import TOGETHER, Vectors
from docgemma.store.snapshot import Damaged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

_BATCH = 1_000
_CHANGES = 5
"""Times that entries may change under a build before it gives up."""
_POLL_S = 0.1
_ANY = Scope(("nurse",), "en")


@dataclass(slots=True)
class _Given:
    """How many entries a build was given, and whether those were all."""

    entries: int = 0
    all: bool = False


class Indexing:
    """Nothing is loaded before it is needed: the embedder is the largest thing in memory."""

    def __init__(
        self, library: Library, index: Index, *, vectors: Path, load: Callable[[], Embedder | None] = lambda: None
    ) -> None:
        self._library = library
        self._index = index
        self._vectors_file = vectors
        self._load = load

    async def close(self) -> None:
        await self._index.close()
        if "_vectors" in self.__dict__ and self._vectors is not None:
            await self._vectors.close()

    async def embedder(self) -> Embedder | None:
        """Loading it takes most of a second: others go on meanwhile."""
        if "_embedder" in self.__dict__:
            return self._embedder
        return await asyncio.to_thread(lambda: self._embedder)

    async def version(self) -> Version | None:
        """What is answered from now. What is damaged is as good as not there."""
        try:
            return await self._index.version()
        except Damaged:
            return None

    async def serves(self, found: Version, generation: int) -> bool:
        """Whether this index finds all that there is to find. One with meanings also serves who has no embedder."""
        if (found.generation, found.layout) != (generation, LAYOUT):
            return False
        own = await self.embedder()
        return own is None or found.embedder == own.name

    async def searcher(self, found: Version | None) -> Searcher:
        """Vectors of two embedders do not compare: of an index made by another one only the words are asked."""
        own = await self.embedder()
        same = own is not None and found is not None and found.embedder == own.name
        return Searcher(self._index, own if same else None, self._library.entries)

    async def build(self, on_progress: Told = untold, *, anew: bool = True, patience_s: float = 0.0) -> Version:
        """Index what the library holds now; unless `anew`, only where the index is behind.

        Entries that change meanwhile are read again. While another process builds, its end is awaited this long.
        """
        loop = asyncio.get_running_loop()
        ends_at, changes, damaged = loop.time() + patience_s, 0, 0
        while True:
            wanted = await self._wanted(damaged)
            found = None if anew else await self.version()
            if found is not None and await self.serves(found, wanted.generation):
                return found
            given = _Given()
            try:
                await self._index.build(wanted, self._documents(wanted, given, on_progress))
                return wanted
            except Conflict:
                changed = await self._library.generation() != wanted.generation
                left_out = wanted.entries + damaged - given.entries if given.all and not changed else damaged
                if left_out != damaged:
                    damaged = left_out
                    log.warning("%d entries of the knowledge base are damaged and not in its index", damaged)
                elif changed and changes < _CHANGES:
                    changes += 1
                elif loop.time() >= ends_at:
                    raise
                else:
                    await asyncio.sleep(_POLL_S)

    async def prepare(self, entries: Iterable[Entry], total: int, on_progress: Told) -> None:
        """Work out the meanings of entries that are to come: it takes an hour where the index takes a minute.

        Done before they are current, it is no time in which they cannot be found. They wait in the cache.
        """
        await self.embedder()
        remaining, done = iter(entries), 0
        while self._vectors is not None and self._vectors.usable:
            batch = await asyncio.to_thread(lambda: list(islice(remaining, TOGETHER)))
            if not batch:
                return
            await self._meanings(batch)
            done += len(batch)
            on_progress("embedding", done, total)

    async def entries(self) -> int:
        return sum((await self._library.counts()).values())

    async def sound(self) -> bool:
        """Whether there is an index that can be opened and asked."""
        version = await self.version()
        if version is None:
            return False
        try:
            await self._index.search({0: 1.0}, None, _ANY, limit=1)
        except Damaged:
            return False
        return True

    async def _wanted(self, damaged: int) -> Version:
        """The generation first: a change between the two is noticed when the entries are read."""
        generation = await self._library.generation()
        entries = await self.entries() - damaged
        own = await self.embedder()
        if own is None:
            return Version(generation, "", 0, entries, LAYOUT)
        return Version(generation, own.name, own.dimensions, entries, LAYOUT)

    async def _documents(self, version: Version, given: _Given, on_progress: Told) -> AsyncIterator[Sequence[Document]]:
        async for batch in self._library.each_current(batch=_BATCH, generation=version.generation):
            rows = await self._meanings(batch)
            yield await asyncio.to_thread(_as_documents, batch, rows)
            given.entries += len(batch)
            on_progress("indexing", given.entries, version.entries)
        given.all = True

    async def _meanings(self, batch: Sequence[Entry]) -> NDArray[np.float32] | None:
        """One row for each entry that the embedder understands."""
        vectors = self._vectors
        texts = [meaning_text(entry) for entry in batch if entry.language in UNDERSTOOD]
        return await vectors.of(texts) if vectors is not None and texts else None

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


def _as_documents(batch: Sequence[Entry], rows: NDArray[np.float32] | None) -> Sequence[Document]:
    if rows is None:
        return [document(entry, None) for entry in batch]
    remaining = iter(rows.tolist())
    return [document(entry, next(remaining) if entry.language in UNDERSTOOD else None) for entry in batch]
