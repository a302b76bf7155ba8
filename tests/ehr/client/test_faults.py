"""A record system that fails: the result is typed, shows nobody else, and never loses an allergy without a word."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.contract import CHART, VITAL, EhrError
from docgemma.fetch.door import Door
from tests.ehr.client.charts import ANN, CANARY, HERS, OTHER, THEIRS, about, assert_safe, assert_whole, ids, truth
from tests.support.http import serving
from tests.support.scripted_fhir import BASE, Answer, Asked, Fault, ScriptedFhir, bundle, in_process, outcome

ALLERGY = "AllergyIntolerance"
EVERYBODY = [*HERS, *THEIRS]


def on(path: str, answer: Answer | Callable[[Asked], Answer]) -> Fault:
    """The fault for requests whose path starts or ends so."""

    def fault(asked: Asked) -> Answer | None:
        if not (asked.path.startswith(path) or asked.path.endswith(path)):
            return None
        return answer(asked) if callable(answer) else answer

    return fault


def after_first_page(answer: Answer) -> Fault:
    return lambda asked: answer if "_start" in asked.params else None


def mixed_in(asked: Asked) -> Answer | None:
    """A server that drops its parameters: everybody's resources, whoever was asked for."""
    if asked.path.endswith("$everything"):
        return Answer(body=bundle(EVERYBODY))
    if asked.path in CHART:
        return Answer(body=bundle(one for one in EVERYBODY if one["resourceType"] == asked.path))
    return None


def next_link(url: str) -> Fault:
    def fault(asked: Asked) -> Answer | None:
        if asked.path.endswith("$everything") or asked.path == ALLERGY:
            mine = [one for one in HERS if asked.path != ALLERGY or one["resourceType"] == ALLERGY]
            return Answer(body=bundle(mine[:2], link=[{"relation": "next", "url": url}]))
        return None

    return fault


HTML = Answer(200, b"<html><body>Sign in</body></html>", {"content-type": "text/html"})
TRUNCATED = Answer(200, json.dumps(bundle(HERS)).encode()[:900])
REMARK = Answer(200, outcome(200, "not-supported").body)
REDIRECT = Answer(302, b"", {"location": "http://elsewhere.test/"})
HALF = Answer(body={**bundle(HERS[:5]), "total": len(HERS)})
CRUMBS = Answer(body={"resourceType": "Bundle", "entry": ["x", {}, {"resource": 7}, {"resource": {"id": "a"}}]})
LOSSY = Answer(
    body=bundle(
        [*HERS[:4], {"resourceType": "OperationOutcome", "issue": [{"severity": "warning", "code": "timeout"}]}]
    )
)

LOST = Answer(
    body=bundle(
        [*HERS[:4], {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "not-supported"}]}]
    )
)

EVERY_REQUEST: dict[str, tuple[Answer, str]] = {
    "500": (outcome(500, "exception", CANARY), "server_error"),
    "500 for a reason of its own": (outcome(500, CANARY), "server_error"),
    "502 in HTML": (Answer(502, b"<html>"), "server_error"),
    "busy for long": (Answer(503, b"", {"retry-after": "120"}), "server_error"),
    "too many requests": (Answer(429, b"", {"retry-after": "3600"}), "rate_limit"),
    "401 for ever": (outcome(401, "login"), "not_configured"),
    "403": (outcome(403, "forbidden"), "not_configured"),
    "404 of a web server": (Answer(404, b"<html>"), "not_configured"),
    "HTML": (HTML, "invalid_response"),
    "truncated JSON": (TRUNCATED, "invalid_response"),
    "a remark": (REMARK, "invalid_response"),
    "redirect": (REDIRECT, "invalid_response"),
    "no object": (Answer(200, b"[]"), "invalid_response"),
    "nothing": (Answer(200, b""), "invalid_response"),
    "NaN": (Answer(200, b'{"resourceType":"Patient","id":NaN}'), "invalid_response"),
    "bottomless": (Answer(200, b"[" * 100_000), "invalid_response"),
    "another's chart": (Answer(body=THEIRS[0]), "invalid_response"),
    "too large": (Answer(200, b" " * 300_000), "invalid_response"),
    "slow": (Answer(200, HERS[0], delay_s=30), "timeout"),
}


@pytest.mark.parametrize("everything", [True, False], ids=["everything", "searches"])
@pytest.mark.parametrize("name", EVERY_REQUEST)
async def test_a_server_that_fails_at_everything_is_one_typed_error(name: str, everything: bool) -> None:
    answer, error_type = EVERY_REQUEST[name]
    server = ScriptedFhir(HERS, lambda asked: None if asked.path == "metadata" else answer, everything=everything)
    client = in_process(server, deadline_s=0.3 if name == "slow" else 30, most_page_bytes=200_000)
    for call in (client.record(ANN), client.read("Patient", ANN), client.search("Observation", [("patient", ANN)])):
        with pytest.raises(EhrError) as failure:
            await call
        assert failure.value.error_type == error_type
        assert CANARY not in str(failure.value) and ANN not in str(failure.value)


MIDWAY: dict[str, Fault] = {
    "500 on the second page": after_first_page(outcome(500, "exception")),
    "HTML on the second page": after_first_page(HTML),
    "truncated second page": after_first_page(TRUNCATED),
    "a remark as second page": after_first_page(REMARK),
    "slow second page": after_first_page(Answer(delay_s=30)),
    "next page on another host": next_link("http://elsewhere.test/fhir/Patient?page=2"),
    "next page outside the base": next_link("http://localhost/admin?page=2"),
    "next page in a circle": next_link(f"{BASE}/AllergyIntolerance?page=2"),
    "next page nowhere": next_link("http://[::1"),
    "half a page": on("$everything", HALF),
    "crumbs": on("$everything", CRUMBS),
    "something was left out": on("$everything", LOSSY),
    "a part failed": on("$everything", LOST),
    "everything fails": on("$everything", outcome(500, "exception")),
    "everything is not there": on("$everything", outcome(404, "not-found")),
    "everything is somebody else's": on("$everything", Answer(body=bundle(THEIRS))),
    "everything holds others too": on("$everything", Answer(body=bundle(EVERYBODY))),
    "everything without allergies": on(
        "$everything", Answer(body=bundle(one for one in HERS if one["resourceType"] != ALLERGY))
    ),
    "no metadata": on("metadata", outcome(500, "exception")),
    "metadata never comes": on("metadata", Answer(delay_s=30)),
    "metadata in HTML": on("metadata", HTML),
}


@pytest.mark.parametrize("name", MIDWAY)
async def test_what_is_vital_survives_a_fault_midway_or_is_told_missing(name: str) -> None:
    server = ScriptedFhir(EVERYBODY, MIDWAY[name], page=10)
    patience = 2.0 if name in ("slow second page", "metadata never comes") else 30
    record = await in_process(server, deadline_s=patience).record(ANN)
    assert record is not None
    assert_safe(record)
    if "next page" in name:
        assert record.missing(ALLERGY)
    else:
        assert_whole(record, *VITAL)


FAILING_ALLERGIES: dict[str, tuple[Answer, str]] = {
    "500": (outcome(500, "exception"), "server_error"),
    "403": (outcome(403, "forbidden"), "not_configured"),
    "no such kind": (outcome(404, "not-supported"), "not_configured"),
    "unknown parameter": (outcome(400, "invalid"), "invalid_args"),
    "HTML": (HTML, "invalid_response"),
    "half a page": (Answer(body={**bundle([]), "total": 3}), "invalid_response"),
    "somebody else's": (
        Answer(body=bundle(one for one in THEIRS if one["resourceType"] == ALLERGY)),
        "invalid_response",
    ),
    "of another kind": (
        Answer(body=bundle(one for one in HERS if one["resourceType"] == "Condition")),
        "invalid_response",
    ),
    "of no patient": (
        Answer(body=bundle([{"resourceType": ALLERGY, "id": "x", "code": {"text": CANARY}}])),
        "invalid_response",
    ),
    "slow": (Answer(delay_s=30), "timeout"),
}


@pytest.mark.parametrize("name", FAILING_ALLERGIES)
async def test_allergies_that_cannot_be_read_are_a_gap_and_the_rest_is_there(name: str) -> None:
    answer, reason = FAILING_ALLERGIES[name]
    server = ScriptedFhir(EVERYBODY, lambda asked: answer if asked.path == ALLERGY else None, everything=False)
    record = await in_process(server, deadline_s=0.5 if name == "slow" else 30).record(ANN)
    assert record is not None
    assert_safe(record)
    assert [gap.reason for gap in record.missing(ALLERGY)] == [reason]
    if name != "slow":
        assert_whole(record, *(kind for kind in CHART if kind != ALLERGY))


@pytest.mark.parametrize("everything", [True, False])
async def test_a_server_that_ignores_whom_it_is_asked_about_shows_nobody_else(everything: bool) -> None:
    server = ScriptedFhir(EVERYBODY, mixed_in, everything=everything)
    record = await in_process(server).record(ANN)
    assert record is not None
    assert_safe(record)
    assert {gap.kind for gap in record.gaps} == set(CHART)
    assert record.strangers == len(CHART) * 3 + (1 if everything else 0)
    hits = await in_process(server).search(ALLERGY, [("patient", ANN)])
    assert {one["id"] for one in hits.resources} == truth(ALLERGY) and not hits.complete


async def test_a_childs_allergy_that_she_reported_is_left_out_without_casting_doubt_on_hers() -> None:
    childs = about(ALLERGY, "childs", OTHER, CANARY, asserter={"reference": f"Patient/{ANN}"})
    server = ScriptedFhir(HERS, on("$everything", Answer(body=bundle([*HERS, childs]))))
    record = await in_process(server).record(ANN)
    assert record is not None and record.strangers == 1 and record.gaps == ()
    assert_safe(record)


async def test_an_allergy_on_the_last_of_many_pages_is_there() -> None:
    notes = [about("DocumentReference", f"note-{number:05}", ANN, "words " * 170) for number in range(10_000)]
    last = about(ALLERGY, "last", ANN, "penicillin")
    size = sum(len(json.dumps(one)) for one in notes)
    assert size > 10_000_000
    record = await in_process(ScriptedFhir([HERS[0], *notes, last]), deadline_s=60).record(ANN)
    assert record is not None and record.gaps == ()
    assert ids(record, ALLERGY) == {"last"} and len(record.of("DocumentReference")) == 10_000


@pytest.mark.parametrize("page", [1000, 50])
async def test_of_a_chart_larger_than_may_be_read_allergies_are_still_read(page: int) -> None:
    notes = [about("DocumentReference", f"note-{number:05}", ANN, "words " * 170) for number in range(2_000)]
    server = ScriptedFhir([*HERS, *notes], page=page)
    record = await in_process(server, most_bytes=1_500_000, deadline_s=30).record(ANN)
    assert record is not None
    assert_whole(record, *VITAL)
    assert record.missing("DocumentReference")


async def test_pages_in_a_circle_are_left_at_once() -> None:
    server = ScriptedFhir(HERS, next_link(f"{BASE}/AllergyIntolerance?page=2"), everything=False)
    record = await in_process(server).record(ANN, ["AllergyIntolerance"])
    assert record is not None and record.missing(ALLERGY)
    assert server.paths().count(ALLERGY) == 2


async def test_drugs_beyond_what_may_be_fetched_are_told_missing() -> None:
    drugs = [{"resourceType": "Medication", "id": f"m{number:03}"} for number in range(205)]
    orders = [
        about(
            "MedicationRequest",
            f"o-{drug['id']}",
            ANN,
            "",
            medicationReference={"reference": f"Medication/{drug['id']}"},
        )
        for drug in drugs
    ]
    record = await in_process(ScriptedFhir([HERS[0], *drugs, *orders], everything=False), deadline_s=30).record(ANN)
    assert record is not None
    assert (len(record.of("MedicationRequest")), len(record.of("Medication"))) == (205, 200)
    assert [(gap.kind, gap.reason) for gap in record.gaps] == [("Medication", "invalid_response")]


async def test_a_drug_named_by_reference_is_fetched_and_one_that_is_nowhere_is_told() -> None:
    def ordered(id_: str, reference: str, **more: Any) -> dict[str, Any]:
        return about("MedicationRequest", id_, ANN, "", medicationReference={"reference": reference}, **more)

    drug = {"resourceType": "Medication", "id": "w", "ingredient": [{"itemReference": {"reference": "Medication/i"}}]}
    part = {"resourceType": "Medication", "id": "i", "code": {"text": "warfarin"}}
    unasked = {"resourceType": "Medication", "id": "u"}
    inside = ordered("in", "#m", contained=[{"resourceType": "Medication", "id": "m"}])
    sound = [HERS[0], ordered("a", "Medication/w"), ordered("b", f"{BASE}/Medication/w/_history/3"), inside]
    for everything in (True, False):
        server = ScriptedFhir([*sound, drug, part, unasked], everything=everything)
        record = await in_process(server).record(ANN)
        assert record is not None and ids(record, "Medication") == {"w", "i"} and record.gaps == ()
        for nowhere in ("Medication/gone", "#gone", "https://elsewhere.test/fhir/Medication/w", "urn:uuid:1"):
            server = ScriptedFhir([*sound, drug, part, ordered("c", nowhere)], everything=everything)
            record = await in_process(server).record(ANN)
            assert record is not None and [(gap.kind, gap.reason) for gap in record.gaps] == [
                ("Medication", "not_found")
            ]
            assert len(record.of("MedicationRequest")) == 4


@pytest.mark.parametrize("faulty", ["$everything", ALLERGY])
@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=bundle(HERS), cut_at=700),
        Answer(body=bundle(HERS), drip_s=0.05),
        Answer(status=500, body=b"", cut_at=0, headers={"content-length": "10"}),
    ],
    ids=["cut", "drip", "cut before a word"],
)
async def test_over_real_sockets_a_broken_answer_is_no_answer(answer: Answer, faulty: str) -> None:
    server = ScriptedFhir(EVERYBODY, on(faulty, answer), everything=faulty == "$everything")
    async with serving(server) as origin, Door() as door:
        record = await FhirClient(door, f"{origin}/fhir", deadline_s=2.5 if answer.drip_s else 30).record(ANN)
    assert record is not None
    assert_safe(record)
    if faulty == ALLERGY:
        assert record.missing(ALLERGY)
    else:
        assert_whole(record, *VITAL)


def _wrecks() -> st.SearchStrategy[Answer | None]:
    answers = [None, outcome(500), outcome(403), HTML, TRUNCATED, REMARK, REDIRECT, HALF, CRUMBS, LOSSY]
    answers += [Answer(body=bundle(THEIRS)), Answer(body=bundle(EVERYBODY)), Answer(body=THEIRS[0]), Answer(body={})]
    answers += [Answer(body=bundle(HERS[:7], link=[{"relation": "next", "url": f"{BASE}/Observation?_start=9"}]))]
    answers += [Answer(body=bundle(THEIRS[5:9], link=[{"relation": "next", "url": "//elsewhere.test/fhir"}]))]
    return st.sampled_from(answers)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
async def test_whatever_fails_in_whatever_order_nothing_foreign_is_shown_and_nothing_is_lost(
    data: st.DataObject,
) -> None:
    server = ScriptedFhir(
        EVERYBODY,
        lambda asked: data.draw(_wrecks(), label=asked.path),
        everything=data.draw(st.booleans()),
        page=data.draw(st.sampled_from([2, 10, 1000])),
    )
    try:
        record = await in_process(server, deadline_s=5).record(ANN)
    except EhrError:
        return
    assert record is not None
    assert_safe(record)


_NAMES = st.sampled_from([
    "resourceType", "id", "entry", "resource", "link", "relation", "url", "search", "mode", "total", "issue", "code",
    "severity", "subject", "patient", "reference", "contained", "medicationReference", "ingredient", "itemReference",
    "rest", "operation", "name", "extension", "implementation",
])  # fmt: skip
_WORDS = st.sampled_from(["Bundle", "Patient", ANN, "next", "#m", f"Patient/{ANN}", "MedicationRequest", "", "error"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(_NAMES, _JSON, max_size=5), st.lists(st.dictionaries(_NAMES, _JSON, max_size=6), max_size=4))
async def test_no_json_is_more_than_a_typed_error_or_a_gap(
    anything: dict[str, Any], parts: list[dict[str, Any]]
) -> None:
    hers = [{**part, **about("MedicationRequest", f"m{number}", ANN, "")} for number, part in enumerate(parts)]
    for answer in (
        Answer(body=anything),
        Answer(body=bundle([*parts, *hers])),
        Answer(body={**bundle(parts), **anything}),
    ):
        server = ScriptedFhir(HERS, lambda asked, answer=answer: answer if asked.kind != "Patient" else None)
        server.everything = False
        record = await in_process(server).record(ANN)
        assert record is not None
        with suppress(EhrError):
            await in_process(server).search("Condition", [("patient", ANN)])
