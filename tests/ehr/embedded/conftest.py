"""A server for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.fhir_rest import Rest, rest


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Rest]:
    async with rest(tmp_path) as opened:
        yield opened
