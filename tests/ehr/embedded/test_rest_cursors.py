"""A link to a page that this server did not give out is refused: an empty page would read as the end of the list."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from tests.support.fhir_rest import Rest, observation, patient, rest

FORGED = ["p1 or 1=1", "p1\0", "é", "../p1", "a" * 201, "p1/1/1/1", "\udcff"]
SEARCHES = [
    "Observation?patient=p1",
    "Observation?_sort=-date",
    "Observation?code:text=potassium",
    "Observation/_history",
    "Patient/p1/$everything",
]


@pytest.mark.parametrize("said", FORGED)
@pytest.mark.parametrize("search", SEARCHES)
async def test_a_forged_cursor(tmp_path: Path, search: str, said: str) -> None:
    cursor = urlsafe_b64encode(said.encode("utf-8", "surrogateescape")).decode().rstrip("=")
    async with rest(tmp_path) as server:
        await server.store.put_many([patient("p1"), observation("o1")])
        reply = await server.get(f"{search}{'&' if '?' in search else '?'}_cursor={cursor}")
    assert (reply.status, reply.json["resourceType"]) == (400, "OperationOutcome")


async def test_an_empty_cursor_does_not_begin_from_the_start(server: Rest) -> None:
    await server.put("Patient/p1", patient("p1"))
    for url in ("Patient?_cursor=", "Patient?_sort=birthdate&_cursor=", "Patient/_history?_cursor="):
        assert (await server.get(url)).status == 400
