"""The services that a command works on: settings read, opened for as long as the work takes. Imported when opened."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from docgemma.cli.options import person, settings_of
from docgemma.errors import Unavailable

if TYPE_CHECKING:
    from docgemma.accounts.users import Accounts
    from docgemma.audit.log import AuditLog
    from docgemma.config import Settings
    from docgemma.grounding.review.desk import Desk
    from docgemma.grounding.runs.store import GroundingStore
    from docgemma.knowledge.base import KnowledgeBase
    from docgemma.knowledge.library.library import Library
    from docgemma.store.sessions import Store
    from docgemma.terminology.contract import Terminology
    from docgemma.wiring.app import App

S = TypeVar("S")
T = TypeVar("T")


def within(
    opens: Callable[[Settings], AbstractAsyncContextManager[S]],
    work: Callable[[S], Awaitable[T]],
    settings: Settings | None = None,
) -> T:
    """Open the service, run the work with it and close it. The settings are those of this machine unless given."""
    import asyncio

    chosen = settings or settings_of({})

    async def run() -> T:
        async with opens(chosen) as service:
            return await work(service)

    return asyncio.run(run())


def needs(
    opens: Callable[[Settings], AbstractAsyncContextManager[S]],
) -> Callable[[Callable[..., Awaitable[T]]], Callable[..., T]]:
    """Makes a command of a coroutine that takes the service first; options that are settings go to the opening."""

    def decorate(command: Callable[..., Awaitable[T]]) -> Callable[..., T]:
        @functools.wraps(command)
        def run(**given: Any) -> T:
            settings = settings_of(given)
            return within(opens, lambda service: command(service, **given), settings)

        return run

    return decorate


def app(settings: Settings) -> AbstractAsyncContextManager[App]:
    from docgemma.wiring.app import open_app

    return open_app(settings)


def knowledge(settings: Settings) -> AbstractAsyncContextManager[KnowledgeBase]:
    from docgemma.wiring.knowledge import open_knowledge

    return open_knowledge(settings)


@asynccontextmanager
async def library(settings: Settings) -> AsyncIterator[Library]:
    """The entries and roles, filled for the first time if need be. An index that is out of order keeps none of them
    from being looked at, written out or withdrawn."""
    async with knowledge(settings) as base:
        try:
            await base.ready()
        except Unavailable:
            await base.library.open()
        yield base.library


def terminology(settings: Settings) -> AbstractAsyncContextManager[Terminology]:
    from docgemma.wiring.terminology import open_terminology

    return open_terminology(settings)


def store(settings: Settings) -> AbstractAsyncContextManager[Store]:
    from docgemma.store.sessions import open_store

    return open_store(settings.store_address)


def grounding_store(settings: Settings) -> AbstractAsyncContextManager[GroundingStore]:
    from docgemma.grounding.runs.store import open_store

    return open_store(settings.grounding_address)


@asynccontextmanager
async def accounts(settings: Settings) -> AsyncIterator[Accounts]:
    from docgemma.accounts.users import Accounts

    async with store(settings) as opened:
        yield Accounts(opened.database)


@asynccontextmanager
async def audit_log(settings: Settings) -> AsyncIterator[AuditLog]:
    from docgemma.audit.log import AuditLog

    async with store(settings) as opened:
        yield AuditLog(opened.database)


@asynccontextmanager
async def review_desk(settings: Settings) -> AsyncIterator[Desk]:
    from docgemma.grounding.review.desk import Desk

    async with grounding_store(settings) as opened:
        yield Desk(opened.database, who=person())
