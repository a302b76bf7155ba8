"""What the client and the orders rely on, by raw HTTP: the same on every server, but for declared exceptions."""

from __future__ import annotations

import uuid
from typing import Any

from tests.ehr.contract.exceptions import expected
from tests.support.fhir_servers import FhirServer, at_once

MRN = "urn:docgemma:test-mrn"
CLINICAL = "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical"

Json = dict[str, Any]


def person(id_: str, family: str, given: str, born: str, mrn: str | None = None) -> Json:
    numbers = {"identifier": [{"system": MRN, "value": mrn}]} if mrn else {}
    return {
        "resourceType": "Patient",
        "id": id_,
        "name": [{"family": family, "given": [given]}],
        "birthDate": born,
        **numbers,
    }


ANN = person("ann", "Leeson", "Ann", "1980-03-04", "7001")
MARTA = person("marta", "Szabó", "Márta", "1970-01-15", "7002")
PAUL = person("paul", "Leeson", "Paul", "1970-02-01", "7003")


def allergy(**more: Any) -> Json:
    return {
        "resourceType": "AllergyIntolerance",
        "patient": {"reference": "Patient/ann"},
        "code": {"text": "penicillin"},
        "clinicalStatus": {"coding": [{"system": CLINICAL, "code": "active"}]},
        **more,
    }


def issue_codes(body: Json) -> list[str]:
    assert body["resourceType"] == "OperationOutcome"
    return [issue["code"] for issue in body["issue"]]


async def test_a_conditional_create_makes_one_finds_one_and_refuses_to_choose(server: FhirServer) -> None:
    new = {name: value for name, value in ANN.items() if name != "id"}
    once = f"identifier={MRN}|7001"
    first = await server.send("POST", "Patient", new, if_none_exist=once)
    again = await server.send("POST", "Patient", new, if_none_exist=once)
    assert (first.status_code, again.status_code) == (201, 200)
    assert len(await server.found(f"Patient?identifier={MRN}|7001")) == 1
    await server.send("POST", "Patient", new)
    assert (await server.send("POST", "Patient", new, if_none_exist=once)).status_code == 412


async def test_of_twelve_conditional_creates_at_once_one_creates(server: FhirServer) -> None:
    new = {name: value for name, value in ANN.items() if name != "id"}
    replies = await at_once(
        *(server.send("POST", "Patient", new, if_none_exist=f"identifier={MRN}|7001") for _ in range(12))
    )
    assert sorted(reply.status_code for reply in replies) == [200] * 11 + [201]
    assert len(await server.found(f"Patient?identifier={MRN}|7001")) == 1


async def test_an_update_of_an_older_version_is_refused(server: FhirServer) -> None:
    await server.put(ANN)
    tag = (await server.send("GET", "Patient/ann")).headers["etag"]
    assert (await server.send("PUT", "Patient/ann", {**ANN, "gender": "female"}, if_match=tag)).status_code == 200
    assert (await server.send("PUT", "Patient/ann", {**ANN, "gender": "male"}, if_match=tag)).status_code == 412
    assert (await server.send("GET", "Patient/ann")).json()["gender"] == "female"


async def test_a_transaction_resolves_its_own_names_and_creates_once(server: FhirServer) -> None:
    await server.put(ANN)
    urn = f"urn:uuid:{uuid.uuid4()}"
    entry = allergy(identifier=[{"system": "urn:docgemma:test-operation", "value": "op-1"}])
    provenance = {
        "resourceType": "Provenance",
        "target": [{"reference": urn}],
        "recorded": "2026-01-02T03:04:05Z",
        "agent": [{"who": {"display": "a test"}}],
    }
    once = "identifier=urn:docgemma:test-operation|op-1"
    bundle = {
        "resourceType": "Bundle",
        "type": "transaction",
        "entry": [
            {
                "fullUrl": urn,
                "resource": entry,
                "request": {"method": "POST", "url": "AllergyIntolerance", "ifNoneExist": once},
            },
            {"resource": provenance, "request": {"method": "POST", "url": "Provenance"}},
        ],
    }
    assert (await server.send("POST", "", bundle)).status_code == 200
    (made,) = await server.found("AllergyIntolerance?patient=Patient/ann")
    assert len(await server.found(f"Provenance?target=AllergyIntolerance/{made}")) == 1
    assert (await server.send("POST", "", bundle)).status_code == 200
    assert await server.found("AllergyIntolerance?patient=Patient/ann") == [made]


async def test_everything_of_a_patient(server: FhirServer) -> None:
    await server.put(ANN, PAUL, allergy(id="a1"))
    reply = await server.send("GET", "Patient/ann/$everything?_count=1")
    assert reply.status_code == expected("$everything", server, 200)
    if reply.status_code == 200:
        links = {link["relation"] for link in reply.json()["link"]}
        assert len(reply.json()["entry"]) == 1 and "next" in links


async def test_an_unknown_parameter_is_refused(server: FhirServer) -> None:
    await server.put(ANN)
    reply = await server.send("GET", "Patient?favourite-colour=red")
    assert reply.status_code == expected("unknown parameter", server, 400)
    if reply.status_code == 200:
        assert not reply.json().get("entry")


FOUND: dict[str, list[str]] = {
    "birthdate=1980-03-04": ["ann"],
    "birthdate=1980": ["ann"],
    "birthdate=1970-01": ["marta"],
    "birthdate=ge1970-01-01&birthdate=le1970-12-31": ["marta", "paul"],
    "identifier=urn:docgemma:test-mrn|7002": ["marta"],
    "identifier=7002": ["marta"],
    "name=Leeson": ["ann", "paul"],
    "name=leeson": ["ann", "paul"],
    "name=Lees": ["ann", "paul"],
    "family=Leeson&given=Ann": ["ann"],
    "name=Leeson&name=Ann": ["ann"],
    "name=Nobody": [],
    "_id=ann": ["ann"],
}


async def test_finds_patients(server: FhirServer) -> None:
    await server.put(ANN, MARTA, PAUL)
    assert {query: await server.found(f"Patient?{query}") for query in FOUND} == FOUND


async def test_finds_by_what_names_begin_with(server: FhirServer) -> None:
    await server.put(ANN, MARTA)
    assert await server.found("Patient?name=eeson") == expected("part of a word", server, [])


async def test_finds_without_accents(server: FhirServer) -> None:
    await server.put(MARTA)
    assert await server.found("Patient?name=Marta") == expected("without accents", server, ["marta"])


async def test_finds_by_post_too(server: FhirServer) -> None:
    await server.put(ANN, PAUL)
    reply = await server.http.post(f"{server.url}/Patient/_search", data={"name": "Leeson", "birthdate": "1980-03-04"})
    assert [entry["resource"]["id"] for entry in reply.json()["entry"]] == ["ann"]


async def test_counts_when_asked_to(server: FhirServer) -> None:
    await server.put(ANN, MARTA, PAUL)
    reply = await server.send("GET", "Patient?name=Leeson&_total=accurate")
    assert reply.json()["total"] == 2


async def test_pages(server: FhirServer) -> None:
    await server.put(*(person(f"p{number}", "Many", "One", "1990-01-01") for number in range(5)))
    page = (await server.send("GET", "Patient?name=Many&_count=2")).json()
    assert len(page["entry"]) == 2
    has_next = any(link["relation"] == "next" for link in page.get("link", ()))
    assert has_next == expected("paging links", server, True)


async def test_a_deleted_resource_is_gone(server: FhirServer) -> None:
    await server.put(ANN)
    assert (await server.send("DELETE", "Patient/ann")).status_code in (200, 204)
    reply = await server.send("GET", "Patient/ann")
    assert reply.status_code == expected("read of a deleted resource", server, 410)
    assert await server.found("Patient?name=Leeson") == []


async def test_an_allergy_needs_its_clinical_status(server: FhirServer) -> None:
    await server.put(ANN)
    bare = {name: value for name, value in allergy().items() if name != "clinicalStatus"}
    reply = await server.send("POST", "AllergyIntolerance", bare)
    assert reply.status_code == 400
    assert issue_codes(reply.json())


async def test_codes_outside_their_list_are_refused(server: FhirServer) -> None:
    await server.put(ANN)
    order = {
        "resourceType": "MedicationRequest",
        "status": "banana",
        "intent": "order",
        "medicationCodeableConcept": {"text": "warfarin"},
        "subject": {"reference": "Patient/ann"},
    }
    reply = await server.send("POST", "MedicationRequest", order)
    assert reply.status_code == expected("status banana", server, 400)


async def test_references_to_nothing_are_refused(server: FhirServer) -> None:
    reply = await server.send("POST", "AllergyIntolerance", allergy(patient={"reference": "Patient/nobody"}))
    assert reply.status_code == expected("dangling subject", server, 422)


async def test_a_client_may_choose_the_id_and_the_version_counts(server: FhirServer) -> None:
    await server.put(ANN)
    first = (await server.send("GET", "Patient/ann")).json()["meta"]["versionId"]
    await server.put({**ANN, "gender": "female"})
    second = await server.send("GET", "Patient/ann")
    assert second.json()["meta"]["versionId"] != first
    assert (await server.send("GET", f"Patient/ann/_history/{first}")).json().get("gender") is None


async def test_what_is_no_resource_is_refused_in_fhirs_own_words(server: FhirServer) -> None:
    for path, body in (
        ("Patient", {"resourceType": "Patient", "nonsense": 1}),
        ("Patient", {"resourceType": "Observation"}),
    ):
        reply = await server.send("POST", path, body)
        assert reply.status_code == 400
        assert issue_codes(reply.json())
    assert issue_codes((await server.send("GET", "Patient/nobody")).json()) == ["not-found"]
