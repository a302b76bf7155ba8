"""One patient's whole chart: all of it, nothing of anybody else, page by page."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.fhir_rest import Rest, observation, patient


@pytest.fixture
async def ward(server: Rest) -> Rest:
    doctor = {"resourceType": "Practitioner", "id": "d1", "name": [{"family": "Haddad"}]}
    clinic = {"resourceType": "Organization", "id": "c1", "name": "The clinic"}
    other = {"resourceType": "Organization", "id": "c2", "name": "Another clinic"}
    drug = {"resourceType": "Medication", "id": "m1", "code": {"text": "warfarin"}}
    order: dict[str, Any] = {
        "resourceType": "MedicationRequest",
        "id": "r1",
        "status": "active",
        "intent": "order",
        "medicationReference": {"reference": "Medication/m1"},
        "subject": {"reference": "Patient/p1"},
        "requester": {"reference": "Practitioner/d1"},
    }
    people = [
        patient("p1", managingOrganization={"reference": "Organization/c1"}),
        patient("p2", managingOrganization={"reference": "Organization/c2"}),
    ]
    mine = [observation(f"o{number}") for number in range(4)]
    await server.store.put_many([doctor, clinic, other, drug, *people, order, *mine, observation("x1", of="p2")])
    return server


MINE = ["p1", "r1", "o0", "o1", "o2", "o3", "m1", "c1", "d1"]


async def test_a_chart_with_what_it_refers_to(ward: Rest) -> None:
    chart = await ward.get("Patient/p1/$everything")
    assert (chart.status, chart.ids, chart.json["total"], chart.next) == (200, MINE, 9, None)
    modes = [entry["search"]["mode"] for entry in chart.json["entry"]]
    assert modes == ["match"] * 6 + ["include"] * 3
    assert chart.json["entry"][0]["fullUrl"] == "http://embedded/fhir/Patient/p1"


@pytest.mark.parametrize("count", [1, 2, 5, 8, 9, 100])
async def test_pages_of_any_size_hold_it_all(ward: Rest, count: int) -> None:
    pages = [page async for page in ward.pages(f"Patient/p1/$everything?_count={count}")]
    assert [id_ for page in pages for id_ in page.ids] == MINE
    assert all(len(page.ids) == count for page in pages[:-1])


async def test_a_chart_that_grows_between_pages(ward: Rest) -> None:
    seen: list[str] = []
    async for page in ward.pages("Patient/p1/$everything?_count=2"):
        seen += page.ids
        if len(seen) == 4:
            await ward.store.put_many([observation("a0"), observation("z0")])
    assert [id_ for id_ in seen if id_ != "z0"] == MINE


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("_type=Observation", ["o0", "o1", "o2", "o3"]),
        ("_type=MedicationRequest,Medication", ["r1", "m1"]),
        ("_type=Practitioner", ["d1"]),
        ("_type=Patient", ["p1"]),
        ("_type=AllergyIntolerance", []),
        ("_since=2999-01-01T00:00:00Z", []),
        ("_since=2001-01-01", MINE),
    ],
)
async def test_parts_of_a_chart(ward: Rest, query: str, ids: list[str]) -> None:
    assert (await ward.get(f"Patient/p1/$everything?{query}")).ids == ids


async def test_it_may_be_posted(ward: Rest) -> None:
    posted = await ward.post("Patient/p1/$everything", b"_count=1", content_type="application/x-www-form-urlencoded")
    assert posted.ids == ["p1"]


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("Patient/none/$everything", 404),
        ("Patient/p1/$everything?_count=0", 400),
        ("Patient/p1/$everything?_count=x", 400),
        ("Patient/p1/$everything?_type=;DROP", 400),
        ("Patient/p1/$everything?_since=lately", 400),
        ("Patient/p1/$everything?start=2020", 400),
        ("Patient/p1/$everything?_cursor=AAAA", 400),
        ("Patient/p1/$everything?_cursor=eC94L3g", 400),
    ],
)
async def test_what_is_not_understood_is_refused(ward: Rest, url: str, status: int) -> None:
    assert (await ward.get(url)).status == status


async def test_a_deleted_patient_has_no_chart(server: Rest) -> None:
    await server.put("Patient/p1", patient("p1"))
    await server.delete("Patient/p1")
    assert (await server.get("Patient/p1/$everything")).status == 410


async def test_a_resource_about_two_patients_is_in_neither_chart(ward: Rest) -> None:
    visit = {
        "resourceType": "Appointment",
        "id": "both",
        "status": "booked",
        "participant": [{"actor": {"reference": f"Patient/{id_}"}, "status": "accepted"} for id_ in ("p1", "p2")],
    }
    assert (await ward.put("Appointment/both", visit)).status == 201
    assert "both" not in (await ward.get("Patient/p1/$everything")).ids
