"""Many requests in one are as many accesses: a bundle is no way around whoever keeps account."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from docgemma.ehr.embedded.rest.access import Access
from docgemma.errors import Unavailable
from tests.support.fhir_rest import Rest, observation, patient, rest


@asynccontextmanager
async def accounted(folder: Path, heard: list[Access], *resources: dict[str, Any]) -> AsyncIterator[Rest]:
    """A server with these resources, and all that is told of accesses to it."""

    async def on_access(accesses: Sequence[Access]) -> None:
        heard.extend(accesses)

    async with rest(folder, on_access=on_access) as server:
        await server.store.put_many(resources)
        yield server


def bundle(type_: str) -> dict[str, Any]:
    """Reads one patient and their chart, and writes to another's."""
    asked: list[dict[str, Any]] = [
        {"request": {"method": "GET", "url": "Patient/p1"}},
        {"request": {"method": "GET", "url": "Patient/p1/$everything"}},
        {"request": {"method": "GET", "url": "Observation?patient=p1"}},
        {"request": {"method": "PUT", "url": "Observation/o2"}, "resource": observation("o2", of="p2")},
    ]
    return {"resourceType": "Bundle", "type": type_, "entry": asked}


@pytest.mark.parametrize("type_", ["batch", "transaction"])
async def test_every_request_of_a_bundle_is_heard_of(tmp_path: Path, type_: str) -> None:
    heard: list[Access] = []
    async with accounted(tmp_path, heard, patient("p1"), patient("p2"), observation("o1")) as server:
        reply = await server.post("", bundle(type_))
    assert [entry["response"]["status"] for entry in reply.json["entry"]] == ["200", "200", "200", "201"]
    told = [(one.stage, one.interaction, one.kind, one.id, one.patients, one.count) for one in heard]
    assert sorted(told) == [
        ("asked", "write", "Observation", "o2", (), 0),
        ("shown", "chart", "Patient", "p1", ("p1",), 2),
        ("shown", "read", "Patient", "p1", ("p1",), 1),
        ("shown", "search", "Observation", "", ("p1",), 1),
        ("shown", "write", "Observation", "o2", ("p2",), 1),
    ]
    assert [one.named for one in heard if one.stage == "asked"] == [("p2",)]


@pytest.mark.parametrize("type_", ["batch", "transaction"])
@pytest.mark.parametrize("stage", ["asked", "shown"])
async def test_what_is_refused_does_not_happen(tmp_path: Path, type_: str, stage: str) -> None:
    async def refuse(accesses: Sequence[Access]) -> None:
        if any(one.stage == stage for one in accesses):
            raise Unavailable("The audit log cannot be written.")

    async with rest(tmp_path, on_access=refuse) as server:
        await server.store.put_many([patient("p1"), patient("p2")])
        reply = await server.post("", bundle(type_))
        written = await server.store.read("Observation", "o2")
    assert "audit log cannot be written" in reply.text
    if stage == "asked":
        assert written is None
    else:
        assert "Okafor" not in reply.text


DOCTOR: dict[str, Any] = {"resourceType": "Practitioner", "id": "dr1", "name": [{"family": "Bello"}]}


@pytest.mark.parametrize("type_", [None, "batch", "transaction"])
async def test_a_write_is_about_the_patient_whose_entry_it_replaces_too(tmp_path: Path, type_: str | None) -> None:
    heard: list[Access] = []
    moved = observation("o1", of="p2")
    asked: list[dict[str, Any]] = [{"request": {"method": "PUT", "url": "Observation/o1"}, "resource": moved}]
    async with accounted(tmp_path, heard, patient("p1"), patient("p2"), observation("o1")) as server:
        if type_ is None:
            assert (await server.put("Observation/o1", moved)).status == 200
        else:
            await server.post("", {"resourceType": "Bundle", "type": type_, "entry": asked})
    assert [(one.stage, one.named, set(one.patients)) for one in heard] == [
        ("asked", ("p2",), {"p1"}),
        ("shown", (), {"p1", "p2"}),
    ]


async def test_a_delete_is_about_the_patient_whose_entry_it_was(tmp_path: Path) -> None:
    heard: list[Access] = []
    async with accounted(tmp_path, heard, patient("p1"), observation("o1")) as server:
        assert (await server.delete("Observation/o1")).status == 204
        assert (await server.delete("Observation/o1")).status == 204
    assert [(one.stage, one.interaction, one.patients, one.count) for one in heard] == [
        ("asked", "write", ("p1",), 0),
        ("shown", "write", ("p1",), 1),
        ("asked", "write", (), 0),
        ("shown", "read", (), 0),
    ]


@pytest.mark.parametrize(
    ("url", "interaction", "count"),
    [
        ("Practitioner", "search", 1),
        ("Practitioner/dr1", "read", 1),
        ("Practitioner?name=nobody", "search", 0),
        ("Observation?patient=p1&_summary=count", "search", 3),
        ("Observation/_history", "search", 3),
        ("Patient/p1/$everything", "chart", 4),
    ],
)
async def test_how_much_was_shown(tmp_path: Path, url: str, interaction: str, count: int) -> None:
    heard: list[Access] = []
    chart = [patient("p1"), *(observation(f"o{number}") for number in range(3))]
    async with accounted(tmp_path, heard, DOCTOR, *chart) as server:
        assert (await server.get(url)).status == 200
    assert [(one.stage, one.interaction, one.count) for one in heard] == [("shown", interaction, count)]


async def test_a_write_that_changes_nothing_has_only_read(tmp_path: Path) -> None:
    heard: list[Access] = []
    known = patient("p1", identifier=[{"system": "urn:test:mrn", "value": "1"}])
    async with accounted(tmp_path, heard, known) as server:
        made = await server.post("Patient", patient())
        again = await server.post("Patient", patient(), if_none_exist="identifier=urn:test:mrn|1")
        await server.put("Patient/p1", known)
    assert (made.status, again.status) == (201, 200)
    shown = [(one.interaction, one.id, one.patients) for one in heard if one.stage == "shown"]
    assert shown == [
        ("write", made.json["id"], (made.json["id"],)),
        ("read", "p1", ("p1",)),
        ("read", "p1", ("p1",)),
    ]
