"""A home with the demonstration patients, or an empty one with two people in good health."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.safety.people import adults
from tests.safety.support import Desk, desk
from tests.support.charts import put_demo_charts


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    put_demo_charts(tmp_path)
    return tmp_path


@pytest.fixture
async def on(tmp_path: Path) -> AsyncIterator[Desk]:
    """The desk without a model, for Ann and Ben."""
    async with desk(tmp_path, people=adults()) as opened:
        yield opened
