"""The same people found through our client on the embedded server and on one of another maker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from docgemma.ehr.patients.resolve import by_id
from docgemma.ehr.patients.search import find
from tests.ehr.patients.people import FOUND, PEOPLE
from tests.support.fhir_servers import FhirServer, embedded, other_maker


@pytest.fixture(params=["embedded", "other maker"])
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FhirServer]:
    """A server with the people of the clinic on it."""
    theirs = request.param == "other maker"
    async with other_maker(request.getfixturevalue("fhir_peer")) if theirs else embedded(tmp_path) as running:
        await running.put(*PEOPLE)
        yield running


async def test_everybody_is_found_as_they_are_called(server: FhirServer) -> None:
    found = {asked: await find(server.client, asked) for asked, _ in FOUND}
    exact = {asked: sorted(m.person.id for m in search.matches if m.exact) for asked, search in found.items()}
    assert exact == dict(FOUND)
    assert all(search.complete for search in found.values())


async def test_birth_dates_and_record_numbers(server: FhirServer) -> None:
    twin = await find(server.client, "Maria Garcia", birth_date="1988-11-02")
    assert twin.only is not None
    assert twin.only.id == "mg2"
    decade = await find(server.client, "", birth_date="1988-11")
    assert [match.person.id for match in decade.matches] == ["mg2"]
    numbered = await by_id(server.client, "mrn-1002")
    assert numbered.only is not None
    assert numbered.only.id == "mg2"
    stored = await by_id(server.client, "MG2")
    assert stored.only is not None
    assert (await by_id(server.client, "mg")).matches == ()
