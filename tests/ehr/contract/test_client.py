"""One client for every server: the same patient gives the same record."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from docgemma.ehr import fhir_json
from docgemma.ehr.client.auth import BearerToken, ClientSecret, PrivateKey
from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.contract import CHART, EhrError, Record
from docgemma.fetch.door import Door
from tests.ehr.contract.exceptions import expected
from tests.ehr.contract.test_servers import ANN, MARTA, MRN, PAUL, allergy, person
from tests.support.fhir_peer import FhirPeer
from tests.support.fhir_servers import FhirServer
from tests.support.synthea import bundles, needs_synthea

Json = dict[str, Any]


def charts(count: int) -> list[list[Json]]:
    """Patients of the sample data, with the ids that their own names for each other become."""
    smallest = sorted(bundles(), key=lambda bundle: len(bundle["entry"]))[:count]
    return [_settled(bundle) for bundle in smallest]


def _settled(bundle: Json) -> list[Json]:
    ids = {entry["fullUrl"]: entry["fullUrl"].removeprefix("urn:uuid:") for entry in bundle["entry"]}
    text = fhir_json.dumps([{**entry["resource"], "id": ids[entry["fullUrl"]]} for entry in bundle["entry"]])
    for entry in bundle["entry"]:
        urn = entry["fullUrl"]
        text = text.replace(f'"{urn}"', f'"{entry["resource"]["resourceType"]}/{ids[urn]}"')
    return list(fhir_json.loads(text))


async def load(server: FhirServer, resources: list[Json]) -> None:
    entries = [
        {"resource": one, "request": {"method": "PUT", "url": f"{one['resourceType']}/{one['id']}"}}
        for one in resources
    ]
    reply = await server.send("POST", "", {"resourceType": "Bundle", "type": "transaction", "entry": entries})
    assert reply.status_code == 200, reply.text[:500]


def plain(resource: Json) -> Any:
    """Without what each server says about its own copy; numbers as numbers."""
    return json.loads(json.dumps({k: v for k, v in resource.items() if k != "meta"}, default=float))


def contents(record: Record) -> dict[str, list[Any]]:
    return {kind: [plain(one) for one in found] for kind, found in record.resources.items()}


@needs_synthea
async def test_the_same_patient_gives_the_same_record(server: FhirServer) -> None:
    hers, others = charts(2)
    await load(server, others)
    await load(server, hers)
    patient_id = next(one["id"] for one in hers if one["resourceType"] == "Patient")
    record = await server.client.record(patient_id)
    assert record is not None
    assert (record.gaps, record.strangers) == ((), 0)
    wanted = {
        kind: sorted((one for one in hers if one["resourceType"] == kind), key=lambda one: one["id"]) for kind in CHART
    }
    assert contents(record) == {kind: [plain(one) for one in found] for kind, found in wanted.items() if found}
    assert plain(record.patient) == plain(next(one for one in hers if one["resourceType"] == "Patient"))


async def test_numbers_are_as_they_were_recorded(server: FhirServer) -> None:
    weight = {
        "resourceType": "Observation",
        "id": "w",
        "status": "final",
        "code": {"text": "body weight"},
        "subject": {"reference": "Patient/ann"},
        "valueQuantity": {"value": Decimal("70.50"), "unit": "kg"},
    }
    await server.put(ANN, weight)
    found = await server.client.read("Observation", "w")
    assert found is not None and found["valueQuantity"]["value"] == Decimal("70.50")
    assert (str(found["valueQuantity"]["value"]) == "70.50") == expected("digits", server, True)


async def test_reads_what_is_there_and_none_of_what_is_not(server: FhirServer) -> None:
    await server.put(ANN, PAUL)
    await server.send("DELETE", "Patient/paul")
    found = await server.client.read("Patient", "ann")
    assert found is not None and plain(found) == ANN
    for id_ in ("paul", "nobody", "ANN", "../Patient/ann"):
        assert await server.client.read("Patient", id_) is None
        assert await server.client.record(id_) is None


FOUND: list[tuple[list[tuple[str, str]], list[str]]] = [
    ([("name", "Leeson")], ["ann", "paul"]),
    ([("family", "Leeson"), ("given", "Paul")], ["paul"]),
    ([("birthdate", "1970-01-15")], ["marta"]),
    ([("birthdate", "ge1970-01-01"), ("birthdate", "le1970-01-31")], ["marta"]),
    ([("identifier", f"{MRN}|7003")], ["paul"]),
    ([("name", "Leeson"), ("birthdate", "1980-03-04")], ["ann"]),
    ([("name", "%_' OR 1=1 --")], []),
]


async def test_finds_patients(server: FhirServer) -> None:
    await server.put(ANN, MARTA, PAUL)
    for params, ids in FOUND:
        hits = await server.client.search("Patient", params)
        assert (sorted(one["id"] for one in hits.resources), hits.complete) == (ids, True), params


async def test_reads_all_pages_or_says_that_there_is_more(server: FhirServer) -> None:
    await server.put(*(person(f"p{number:02}", "Many", "One", "1990-01-01") for number in range(25)))
    hits = await server.client.search("Patient", [("name", "Many"), ("_count", "10"), ("_total", "accurate")])
    has_pages = expected("paging links", server, True)
    assert (len(hits.resources), hits.complete) == ((25, True) if has_pages else (10, False))
    assert (await server.client.search("Patient", [("name", "Many")])).complete
    assert not (await server.client.search("Patient", [("name", "Many")], most=24)).complete


async def test_a_parameter_that_a_server_does_not_know_is_no_empty_answer_of_ours(server: FhirServer) -> None:
    await server.put(ANN)
    if expected("unknown parameter", server, 400) == 200:
        assert (await server.client.search("Patient", [("favourite-colour", "red")])).resources == ()
        return
    with pytest.raises(EhrError) as failure:
        await server.client.search("Patient", [("favourite-colour", "red")])
    assert failure.value.error_type == "invalid_args"


async def test_a_drug_that_a_prescription_refers_to_is_in_the_record(server: FhirServer) -> None:
    drug = {"resourceType": "Medication", "id": "warf", "code": {"text": "warfarin 5 mg"}}
    order = {
        "resourceType": "MedicationRequest",
        "id": "o",
        "status": "active",
        "intent": "order",
        "subject": {"reference": "Patient/ann"},
        "medicationReference": {"reference": "Medication/warf"},
    }
    await server.put(ANN, drug, order, allergy(id="a1"))
    record = await server.client.record("ann")
    assert record is not None and record.gaps == ()
    assert [one["code"]["text"] for one in record.of("Medication")] == ["warfarin 5 mg"]
    assert [one["id"] for one in record.of("AllergyIntolerance")] == ["a1"]


async def test_knows_what_names_the_server_finds(server: FhirServer) -> None:
    assert await server.client.folds_names() == expected("folds names", server, True)


async def test_signs_in_each_way_that_the_other_maker_offers(fhir_peer: FhirPeer) -> None:
    keys = [PrivateKey(fhir_peer.client_id, pem, fhir_peer.key_id) for pem in fhir_peer.keys.values()]
    async with Door() as door:
        for auth in (ClientSecret(fhir_peer.client_id, fhir_peer.client_secret), *keys):
            client = FhirClient(door, fhir_peer.url, auth=auth)
            assert await client.read("Patient", "nobody") is None
            fhir_peer.revoke_tokens()
            assert await client.read("Patient", "nobody") is None
        for auth in (None, BearerToken("made-up"), ClientSecret(fhir_peer.client_id, "wrong")):
            with pytest.raises(EhrError) as failure:
                await FhirClient(door, fhir_peer.url, auth=auth).read("Patient", "nobody")
            assert failure.value.error_type == "not_configured"
