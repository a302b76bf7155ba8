"""The application for a program that waits for a person: one thread for its event loop, one for the prompt.

So a prompt may block while connections stay alive, and Ctrl-C reaches exactly one of the two: the prompt, or the
answer being made.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

if TYPE_CHECKING:
    from docgemma.config import Settings
    from docgemma.wiring.app import App

T = TypeVar("T")


class Bridge:
    """An open application, called from the thread that has the terminal."""

    def __init__(self, app: App, portal: BlockingPortal) -> None:
        self.app = app
        self._portal = portal

    def wait(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run it to its end. Ctrl-C cancels it, waits until it has let go of everything, and is raised again."""
        ended = threading.Event()

        async def run() -> T:
            try:
                return await work()
            finally:
                ended.set()

        future = self._portal.start_task_soon(run)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            ended.wait()
            raise


@contextmanager
def open_bridge(settings: Settings) -> Iterator[Bridge]:
    """The application, opened and closed in one and the same task."""
    from docgemma.wiring.app import open_app

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(open_app(settings)) as app:
        yield Bridge(app, portal)
