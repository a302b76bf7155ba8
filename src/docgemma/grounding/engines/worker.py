"""What stands in a worker, wherever it is: the services, opened once, and a loop of its own to use them in.

The services are opened and closed in one task that lives as long as the worker: what they hold open (an MCP session,
for one) may only be closed by the task that opened it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Self

from docgemma.grounding.engines.batches import safely
from docgemma.grounding.engines.contract import Batch, Done, Ground, Opener

_CLOSING_S = 10.0


class Worker:
    """Waits until the services are open, and raises what kept them from opening."""

    def __init__(self, opener: Opener, settings: Mapping[str, Any]) -> None:
        self._ready: Future[tuple[asyncio.AbstractEventLoop, Ground, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=self._live, args=(opener, dict(settings)), daemon=True)
        self._thread.start()
        self._loop, self._ground, self._over = self._ready.result()

    def work(self, batch: Batch) -> Done:
        """One batch, from any thread."""
        return asyncio.run_coroutine_threadsafe(safely(self._ground, batch), self._loop).result()

    def close(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join(_CLOSING_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _live(self, opener: Opener, settings: Mapping[str, Any]) -> None:
        async def life() -> None:
            over = asyncio.Event()
            async with opener(settings) as ground:
                self._ready.set_result((asyncio.get_running_loop(), ground, over))
                await over.wait()

        try:
            asyncio.run(life())
        except BaseException as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)
