"""Accounts on both databases, with a clock that only moves when it is told to."""

from __future__ import annotations

import pytest

from docgemma.accounts.users import Accounts
from docgemma.store.sessions import Store
from tests.accounts.support import cheap_accounts
from tests.store.conftest import Clock, address, clock, store

__all__ = ["address", "clock", "store"]


@pytest.fixture
def accounts(store: Store, clock: Clock) -> Accounts:
    return cheap_accounts(store.database, clock)
