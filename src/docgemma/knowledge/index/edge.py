"""The index on this machine: Qdrant's engine on a folder of versions, for any number of processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TypeVar

from docgemma.errors import Unavailable
from docgemma.knowledge.index.contract import Document, Ranked, Scope, Version, Words
from docgemma.knowledge.index.layout import EXACT_UP_TO, MOST_HITS
from docgemma.knowledge.index.shard import Reading, Writing
from docgemma.knowledge.index.versions import SHARD, Versions

T = TypeVar("T")

_TRIES = 5
"""A version that vanishes while it is being opened was replaced; nobody replaces five within one search."""


class EdgeIndex:
    """Searches run on one thread, a build on another, so that one process answers while it builds."""

    def __init__(self, folder: Path, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._versions = Versions(folder)
        self._exact_up_to = exact_up_to
        self._worker: ThreadPoolExecutor | None = None
        self._open: tuple[str, Reading] | None = None

    async def version(self) -> Version | None:
        return await self._run(lambda: self._answered(self._version))

    async def search(self, words: Words, meaning: Sequence[float] | None, scope: Scope, *, limit: int) -> Ranked:
        most = min(limit, MOST_HITS)
        if most < 1 or not scope.roles or not (words or meaning is not None):
            return Ranked()
        found = await self._run(
            lambda: self._answered(lambda name: self._reading(name).search(words, meaning, scope, most))
        )
        return found or Ranked()

    async def build(self, version: Version, documents: AsyncIterator[Sequence[Document]]) -> None:
        """All on one thread: a build that is cancelled tidies up after its last step has ended, not during it."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="docgemma-index") as builder:
            held = ExitStack()
            try:
                site = await loop.run_in_executor(builder, held.enter_context, self._versions.building(version))
                writing = await loop.run_in_executor(builder, self._begun, held, site / SHARD, version)
                async for batch in documents:
                    await loop.run_in_executor(builder, writing.add, batch)
                await loop.run_in_executor(builder, writing.finish)
                await loop.run_in_executor(builder, self._versions.publish, site, version)
            finally:
                await loop.run_in_executor(builder, held.close)

    async def close(self) -> None:
        if self._worker is not None:
            await self._run(self._drop)
            await asyncio.to_thread(self._worker.shutdown)
            self._worker = None

    async def _run(self, work: Callable[[], T]) -> T:
        if self._worker is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="docgemma-index")
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def _answered(self, ask: Callable[[str], T]) -> T | None:
        """Ask the current version. What fails because it was replaced meanwhile is asked of the new one."""
        for attempt in range(1, _TRIES + 1):
            name = self._versions.current()
            if name is None:
                return None
            try:
                return ask(name)
            except Unavailable:
                self._drop()
                if attempt == _TRIES or self._versions.current() == name:
                    raise
        return None

    def _version(self, name: str) -> Version:
        if self._open is not None and self._open[0] == name:
            return self._open[1].version
        return self._versions.manifest(name).version

    def _reading(self, name: str) -> Reading:
        if self._open is None or self._open[0] != name:
            self._drop()
            folder, manifest = self._versions.checked(name)
            self._open = (name, Reading.opened(folder, manifest.version))
        return self._open[1]

    def _drop(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            with suppress(Unavailable):  # it is not needed any more, whatever is the matter with it
                opened[1].close()

    def _begun(self, held: ExitStack, folder: Path, version: Version) -> Writing:
        writing = Writing(folder, version, exact_up_to=self._exact_up_to)
        held.callback(_closed, writing)
        return writing


def _closed(writing: Writing) -> None:
    """Closing what is closed, or what failed half-way, may fail: the folder goes away in any case."""
    with suppress(Unavailable):
        writing.close()
