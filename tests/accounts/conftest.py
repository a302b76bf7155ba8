"""Accounts in a real store, with a clock that only moves when it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from docgemma.accounts.users import Accounts
from docgemma.store.sessions import Store, open_store
from tests.accounts.support import cheap_accounts
from tests.store.conftest import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(tmp_path: Path, clock: Clock) -> AsyncIterator[Store]:
    async with open_store(str(tmp_path / "store.db"), clock=clock) as opened:
        yield opened


@pytest.fixture
def accounts(store: Store, clock: Clock) -> Accounts:
    return cheap_accounts(store.database, clock)
