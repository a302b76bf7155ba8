"""Bundles: a transaction as a whole, a batch entry by entry."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.support.fhir_rest import Rest, observation, patient, rest
from tests.support.synthea import bundles as synthea
from tests.support.synthea import needs_synthea

MRN = "urn:test:mrn"


def entry(method: str, url: str, resource: Any = None, full_url: str = "", **conditions: str) -> dict[str, Any]:
    made: dict[str, Any] = {"request": {"method": method, "url": url, **conditions}}
    if full_url:
        made["fullUrl"] = full_url
    if resource is not None:
        made["resource"] = resource
    return made


def transaction(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"resourceType": "Bundle", "type": "transaction", "entry": list(entries)}


def statuses(bundle: dict[str, Any]) -> list[str]:
    return [one["response"]["status"] for one in bundle.get("entry", [])]


ORDER: dict[str, Any] = {
    "resourceType": "MedicationRequest",
    "identifier": [{"system": "urn:test:operation", "value": "op-1"}],
    "status": "active",
    "intent": "order",
    "medicationCodeableConcept": {"text": "warfarin"},
    "subject": {"reference": "urn:uuid:patient"},
}
PROVENANCE: dict[str, Any] = {
    "resourceType": "Provenance",
    "target": [{"reference": "urn:uuid:order"}],
    "recorded": "2026-03-01T12:00:00Z",
    "agent": [{"who": {"display": "the software"}}],
}


async def test_what_is_written_together_refers_to_each_other(server: Rest) -> None:
    # The provenance comes first on purpose: the order of entries says nothing.
    done = await server.post(
        "",
        transaction(
            entry("POST", "Provenance", PROVENANCE, "urn:uuid:prov"),
            entry(
                "POST", "MedicationRequest", ORDER, "urn:uuid:order", ifNoneExist="identifier=urn:test:operation|op-1"
            ),
            entry("POST", "Patient", patient(), "urn:uuid:patient"),
        ),
    )
    assert (done.status, statuses(done.json)) == (200, ["201", "201", "201"])
    provenance, order, person = (one["resource"] for one in done.json["entry"])
    assert order["subject"]["reference"] == f"Patient/{person['id']}"
    assert provenance["target"][0]["reference"] == f"MedicationRequest/{order['id']}"
    chart = await server.get(f"Patient/{person['id']}/$everything")
    assert {one["resource"]["resourceType"] for one in chart.json["entry"]} == {
        "Patient",
        "MedicationRequest",
        "Provenance",
    }


async def test_sent_twice_it_is_written_once(server: Rest) -> None:
    await server.put("Patient/p1", patient("p1"))
    order = {**ORDER, "subject": {"reference": "Patient/p1"}}
    condition = "identifier=urn:test:operation|op-1"
    again = transaction(entry("POST", "MedicationRequest", order, "urn:uuid:order", ifNoneExist=condition))
    first, second = [(await server.post("", copy.deepcopy(again))).json for _ in range(2)]
    assert (statuses(first), statuses(second)) == (["201"], ["200"])
    assert first["entry"][0]["resource"]["id"] == second["entry"][0]["resource"]["id"]
    assert len((await server.get("MedicationRequest?patient=p1")).ids) == 1


async def test_a_reference_to_what_was_there_already(server: Rest) -> None:
    known = patient("p1", identifier=[{"system": MRN, "value": "7"}])
    await server.put("Patient/p1", known)
    done = await server.post(
        "",
        transaction(
            entry("POST", "Patient", patient(), "urn:uuid:patient", ifNoneExist=f"identifier={MRN}|7"),
            entry("POST", "Observation", observation(subject={"reference": "urn:uuid:patient"})),
            entry("POST", "Observation", observation(subject={"reference": f"Patient?identifier={MRN}|7"})),
        ),
    )
    assert statuses(done.json) == ["200", "201", "201"]
    assert len((await server.get("Observation?patient=p1")).ids) == 2


async def test_addresses_of_the_sender_are_followed_within_the_bundle(server: Rest) -> None:
    home = "http://clinic.example/fhir"
    done = await server.post(
        "",
        transaction(
            entry("POST", "Patient", patient("17"), f"{home}/Patient/17"),
            entry("POST", "Observation", observation(of="17"), f"{home}/Observation/1"),
            entry("POST", "Observation", observation(subject={"reference": f"{home}/Patient/17"})),
        ),
    )
    person, *results = (one["resource"] for one in done.json["entry"])
    assert person["id"] != "17"
    assert {one["subject"]["reference"] for one in results} == {f"Patient/{person['id']}"}


@pytest.mark.parametrize(
    ("bad", "status", "where"),
    [
        (entry("POST", "Observation", observation(status="banana")), 400, "Bundle.entry[1].resource.status"),
        (entry("POST", "Observation", observation(of="nobody")), 422, "Bundle.entry[1].resource.subject"),
        (entry("POST", "Observation", observation(of="x", subject={"reference": "urn:uuid:lost"})), 422, ""),
        (entry("POST", "Observation", observation(subject={"reference": "Patient?name=nobody"})), 412, ""),
        (entry("PUT", "Patient/p1", patient("p1", gender="male"), ifMatch='W/"7"'), 412, ""),
        (entry("PUT", "Patient/p1", patient("p2")), 400, "Bundle.entry[1].resource.id"),
        (entry("POST", "Patient", patient(), ifNoneExist=f"identifier={MRN}|twice"), 412, ""),
        (entry("DELETE", "Patient/none"), 404, ""),
        (entry("GET", "Patient/none"), 404, ""),
        (entry("PATCH", "Patient/p1", patient("p1")), 400, ""),
        (entry("POST", "Banana", {"resourceType": "Banana"}), 404, ""),
        (entry("POST", "Patient"), 400, ""),
        (entry("GET", "Patient?shoe-size=4"), 400, ""),
        ({"resource": patient()}, 400, "Bundle.entry[1].request"),
        ({"request": {"method": 5}}, 400, ""),
    ],
)
async def test_one_bad_entry_undoes_all(server: Rest, bad: dict[str, Any], status: int, where: str) -> None:
    twice = {"identifier": [{"system": MRN, "value": "twice"}]}
    await server.store.put_many([patient("p1"), patient("t1", **twice), patient("t2", **twice)])
    before = (await server.get("_history?_count=100")).ids
    refused = await server.post("", transaction(entry("POST", "Patient", patient()), bad))
    assert (refused.status, refused.json["resourceType"]) == (status, "OperationOutcome")
    assert where == "" or where in refused.where
    assert (await server.get("_history?_count=100")).ids == before


async def test_two_entries_may_not_write_to_one_resource(server: Rest) -> None:
    both = transaction(
        entry("PUT", "Patient/p1", patient("p1")), entry("PUT", "Patient/p1", patient("p1", gender="male"))
    )
    assert (await server.post("", both)).status == 400
    mrn = [{"system": MRN, "value": "7"}]
    same = [entry("POST", "Patient", patient(identifier=mrn), ifNoneExist=f"identifier={MRN}|7") for _ in range(2)]
    assert (await server.post("", transaction(*same))).status == 412
    assert (await server.get("Patient")).ids == []


async def test_deletes_come_first_and_reads_last(server: Rest) -> None:
    await server.store.put_many([patient("p1"), observation("old")])
    done = await server.post(
        "",
        transaction(
            entry("GET", "Observation?patient=p1"),
            entry("PUT", "Observation/new", observation("new")),
            entry("DELETE", "Observation/old"),
            entry("GET", "Patient/p1"),
        ),
    )
    assert statuses(done.json) == ["200", "201", "204", "200"]
    [found] = done.json["entry"][0]["resource"]["entry"]
    assert found["resource"]["id"] == "new"


async def test_a_whole_chart_is_deleted_with_its_patient(server: Rest) -> None:
    await server.store.put_many([patient("p1"), observation("o1")])
    done = await server.post("", transaction(entry("DELETE", "Patient/p1"), entry("DELETE", "Observation/o1")))
    assert statuses(done.json) == ["204", "204"]
    assert (await server.get("Patient/p1")).status == 410


async def test_an_update_by_condition(server: Rest) -> None:
    mrn = [{"system": MRN, "value": "7"}]
    await server.put("Patient/p1", patient("p1", identifier=mrn))
    change = patient(identifier=mrn, gender="male")
    done = await server.post(
        "",
        transaction(
            entry("PUT", f"Patient?identifier={MRN}|7", change, "urn:uuid:p"),
            entry("POST", "Observation", observation(subject={"reference": "urn:uuid:p"})),
        ),
    )
    assert statuses(done.json) == ["200", "201"]
    assert (await server.get("Patient/p1")).json["gender"] == "male"
    assert len((await server.get("Observation?patient=p1")).ids) == 1
    new = patient("own", identifier=[{"system": MRN, "value": "8"}])
    assert (await server.post("", transaction(entry("PUT", f"Patient?identifier={MRN}|8", new)))).status == 200
    assert (await server.get("Patient/own")).status == 200


async def test_in_a_batch_each_entry_stands_alone(server: Rest) -> None:
    done = await server.post(
        "",
        {
            "resourceType": "Bundle",
            "type": "batch",
            "entry": [
                entry("PUT", "Patient/p1", patient("p1")),
                entry("PUT", "Patient/p2", patient("p2", gender="M")),
                {"nonsense": True},
                entry("GET", "Patient/p1"),
                entry("GET", "Patient?shoe-size=4"),
            ],
        },
    )
    assert (done.status, statuses(done.json)) == (200, ["201", "400", "400", "200", "400"])
    assert done.json["entry"][1]["response"]["outcome"]["resourceType"] == "OperationOutcome"
    assert (await server.get("Patient")).ids == ["p1"]


@pytest.mark.parametrize(
    "bundle",
    [
        {"resourceType": "Bundle", "type": "document"},
        {"resourceType": "Bundle"},
        {"resourceType": "Bundle", "type": "transaction", "entry": {}},
        {"resourceType": "Bundle", "type": "batch", "entry": "x"},
        {"resourceType": "Patient"},
        {},
    ],
)
async def test_what_is_no_bundle_of_requests(server: Rest, bundle: dict[str, Any]) -> None:
    assert (await server.post("", bundle)).status == 400


async def test_an_empty_transaction_does_nothing(server: Rest) -> None:
    done = await server.post("", transaction())
    assert (done.status, done.json["type"]) == (200, "transaction-response")


async def test_the_answer_may_be_short(server: Rest) -> None:
    done = await server.post("", transaction(entry("POST", "Patient", patient())), prefer="return=minimal")
    [one] = done.json["entry"]
    assert "resource" not in one
    assert (await server.get(one["response"]["location"])).status == 200


@needs_synthea
async def test_charts_of_another_program_come_in_as_they_are_and_out_complete(server: Rest) -> None:
    for bundle in synthea()[:3]:
        done = await server.post("", bundle, prefer="return=minimal")
        assert done.status == 200, done.text[:500]
        places = [one["response"]["location"] for one in done.json["entry"]]
        [person] = [place.split("/")[-3] for place in places if "/Patient/" in place]
        pages = [page async for page in server.pages(f"Patient/{person}/$everything?_count=100")]
        shown = [id_ for page in pages for id_ in page.ids]
        assert len(shown) == len(set(shown)) == len(bundle["entry"])
        assert {page.json["total"] for page in pages} == {len(bundle["entry"])}


@pytest.mark.parametrize(
    "second", [entry("PUT", "Patient/p2", patient("p2"), "urn:uuid:x"), entry("GET", "Patient/p9", None, "urn:uuid:x")]
)
async def test_two_entries_under_one_address_are_refused(server: Rest, second: dict[str, Any]) -> None:
    """A reference to it would go to whoever came last: to another patient's chart."""
    held = {**ORDER, "subject": {"reference": "urn:uuid:x"}}
    refused = await server.post(
        "",
        transaction(
            entry("PUT", "Patient/p1", patient("p1"), "urn:uuid:x"), second, entry("POST", "MedicationRequest", held)
        ),
    )
    assert (refused.status, refused.where) == (400, ["Bundle.entry[1].fullUrl"])
    assert await server.store.counts() == {}


async def test_a_bug_in_one_entry_of_a_batch_leaves_the_answers_to_the_others(tmp_path: Path) -> None:
    def check(resource: dict[str, Any]) -> list[Any]:
        raise RuntimeError(f"a bug at {resource['name']}")

    asked = [entry("PUT", "Patient/p2", patient("p2")), entry("GET", "Patient/p1"), entry("DELETE", "Observation/o1")]
    async with rest(tmp_path, check=check) as server:
        await server.store.put_many([patient("p1"), observation("o1")])
        reply = await server.post("", {"resourceType": "Bundle", "type": "batch", "entry": asked})
        assert await server.store.read("Patient", "p2") is None
    assert (reply.status, statuses(reply.json)) == (200, ["500", "200", "204"])
    assert "bug" not in reply.text


async def test_the_address_in_the_statement_is_the_callers(server: Rest) -> None:
    for host in ("one.example", "two.example:81"):
        statement = (await server.get("metadata", host=host)).json
        assert statement["implementation"]["url"] == f"http://{host}/fhir"
