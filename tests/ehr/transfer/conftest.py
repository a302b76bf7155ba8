from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from docgemma.ehr.embedded.storage.store import FhirStore


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[FhirStore]:
    async with FhirStore(tmp_path / "store" / "charts.sqlite") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "given"
    made.mkdir()
    return made
