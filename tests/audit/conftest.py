"""An audit log on both databases, and somebody who reads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

import pytest

from docgemma.audit.log import AuditLog
from docgemma.clinical import Purpose, acting
from docgemma.store.database import Value
from docgemma.store.sessions import Store
from tests.store.conftest import Clock, address, clock, store

__all__ = ["address", "clock", "store"]

Sql = Callable[..., Awaitable[int]]


@pytest.fixture
def log(store: Store, clock: Clock) -> AuditLog:
    return AuditLog(store.database, clock=clock)


@pytest.fixture
def sql(store: Store) -> Sql:
    """What somebody does to the tables who may write to the database."""

    async def execute(statement: str, *params: Value) -> int:
        return await store.database.run(lambda cursor: cursor.execute(statement, params))

    return execute


@pytest.fixture
def reader() -> Iterator[Purpose]:
    made = Purpose(who="dr.lee", why="turn", session_id="s1", turn_id="t1")
    with acting(made):
        yield made
