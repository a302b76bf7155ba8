"""Many requests in one are as many accesses: a bundle is no way around whoever keeps account."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docgemma.ehr.embedded.rest.app import Access
from docgemma.errors import Unavailable
from tests.support.fhir_rest import observation, patient, rest

Heard = tuple[str, str, str, tuple[str, ...]]


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
    heard: list[Heard] = []

    async def on_access(access: Access) -> None:
        heard.append((access.stage, access.kind, access.id, access.patients))

    async with rest(tmp_path, on_access=on_access) as server:
        await server.store.put_many([patient("p1"), patient("p2"), observation("o1")])
        reply = await server.post("", bundle(type_))
    assert [entry["response"]["status"] for entry in reply.json["entry"]] == ["200", "200", "200", "201"]
    assert sorted(heard) == [
        ("asked", "Observation", "o2", ("p2",)),
        ("shown", "Observation", "", ("p1",)),
        ("shown", "Observation", "o2", ("p2",)),
        ("shown", "Patient", "p1", ("p1",)),
        ("shown", "Patient", "p1", ("p1",)),
    ]


@pytest.mark.parametrize("type_", ["batch", "transaction"])
@pytest.mark.parametrize("stage", ["asked", "shown"])
async def test_what_is_refused_does_not_happen(tmp_path: Path, type_: str, stage: str) -> None:
    async def refuse(access: Access) -> None:
        if access.stage == stage:
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
