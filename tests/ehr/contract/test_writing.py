"""Entries that happen once: written by our client, and the same on every server."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

import pytest

from docgemma.ehr.contract import Change, OutcomeUnknown, Placed, Refused, Writer
from tests.ehr.contract.exceptions import expected
from tests.ehr.contract.test_servers import ANN, allergy
from tests.support.fhir_servers import FhirServer, at_once

SYSTEM = "urn:docgemma:test-order"
Json = dict[str, Any]


def order(value: str, **more: Any) -> Json:
    return {
        "resourceType": "MedicationRequest",
        "identifier": [{"system": SYSTEM, "value": value}],
        "status": "active",
        "intent": "order",
        "medicationCodeableConcept": {"text": "levothyroxine"},
        "subject": {"reference": "Patient/ann"},
        "dosageInstruction": [{"doseAndRate": [{"doseQuantity": {"value": Decimal("12.50"), "unit": "ug"}}]}],
        **more,
    }


def provenance(target: str, code: str) -> Change:
    resource = {
        "resourceType": "Provenance",
        "meta": {"tag": [{"system": SYSTEM, "code": code}]},
        "target": [{"reference": target}],
        "recorded": "2026-01-02T03:04:05Z",
        "agent": [{"who": {"display": "a test"}}],
    }
    return Change(resource, if_none_exist=f"_tag={SYSTEM}|{code}")


def entering(value: str = "op-1", **more: Any) -> tuple[Change, Change]:
    """A new entry and who answers for it."""
    urn = f"urn:uuid:{uuid.uuid4()}"
    once = f"identifier={SYSTEM}|{value}"
    return Change(order(value, **more), urn, if_none_exist=once), provenance(urn, value)


def replacing(found: Json, version: str, code: str = "op-1-undone") -> tuple[Change, Change]:
    """The entry marked as a mistake, and who answers for that."""
    mistaken = {**found, "status": "entered-in-error"}
    return Change(mistaken, if_match=version), provenance(f"MedicationRequest/{found['id']}", code)


async def provenances(server: FhirServer, code: str) -> list[Json]:
    reply = await server.send("GET", f"Provenance?_tag={SYSTEM}|{code}")
    return [entry["resource"] for entry in reply.json().get("entry", ())]


async def found_one(server: FhirServer, value: str = "op-1") -> Json:
    (found,) = await server.client.identified("MedicationRequest", SYSTEM, value)
    return found


async def test_what_is_written_can_be_found_and_is_as_it_was_sent(server: FhirServer) -> None:
    writer: Writer = server.client
    await server.put(ANN)
    assert await writer.identified("MedicationRequest", SYSTEM, "op-1") == ()
    entry, signed = await writer.transact(entering())
    assert (entry.kind, entry.created, signed.kind, signed.created) == ("MedicationRequest", True, "Provenance", True)
    found = await found_one(server)
    assert (found["id"], found["meta"]["versionId"]) == (entry.id, entry.version)
    assert await writer.read("MedicationRequest", entry.id) == found
    dose = found["dosageInstruction"][0]["doseAndRate"][0]["doseQuantity"]["value"]
    assert dose == Decimal("12.5") and (str(dose) == "12.50") == expected("digits", server, True)
    (proof,) = await provenances(server, "op-1")
    assert [one["reference"] for one in proof["target"]] == [f"MedicationRequest/{entry.id}"]


async def test_the_same_entry_again_writes_nothing_and_says_where_it_is(server: FhirServer) -> None:
    await server.put(ANN)
    first = await server.client.transact(entering())
    again = await server.client.transact(entering())
    assert again == tuple(Placed(one.kind, one.id, one.version, created=False) for one in first)
    assert len(await provenances(server, "op-1")) == 1
    assert (await found_one(server))["meta"]["versionId"] == first[0].version


async def test_of_twelve_at_once_one_writes(server: FhirServer) -> None:
    await server.put(ANN)
    answers = await at_once(*(server.client.transact(entering()) for _ in range(12)))
    found = await found_one(server)
    assert {entry.id for entry, _ in answers} == {found["id"]}
    assert sorted(entry.created for entry, _ in answers) == [False] * 11 + [True]
    (proof,) = await provenances(server, "op-1")
    assert proof["target"][0]["reference"] == f"MedicationRequest/{found['id']}"


async def test_an_entry_that_is_there_twice_is_a_question_for_a_person(server: FhirServer) -> None:
    await server.put(ANN, order("op-1", id="a"), order("op-1", id="b"))
    with pytest.raises((Refused, OutcomeUnknown)) as failure:
        await server.client.transact(entering())
    assert isinstance(failure.value, Refused) == expected("all or nothing", server, True)
    with pytest.raises(Refused) as again:
        await server.client.transact(entering())
    assert again.value.status == 412
    twice = await server.client.identified("MedicationRequest", SYSTEM, "op-1")
    assert sorted(one["id"] for one in twice) == ["a", "b"]


async def test_a_replacement_needs_the_version_that_was_seen(server: FhirServer) -> None:
    await server.put(ANN)
    entry, _ = await server.client.transact(entering())
    found = await found_one(server)
    replaced, signed = await server.client.transact(replacing(found, entry.version))
    assert (replaced.id, replaced.created, signed.created) == (entry.id, False, True)
    now = await found_one(server)
    assert (now["status"], now["meta"]["versionId"]) == ("entered-in-error", replaced.version)
    assert replaced.version != entry.version
    with pytest.raises(Refused) as failure:
        await server.client.transact(replacing({**found, "status": "active"}, entry.version))
    assert failure.value.status == 412
    assert await found_one(server) == now
    assert len(await provenances(server, "op-1-undone")) == 1


async def test_a_stale_replacement_takes_its_proof_with_it(server: FhirServer) -> None:
    await server.put(ANN)
    entry, _ = await server.client.transact(entering())
    found = await found_one(server)
    await server.put({**found, "note": [{"text": "changed by somebody else"}]})
    with pytest.raises((Refused, OutcomeUnknown)) as failure:
        await server.client.transact(replacing(found, f'W/"{entry.version}"'))
    assert isinstance(failure.value, Refused) == expected("all or nothing", server, True)
    assert (len(await provenances(server, "op-1-undone")) == 0) == expected("all or nothing", server, True)
    assert (await found_one(server))["status"] == "active"


async def test_what_is_no_valid_entry_is_refused_and_leaves_nothing(server: FhirServer) -> None:
    await server.put(ANN)
    urn = f"urn:uuid:{uuid.uuid4()}"
    bare = allergy(identifier=[{"system": SYSTEM, "value": "op-2"}])
    del bare["clinicalStatus"]
    change = Change(bare, urn, if_none_exist=f"identifier={SYSTEM}|op-2")
    if not expected("checks conditional creates", server, True):
        return
    with pytest.raises(Refused) as failure:
        await server.client.transact((change, provenance(urn, "op-2")))
    assert failure.value.status == 400 and "penicillin" not in str(failure.value)
    assert await server.client.identified("AllergyIntolerance", SYSTEM, "op-2") == ()
    assert await provenances(server, "op-2") == []


async def test_an_entry_is_found_by_its_whole_identifier_only(server: FhirServer) -> None:
    await server.put(ANN)
    await server.client.transact(entering())
    for system, value in ((SYSTEM, "op"), (SYSTEM, "op-11"), ("urn:docgemma:test", "op-1")):
        assert await server.client.identified("MedicationRequest", system, value) == ()
    assert await server.client.identified("DocumentReference", SYSTEM, "op-1") == ()
