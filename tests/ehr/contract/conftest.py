"""Every test of this folder runs on every server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.fhir_servers import FhirServer, embedded, embedded_over_http, other_maker


@pytest.fixture(params=["embedded", "embedded over HTTP", "other maker"])
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FhirServer]:
    """An empty server."""
    if request.param == "other maker":
        opened = other_maker(request.getfixturevalue("fhir_peer"))
    else:
        opened = {"embedded": embedded, "embedded over HTTP": embedded_over_http}[request.param](tmp_path)
    async with opened as running:
        yield running
