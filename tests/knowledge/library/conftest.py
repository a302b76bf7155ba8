"""A library on both databases, with a clock that only moves when it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from docgemma.knowledge.library.library import Library, open_library
from docgemma.store.database import Value
from tests.store.conftest import Clock, address, clock

__all__ = ["address", "clock"]

Sql = Callable[..., Awaitable[int]]


@pytest.fixture
async def library(address: str, clock: Clock) -> AsyncIterator[Library]:
    async with open_library(address, clock=clock) as opened:
        yield opened


@pytest.fixture
def sql(library: Library) -> Sql:
    """What somebody does to the tables who may write to the database."""

    async def execute(statement: str, *params: Value) -> int:
        return await library._database.run(lambda cursor: cursor.execute(statement, params))

    return execute
