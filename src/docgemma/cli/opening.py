"""How a command opens what it works on, for as long as its work takes. What is slow to import waits until then."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from docgemma.cli.options import settings_of

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

    from docgemma.config import Settings
    from docgemma.knowledge.base import KnowledgeBase
    from docgemma.store.sessions import Store
    from docgemma.terminology.contract import Terminology
    from docgemma.wiring.app import App

S = TypeVar("S")
T = TypeVar("T")


def within(
    opened: Callable[[Settings], AbstractAsyncContextManager[S]], work: Callable[[S], Awaitable[T]], settings: Settings
) -> T:
    """Open it, run the work in it and close it."""

    async def run() -> T:
        async with opened(settings) as found:
            return await work(found)

    return asyncio.run(run())


def needs(
    opened: Callable[[Settings], AbstractAsyncContextManager[S]],
) -> Callable[[Callable[..., Awaitable[T]]], Callable[..., T]]:
    """Makes a command of a coroutine that takes what was opened; options that are settings go to the opening."""

    def decorate(command: Callable[..., Awaitable[T]]) -> Callable[..., T]:
        @functools.wraps(command)
        def run(**given: Any) -> T:
            settings = settings_of(given)
            return within(opened, lambda found: command(found, **given), settings)

        return run

    return decorate


def app(settings: Settings) -> AbstractAsyncContextManager[App]:
    from docgemma.wiring.app import open_app

    return open_app(settings)


def knowledge(settings: Settings) -> AbstractAsyncContextManager[KnowledgeBase]:
    from docgemma.wiring.knowledge import open_knowledge

    return open_knowledge(settings)


def store(settings: Settings) -> AbstractAsyncContextManager[Store]:
    from docgemma.store.sessions import open_store

    return open_store(settings.store_address)


def terminology(settings: Settings) -> AbstractAsyncContextManager[Terminology]:
    from docgemma.wiring.terminology import open_terminology

    return open_terminology(settings)


class Bridge:
    """An open application, called from the thread that has the terminal.

    So a prompt may block while connections stay alive, and Ctrl-C reaches exactly one of the two: the prompt, or the
    answer being made.
    """

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
    from anyio.from_thread import start_blocking_portal

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(app(settings)) as opened:
        yield Bridge(opened, portal)
