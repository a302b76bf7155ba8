"""A server and a store for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from docgemma.ehr.embedded.storage.store import FhirStore
from tests.support.fhir_rest import Rest, rest


class Clock:
    """Every transaction a second later."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Rest]:
    async with rest(tmp_path) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "charts" / "charts.sqlite"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[FhirStore]:
    async with FhirStore(path, clock=Clock()) as opened:
        yield opened
