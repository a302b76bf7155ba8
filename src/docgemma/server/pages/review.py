"""The room in which experts look at what grounding could not settle: its store, and the terminology they search."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress

from docgemma.config import Settings
from docgemma.errors import DocGemmaError, Unavailable
from docgemma.grounding.review.desk import Desk
from docgemma.grounding.runs.store import GroundingStore, open_store
from docgemma.store.opened import Opened
from docgemma.terminology.contract import Terminology
from docgemma.wiring.terminology import index_file, open_terminology

OpenTerms = Callable[[Settings], AbstractAsyncContextManager[Terminology]]

PREPARING = "The terminology is being prepared; this takes about half a minute, once. Try again in a moment."
_COMPILE = (
    "import sys; from pathlib import Path; from docgemma.wiring.terminology import compile_once; "
    "compile_once(Path(sys.argv[1]), lambda *_: None)"
)


class Preparing(Unavailable):
    """Not there yet, but on its way."""


class ReviewRoom(Opened):
    """The store is opened with the server, the terminology when somebody first searches: most servers never do.

    A store that is out of order keeps nobody from asking questions: only the review says so, and tries again.
    """

    def __init__(self, settings: Settings, *, terms: OpenTerms = open_terminology) -> None:
        self.settings = settings
        self._terms = terms
        self._store: GroundingStore | None = None
        self._opening = asyncio.Lock()
        self._closing = asyncio.Event()
        self._holder: asyncio.Task[None] | None = None
        self._terminology: asyncio.Future[Terminology] | None = None

    async def open(self) -> None:
        with suppress(DocGemmaError):
            await self._opened()

    async def close(self) -> None:
        self._closing.set()
        if self._holder is not None:
            if self._terminology is not None and not self._terminology.done():
                self._holder.cancel()
            await asyncio.gather(self._holder, return_exceptions=True)
        if self._store is not None:
            await self._store.close()

    async def desk(self, who: str) -> Desk:
        """The desk of this person. Unavailable where the store cannot be read."""
        return Desk((await self._opened()).database, who=who)

    async def terminology(self, *, patience_s: float = 0.0) -> Terminology:
        """What concepts are searched in. Preparing when it is not there after this long."""
        if self._terminology is None or (self._terminology.done() and self._terminology.exception() is not None):
            self._terminology = asyncio.get_running_loop().create_future()
            self._holder = asyncio.create_task(self._hold(self._terminology))
        await asyncio.wait([self._terminology], timeout=max(patience_s, 0.05))
        if not self._terminology.done():
            raise Preparing(PREPARING)
        return self._terminology.result()

    async def _opened(self) -> GroundingStore:
        async with self._opening:
            if self._store is None:
                store = open_store(self.settings.grounding_address)
                try:
                    await store.open()
                except BaseException:
                    await store.close()
                    raise
                self._store = store
            return self._store

    async def _hold(self, ready: asyncio.Future[Terminology]) -> None:
        """One task opens it and closes it: what it holds open belongs to that task."""
        try:
            await self._compiled()
            async with self._terms(self.settings) as terminology:
                ready.set_result(terminology)
                await self._closing.wait()
        except Exception as error:  # noqa: BLE001 - handed to whoever waits for it
            if not ready.done():
                ready.set_exception(error)

    async def _compiled(self) -> None:
        """The shipped terms, compiled once on a machine: in a process of its own, so that answers go on meanwhile.

        Where that process fails, opening the terminology tries again and says why.
        """
        if self._terms is not open_terminology or self.settings.terms_index is not None:
            return
        with index_file(self.settings) as path:
            if path.is_file() or path.parent != self.settings.terms_folder:
                return
            made = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                _COMPILE,
                str(path),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
            )
            try:
                await made.wait()
            finally:
                with suppress(ProcessLookupError):
                    made.kill()
