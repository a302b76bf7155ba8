"""The store under test, on both databases, with a clock that only moves when it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from docgemma.store.sessions import Store, open_store


class Clock:
    """Every look moves it by a millisecond, so that no two moments are the same."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty store can be opened, by as many processes as a test likes."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    url: str = request.getfixturevalue("postgres_schema")
    return url


@pytest.fixture
async def store(address: str, clock: Clock) -> AsyncIterator[Store]:
    async with open_store(address, clock=clock) as opened:
        yield opened
