"""Reading over REST: resources, versions, histories, searches and their pages, and how it says no."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docgemma.ehr.embedded.contract import FhirFault
from docgemma.ehr.embedded.rest.exchange import Request
from docgemma.ehr.embedded.rest.searching import Limits, search
from docgemma.ehr.embedded.searches.query import parse
from docgemma.ehr.validation import check
from docgemma.errors import Unavailable
from tests.support.fhir_rest import BASE, Reply, Rest, observation, patient, rest


@pytest.fixture
async def ward(server: Rest) -> Rest:
    """Three patients, one of them with seven results."""
    people = (("p1", "García", "1980-03-04"), ("p2", "Garrett", "1970-01-02"), ("p3", "Osei", "1970"))
    await server.store.put_many(
        [
            *(patient(id_, name=[{"family": name, "given": ["Ana"]}], birthDate=born) for id_, name, born in people),
            *(
                observation(f"o{day}", effectiveDateTime=f"2026-01-0{day}", valueQuantity={"value": day})
                for day in (3, 1, 2, 7, 5, 4, 6)
            ),
        ]
    )
    return server


async def test_a_resource_is_read_with_its_version(server: Rest) -> None:
    made = await server.post("Patient", patient())
    [kind, id_, _, version] = made.headers["location"].removeprefix(f"{BASE}/").split("/")
    read = await server.get(f"{kind}/{id_}")
    assert (read.status, read.json["id"], read.json["meta"]["versionId"]) == (200, id_, version)
    assert read.headers["etag"] == 'W/"1"'
    assert read.headers["last-modified"].endswith("GMT")
    assert read.headers["content-type"].startswith("application/fhir+json")


async def test_what_the_caller_has_already_is_not_sent_again(server: Rest) -> None:
    await server.put("Patient/p1", patient("p1"))
    assert (await server.get("Patient/p1", if_none_match='W/"1"')).status == 304
    assert (await server.get("Patient/p1", if_none_match='W/"2"')).status == 200


async def test_numbers_keep_their_digits(server: Rest) -> None:
    await server.put("Patient/p1", patient("p1"))
    body = b'{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":7.50}}'
    made = await server.post("Observation", body)
    assert '"value":7.50' in made.text
    assert '"value":7.50' in (await server.get("Observation?_count=5")).text


async def test_versions_and_histories(server: Rest) -> None:
    for gender in ("male", "female", "other"):
        await server.put("Patient/p1", patient("p1", gender=gender))
    await server.delete("Patient/p1")
    assert (await server.get("Patient/p1/_history/2")).json["gender"] == "female"
    assert (await server.get("Patient/p1/_history/9")).status == 404
    assert (await server.get("Patient/p1/_history/4")).status == 410
    story = (await server.get("Patient/p1/_history")).json
    assert [entry["request"]["method"] for entry in story["entry"]] == ["DELETE", "PUT", "PUT", "POST"]
    assert "resource" not in story["entry"][0]
    paged = [page async for page in server.pages("Patient/p1/_history?_count=3")]
    assert [len(page.json["entry"]) for page in paged] == [3, 1]
    assert (await server.get("Patient/none/_history")).status == 404


async def test_the_changes_of_a_kind_page_by_page(ward: Rest) -> None:
    pages = [page async for page in ward.pages("Observation/_history?_count=3")]
    assert [id_ for page in pages for id_ in page.ids] == ["o6", "o4", "o5", "o7", "o2", "o1", "o3"]
    assert len((await ward.get("_history?_count=100")).ids) == 10
    assert (await ward.get("Observation/_history?_since=2999-01-01T00:00:00Z")).ids == []


async def test_a_deleted_resource_is_gone_and_not_merely_unknown(ward: Rest) -> None:
    assert (await ward.delete("Observation/o1")).status == 204
    assert (await ward.get("Observation/o1")).status == 410
    assert (await ward.get("Observation/never")).status == 404
    assert "o1" not in (await ward.get("Observation?patient=p1")).ids
    assert (await ward.delete("Observation/never")).status == 404


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("Patient?name=gar", ["p1", "p2"]),
        ("Patient?name=garcia ana", ["p1"]),
        ("Patient?name=ana gar&birthdate=1980", ["p1"]),
        ("Patient?birthdate=1970", ["p2", "p3"]),
        ("Patient?birthdate=1970-01", ["p2"]),
        ("Patient?_id=p3,p1,p9", ["p1", "p3"]),
        ("Patient?name=zzz", []),
        ("Observation?patient=p1&date=ge2026-01-05", ["o5", "o6", "o7"]),
        ("Observation?subject=Patient/p1&value-quantity=lt3", ["o1", "o2"]),
        ("Observation?patient=p2", []),
        ("Observation?patient=p1,p2&_sort=-date&_count=2", ["o7", "o6"]),
        ("Observation?date=2026-01-03", ["o3"]),
        ("Patient?_sort=-birthdate,family", ["p1", "p2", "p3"]),
        ("Patient?_sort=family", ["p1", "p2", "p3"]),
        ("Patient?_sort=-family", ["p3", "p2", "p1"]),
        ("Patient?_sort=-death-date", ["p1", "p2", "p3"]),
    ],
)
async def test_searches(ward: Rest, query: str, ids: list[str]) -> None:
    found = await ward.get(query)
    assert (found.status, found.ids) == (200, ids)


async def test_what_has_no_value_comes_last_whichever_way_the_rest_is_sorted(ward: Rest) -> None:
    await ward.store.put_many([observation("a0"), observation("z0")])
    for order, first in (("date", "o1"), ("-date", "o7")):
        pages = [page.ids async for page in ward.pages(f"Observation?patient=p1&_sort={order}&_count=4")]
        shown = [id_ for page in pages for id_ in page]
        assert (shown[0], shown[-2:], len(shown)) == (first, ["a0", "z0"], 9)


async def test_a_posted_search_keeps_names_out_of_the_address(ward: Rest) -> None:
    form = {"content_type": "application/x-www-form-urlencoded"}
    found = await ward.post("Patient/_search?_count=1", b"name=gar", **form)
    assert found.ids == ["p1"]
    assert found.next is not None
    assert (await ward.get(found.next)).ids == ["p2"]
    assert (await ward.post("Patient/_search", b"name=gar", content_type="text/plain")).status == 415


async def test_the_total_is_counted_only_when_it_is_asked_for(ward: Rest) -> None:
    assert "total" not in (await ward.get("Observation?patient=p1&_count=2")).json
    assert (await ward.get("Observation?patient=p1&_count=2&_total=accurate")).json["total"] == 7
    for query in ("Observation?patient=p1&_summary=count", "Observation?_count=0"):
        counted = (await ward.get(query)).json
        assert (counted["total"], "entry" in counted) == (7, False)


async def test_twenty_to_a_page_unless_told_otherwise(ward: Rest) -> None:
    await ward.store.put_many(observation(f"x{number}") for number in range(20))
    pages = [page async for page in ward.pages("Observation?patient=p1")]
    assert [len(page.ids) for page in pages] == [20, 7]


@pytest.mark.parametrize("order", ["", "&_sort=-date", "&_sort=date,-_id"])
async def test_no_page_is_lost_or_doubled_while_others_write(ward: Rest, order: str) -> None:
    seen: list[str] = []
    number = 0
    async for page in ward.pages(f"Observation?patient=p1&_count=2{order}"):
        seen += page.ids
        if number < 3:
            for id_ in (f"a{number}", f"z{number}"):
                await ward.put(f"Observation/{id_}", observation(id_, effectiveDateTime=f"2026-01-0{1 + 3 * number}"))
            # The very last one that was shown is changed and deleted: the next page still begins behind it.
            await ward.put(f"Observation/{seen[-1]}", observation(seen[-1], effectiveDateTime="1999"))
            await ward.delete(f"Observation/{seen[-1]}")
        number += 1
    before = [id_ for id_ in seen if id_.startswith("o")]
    assert sorted(before) == ["o1", "o2", "o3", "o4", "o5", "o6", "o7"]
    assert len(seen) == len(set(seen))


async def test_a_long_look_ends_in_a_short_page_with_a_link(ward: Rest) -> None:
    pages: list[list[str]] = []
    cursor = ""
    while not pages or cursor:
        params = [("status", "final"), ("date", "2026-01-07"), *([("_cursor", cursor)] if cursor else [])]
        page = await _search(ward, params, Limits(page=3))
        pages.append(page.ids)
        cursor = (page.next or "").partition("_cursor=")[2]
    assert pages == [[], [], ["o7"]]


async def test_a_sort_that_would_be_half_a_sort_is_refused(ward: Rest) -> None:
    for params in ([("_sort", "date")], [("status", "final"), ("_total", "accurate")]):
        with pytest.raises(FhirFault, match="Too many") as refused:
            await _search(ward, params, Limits(whole=3))
        assert (refused.value.status, refused.value.issues[0].code) == (422, "too-costly")


async def _search(server: Rest, params: list[tuple[str, str]], limits: Limits) -> Reply:
    request = Request("GET", ("Observation",), params, BASE)
    query = parse("Observation", params)
    answer = await server.store.run(lambda unit: search(unit, request, query, limits), write=False)
    return Reply(answer.status, {}, answer.body)


@pytest.mark.parametrize("cursor", ["x", "%00", "AAAA", "bzEvbm9uZQ", "bzEvOQ", "Li4vLi4v"])
async def test_a_link_that_we_did_not_give_out(ward: Rest, cursor: str) -> None:
    assert (await ward.get(f"Observation?patient=p1&_sort=date&_cursor={cursor}")).status == 400


async def test_what_a_hit_refers_to_may_come_along(ward: Rest) -> None:
    await ward.put("Medication/m1", {"resourceType": "Medication", "id": "m1", "code": {"text": "warfarin"}})
    order = {
        "resourceType": "MedicationRequest",
        "id": "r1",
        "status": "active",
        "intent": "order",
        "medicationReference": {"reference": "Medication/m1"},
        "subject": {"reference": "Patient/p1"},
    }
    assert (await ward.put("MedicationRequest/r1", order)).status == 201
    found = await ward.get("MedicationRequest?patient=p1&_include=MedicationRequest:medication")
    assert [(entry["resource"]["id"], entry["search"]["mode"]) for entry in found.json["entry"]] == [
        ("r1", "match"),
        ("m1", "include"),
    ]


@pytest.mark.parametrize(
    ("method", "url", "status"),
    [
        ("GET", "Patient?shoe-size=44", 400),
        ("GET", "Patient?name=", 400),
        ("GET", "Banana", 404),
        ("GET", "Banana/1", 404),
        ("GET", "patient/p1", 404),
        ("GET", "", 404),
        ("GET", "Patient/p1/$everythin", 404),
        ("GET", "Observation/o1/$everything", 404),
        ("GET", "Patient/p1/_history/1/x/y", 404),
        ("GET", "Patient/p1/notes", 404),
        ("GET", "Patient/$match", 404),
        ("GET", "Patient/_x", 404),
        ("GET", "Patient/", 404),
        ("GET", "/Patient", 404),
        ("GET", "http://embedded/elsewhere", 404),
        ("GET", "http://embedded/fhirx/Patient", 404),
        ("PATCH", "Patient/p1", 405),
        ("DELETE", "Patient", 405),
        ("GET", "Patient/_search", 405),
        ("GET", "Patient/p1?_format=xml", 406),
        ("GET", "Patient/" + "x" * 65, 404),
        ("GET", "Patient/p1%00", 404),
        ("GET", "Patient/p1' OR 1=1--", 404),
        ("GET", "Patient?" + "&".join("name=a" for _ in range(500)), 400),
    ],
)
async def test_every_refusal_is_an_outcome(ward: Rest, method: str, url: str, status: int) -> None:
    refused = await ward.send(method, url)
    assert (refused.status, refused.json["resourceType"]) == (status, "OperationOutcome")
    assert refused.json["issue"][0]["severity"] == "error"
    assert refused.json["issue"][0]["diagnostics"]


async def test_only_json_is_spoken(ward: Rest) -> None:
    assert (await ward.get("Patient/p1", accept="application/fhir+xml")).status == 406
    assert (await ward.get("Patient/p1", accept="text/html, application/fhir+json;q=0.5")).status == 200


@pytest.mark.parametrize(
    "url",
    [
        "metadata",
        "Patient?name=gar&_total=accurate",
        "Observation?patient=p1&_count=2",
        "Patient?name=nobody",
        "Patient/p1/$everything",
        "Observation/_history",
        "Patient?shoe-size=44",
        "Patient/none",
    ],
)
async def test_every_answer_is_itself_valid_fhir(ward: Rest, url: str) -> None:
    assert check((await ward.get(url)).json) == []


async def test_pages_are_bounded_by_size_as_well(server: Rest) -> None:
    await server.store.put_many(
        [patient("p1"), *(observation(f"o{n}", note=[{"text": "x" * 3_000_000}]) for n in "123")]
    )
    for url in ("Patient/p1/$everything", "Observation?patient=p1", "Observation?patient=p1&_sort=_id"):
        pages = [page.ids async for page in server.pages(url)]
        assert [id_ for page in pages for id_ in page if id_ != "p1"] == ["o1", "o2", "o3"]
        assert len(pages) == 3


async def test_the_statement_says_what_is_there_and_nothing_more(ward: Rest) -> None:
    statement = (await ward.get("metadata")).json
    described: dict[str, Any] = {one["type"]: one for one in statement["rest"][0]["resource"]}
    assert (statement["fhirVersion"], statement["implementation"]["url"]) == ("4.0.1", BASE)
    name = next(one for one in described["Patient"]["searchParam"] if one["name"] == "name")
    assert name["extension"] == [{"url": "urn:docgemma:folded-names", "valueBoolean": True}]
    assert described["Patient"]["operation"][0]["name"] == "everything"
    for one in described["Observation"]["searchParam"]:
        assert (await ward.get(f"Observation?{one['name']}:missing=true&_count=1")).status == 200


async def test_a_store_that_cannot_be_reached_is_an_outcome_too(tmp_path: Path) -> None:
    async def refuse(_: object) -> None:
        raise Unavailable("The audit log cannot be written. Chart access is stopped.")

    async with rest(tmp_path, on_access=refuse) as server:
        refused = await server.get("Patient?name=a")
        assert (refused.status, refused.json["issue"][0]["severity"]) == (503, "fatal")
        assert "audit log" in refused.json["issue"][0]["diagnostics"]


async def test_a_damaged_store_is_an_outcome_too(tmp_path: Path) -> None:
    async with rest(tmp_path) as server:
        await server.put("Patient/p1", patient("p1"))
    file = tmp_path / "charts.sqlite"
    file.write_bytes(file.read_bytes().replace(b"Okafor", b"Okafxr"))
    async with rest(tmp_path) as server:
        refused = await server.get("Patient/p1")
        assert (refused.status, refused.json["issue"][0]["severity"]) == (500, "fatal")
        assert "damaged" in refused.json["issue"][0]["diagnostics"]


async def test_a_bug_is_told_without_its_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def broken(resource: dict[str, Any]) -> list[Any]:
        raise KeyError(resource["name"][0]["family"])

    async with rest(tmp_path, check=broken) as server:
        refused = await server.post("Patient", patient())
        assert refused.status == 500
        assert "Okafor" not in refused.text
        assert "Okafor" not in caplog.text
        assert "KeyError in broken" in caplog.text
