"""Writing over REST: under which conditions something is stored, and what never is."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.fhir_rest import Rest, observation, patient, rest

MRN = "urn:test:mrn"


def numbered(value: str, **fields: Any) -> dict[str, Any]:
    return patient(identifier=[{"system": MRN, "value": value}], **fields)


async def test_a_new_resource_gets_an_id_of_ours(server: Rest) -> None:
    made = await server.post("Patient", patient("theirs"))
    assert made.status == 201
    assert made.json["id"] != "theirs"
    assert (await server.get(made.headers["location"])).json == made.json


async def test_an_update_may_choose_the_id(server: Rest) -> None:
    assert (await server.put("Patient/abc-123", patient("abc-123"))).status == 201
    again = await server.put("Patient/abc-123", patient("abc-123", gender="male"))
    assert (again.status, again.headers["etag"]) == (200, 'W/"2"')
    same = await server.put("Patient/abc-123", patient("abc-123", gender="male"))
    assert same.headers["etag"] == 'W/"2"'


async def test_the_body_must_be_what_the_address_says(server: Rest) -> None:
    assert (await server.put("Patient/a", patient("b"))).status == 400
    assert (await server.put("Patient/a", patient())).status == 400
    assert (await server.post("Observation", patient())).status == 400


async def test_only_who_saw_the_last_version_may_write_the_next(server: Rest) -> None:
    await server.put("Patient/p1", patient("p1"))
    assert (await server.put("Patient/p1", patient("p1", gender="male"), if_match='W/"1"')).status == 200
    stale = await server.put("Patient/p1", patient("p1", gender="female"), if_match='W/"1"')
    assert stale.status == 412
    assert (await server.put("Patient/p1", patient("p1"), if_match="nonsense")).status == 412
    assert (await server.delete("Patient/p1", if_match='W/"1"')).status == 412
    assert (await server.get("Patient/p1")).json["gender"] == "male"
    assert (await server.put("Patient/p1", patient("p1"), if_none_match="*")).status == 412
    assert (await server.put("Patient/p2", patient("p2"), if_none_match="*")).status == 201


async def test_a_condition_makes_one_of_a_kind(server: Rest) -> None:
    condition = f"identifier={MRN}|7"
    first = await server.post("Patient", numbered("7"), if_none_exist=condition)
    second = await server.post("Patient", numbered("7", gender="male"), if_none_exist=f"?{condition}")
    assert (first.status, second.status) == (201, 200)
    assert second.json == first.json
    await server.post("Patient", numbered("7"))
    assert (await server.post("Patient", numbered("7"), if_none_exist=condition)).status == 412
    assert len((await server.get(f"Patient?{condition}")).ids) == 2


@pytest.mark.parametrize("condition", ["_count=1", "shoe-size=44", "identifier=", "name"])
async def test_a_condition_that_says_nothing_is_refused(server: Rest, condition: str) -> None:
    assert (await server.post("Patient", numbered("7"), if_none_exist=condition)).status == 400
    assert (await server.get("Patient")).ids == []


async def test_twelve_at_once_make_one(server: Rest) -> None:
    tries = [server.post("Patient", numbered("7"), if_none_exist=f"identifier={MRN}|7") for _ in range(12)]
    assert sorted(reply.status for reply in await asyncio.gather(*tries)) == [200] * 11 + [201]


async def test_an_update_of_whatever_answers(server: Rest) -> None:
    condition = f"Patient?identifier={MRN}|7"
    made = await server.put(condition, numbered("7"))
    changed = await server.put(condition, numbered("7", gender="male"))
    assert (made.status, changed.status, changed.json["id"]) == (201, 200, made.json["id"])
    assert (await server.put(condition, {**numbered("7"), "id": "other"})).status == 400
    await server.post("Patient", numbered("7"))
    assert (await server.put(condition, numbered("7"))).status == 412


async def test_a_caller_who_wants_nothing_back_gets_nothing(server: Rest) -> None:
    made = await server.post("Patient", patient(), prefer="return=minimal")
    assert (made.status, made.text) == (201, "")
    assert (await server.get(made.headers["location"])).status == 200


@pytest.mark.parametrize(
    ("resource", "where"),
    [
        (patient(gender="M"), "Patient.gender"),
        (patient(birthDate="04.03.1980"), "Patient.birthDate"),
        (patient(shoe="44"), "Patient"),
        ({"resourceType": "Observation", "status": "banana", "code": {"text": "x"}}, "Observation.status"),
        ({"resourceType": "Observation", "status": "final"}, "Observation.code"),
    ],
)
async def test_what_is_no_fhir_is_refused_with_the_place(server: Rest, resource: dict[str, Any], where: str) -> None:
    refused = await server.post(resource["resourceType"], resource)
    assert refused.status == 400
    assert where in refused.where


async def test_an_allergy_needs_a_clinical_status(server: Rest) -> None:
    await server.put("Patient/p1", patient("p1"))
    bare = {"resourceType": "AllergyIntolerance", "patient": {"reference": "Patient/p1"}, "code": {"text": "nuts"}}
    assert (await server.post("AllergyIntolerance", bare)).status == 400


@pytest.mark.parametrize(
    ("reference", "status"),
    [
        ("Patient/p1", 201),
        ("Patient/p1/_history/1", 201),
        ("http://embedded/fhir/Patient/p1", 201),
        ("https://other.example/fhir/Patient/p9", 201),
        ("Patient/nobody", 422),
        ("Patient/gone", 422),
        ("urn:uuid:0a0a0a0a-0000-4000-8000-000000000000", 422),
        ("http://embedded/fhir/Patient/nobody", 422),
        ("Patient?identifier=x", 422),
        ("Practitioner/p1", 400),
    ],
)
async def test_references_lead_somewhere(server: Rest, reference: str, status: int) -> None:
    for id_ in ("p1", "gone"):
        await server.put(f"Patient/{id_}", patient(id_))
    await server.delete("Patient/gone")
    made = await server.post("Observation", observation(subject={"reference": reference}))
    assert made.status == status
    if status == 422:
        assert made.where == ["Observation.subject"]
        assert (await server.get("Observation?_total=accurate")).json["total"] == 0


async def test_our_own_address_is_stored_as_a_place(server: Rest) -> None:
    await server.put("Patient/p1", patient("p1"))
    await server.post("Observation", observation(subject={"reference": "http://embedded/fhir/Patient/p1"}))
    assert len((await server.get("Observation?patient=p1")).ids) == 1


async def test_a_resource_may_refer_to_itself(server: Rest) -> None:
    link = [{"other": {"reference": "Patient/p1"}, "type": "seealso"}]
    assert (await server.put("Patient/p1", patient("p1", link=link))).status == 201


async def test_a_patient_goes_last(server: Rest) -> None:
    await server.put("Patient/p1", patient("p1"))
    await server.put("Observation/o1", observation("o1"))
    assert (await server.delete("Patient/p1")).status == 409
    await server.delete("Observation/o1")
    assert (await server.delete("Patient/p1")).status == 204


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/fhir+json", 400),
        (b"[]", "application/fhir+json", 400),
        (b'"x"', "application/fhir+json", 400),
        (b'{"resourceType": NaN}', "application/fhir+json", 400),
        (b"\xff\xfe", "application/fhir+json", 400),
        (b"[" * 100_000, "application/fhir+json", 400),
        (b"<Patient/>", "application/fhir+xml", 415),
        (b"{}", "application/fhir+json; charset=utf-16", 415),
        (b"{}", "", 415),
        (b"{}", "application/fhir+json; charset=UTF-8", 400),
    ],
)
async def test_bodies_that_are_none(server: Rest, body: bytes, kind: str, status: int) -> None:
    refused = await server.post("Patient", body, content_type=kind)
    assert (refused.status, refused.json["resourceType"]) == (status, "OperationOutcome")


async def test_a_body_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    async with rest(tmp_path, max_body=1000) as server:
        assert (await server.post("Patient", b" " * 1001)).status == 413
        assert (await server.post("Patient", b" " * 1001, content_length="5")).status == 413
        assert (await server.post("Patient", patient())).status == 201


async def test_who_keeps_account_hears_of_everything_in_time(tmp_path: Path) -> None:
    heard: list[Any] = []

    async def on_access(accesses: Any) -> None:
        heard.extend((one.stage, one.interaction, one.kind, one.id, one.named, one.patients) for one in accesses)

    async with rest(tmp_path, on_access=on_access) as server:
        await server.put("Patient/p1", patient("p1"))
        await server.put("Observation/o1", observation("o1"))
        await server.get("Observation/o1")
        await server.get("Patient?name=okafor")
        await server.get("Patient/p1/$everything")
        await server.get("Observation?patient=p2")
        await server.get("metadata")
        await server.get("Patient?shoe-size=1")
    assert heard == [
        ("asked", "write", "Patient", "p1", ("p1",), ()),
        ("shown", "write", "Patient", "p1", ("p1",), ("p1",)),
        ("asked", "write", "Observation", "o1", ("p1",), ()),
        ("shown", "write", "Observation", "o1", (), ("p1",)),
        ("shown", "read", "Observation", "o1", (), ("p1",)),
        ("shown", "search", "Patient", "", (), ("p1",)),
        ("shown", "chart", "Patient", "p1", ("p1",), ("p1",)),
        ("shown", "search", "Observation", "", ("p2",), ()),
    ]


@pytest.mark.parametrize("kind", ["Bundle", "Parameters", "OperationOutcome", "CapabilityStatement", "Subscription"])
async def test_what_only_carries_other_things_is_no_part_of_a_chart(server: Rest, kind: str) -> None:
    carrier = {"resourceType": kind, "id": "x"}
    wrapped = {"request": {"method": "PUT", "url": f"{kind}/x"}, "resource": carrier}
    assert (await server.put(f"{kind}/x", carrier)).status == 422
    assert (await server.post(kind, carrier)).status == 422
    whole = {"resourceType": "Bundle", "type": "transaction", "entry": [wrapped]}
    assert (await server.post("", whole)).status == 422
    assert await server.store.counts() == {}
    described = (await server.get("metadata")).json["rest"][0]["resource"]
    assert kind not in {one["type"] for one in described}


@pytest.mark.parametrize("id_", [".", ".."])
async def test_an_id_that_leads_up_a_path_is_none(server: Rest, id_: str) -> None:
    wrapped = {"request": {"method": "PUT", "url": f"Patient/{id_}"}, "resource": patient(id_)}
    refused = await server.post("", {"resourceType": "Bundle", "type": "transaction", "entry": [wrapped]})
    assert refused.status == 400
