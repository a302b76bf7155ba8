"""A store on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from docgemma.grounding.runs.store import GroundingStore, open_store
from tests.store.conftest import Clock, address, clock

__all__ = ["address", "clock"]


@pytest.fixture
async def store(address: str, clock: Clock) -> AsyncIterator[GroundingStore]:
    async with open_store(address, clock=clock) as opened:
        yield opened
