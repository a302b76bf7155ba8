"""Places for work that only so many may do at once, in whichever thread and event loop of this process.

An asyncio.Semaphore belongs to one event loop; a command line, a server and a test may each run another.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Places:
    """Whoever waits longest is next."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._lock = threading.Lock()
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        await self._take()
        try:
            yield
        finally:
            self._give()

    async def _take(self) -> None:
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._free:
                self._free -= 1
                return
            mine = (loop, loop.create_future())
            self._waiting.append(mine)
        try:
            await mine[1]
        except asyncio.CancelledError:
            with self._lock:
                waits = mine in self._waiting
                if waits:
                    self._waiting.remove(mine)
            if not waits:  # the place was handed over while this one went away
                self._give()
            raise

    def _give(self) -> None:
        """To the next in line, directly: nobody who comes later can be faster."""
        with self._lock:
            while self._waiting:
                loop, turn = self._waiting.popleft()
                try:
                    loop.call_soon_threadsafe(_wake, turn)
                except RuntimeError:  # its event loop is gone, and whoever waited there
                    continue
                return
            self._free += 1


def _wake(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)
