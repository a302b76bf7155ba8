"""One writer a process: what all runs tell is stored in one go, and told only then.

A commit costs the same for one event and for a hundred, so the writer takes whatever came while it wrote the last.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docgemma.errors import DocGemmaError, Unavailable
from docgemma.store.events import Events, Write

log = logging.getLogger(__name__)

_TRIES = 3
_PAUSE_S = 0.5


@dataclass(frozen=True, slots=True)
class Told:
    """What a run wants to have stored, and whom to call when it is, or cannot be."""

    run_id: str
    writes: Sequence[Write]
    stored: Callable[[], None]
    lost: Callable[[DocGemmaError], None]


class Writer:
    def __init__(self, events: Events) -> None:
        self._events = events
        self._waiting: list[Told] = []
        self._more = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._write())

    def put(self, told: Told) -> None:
        """Never waits."""
        self._waiting.append(told)
        self._more.set()

    async def close(self) -> None:
        """Write what still waits, and end."""
        self._closing = True
        self._more.set()
        if self._task is not None:
            await self._task

    async def _write(self) -> None:
        while self._waiting or not self._closing:
            await self._more.wait()
            self._more.clear()
            batch, self._waiting = self._waiting, []
            if batch:
                await self._settle(batch)

    async def _settle(self, batch: Sequence[Told]) -> None:
        """One run that cannot be stored takes no other with it."""
        error = await self._stored([write for told in batch for write in told.writes])
        if error is None:
            for told in batch:
                told.stored()
            return
        lost: dict[str, DocGemmaError] = {}
        for told in batch:
            reason = lost.get(told.run_id) or await self._stored(told.writes, tries=1)
            if reason is None:
                told.stored()
            else:
                lost[told.run_id] = reason
                told.lost(reason)

    async def _stored(self, writes: Sequence[Write], tries: int = _TRIES) -> DocGemmaError | None:
        """None, or why not. A store that is away may be back in a moment."""
        while True:
            tries -= 1
            try:
                await self._events.write(writes)
            except DocGemmaError as error:
                log.warning("events of runs cannot be stored: %s", type(error).__name__)
                if not tries or not isinstance(error, Unavailable):
                    return error
                await asyncio.sleep(_PAUSE_S)
            else:
                return None
