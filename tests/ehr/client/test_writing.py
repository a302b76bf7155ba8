"""A write is done, not done, or not known, and never sent twice: what each way of failing makes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ehr.client.auth import BearerToken
from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.contract import Change, EhrError, OutcomeUnknown, Placed, Refused
from docgemma.fetch.door import Door
from tests.ehr.client.charts import CANARY
from tests.ehr.client.test_auth import Clinic, client_of
from tests.support import faulty_http
from tests.support.faulty_http import Step, faulty
from tests.support.scripted_fhir import Answer, Asked, ScriptedFhir, bundle, in_process, outcome

SYSTEM = "urn:docgemma:test-order"
NOTE = "DocumentReference"
URN = "urn:uuid:6d3b7e9e-0b0a-4d0f-9a3b-2f1f1f1f1f1f"
BASE_PATH = "/fhir"

ENTRY = Change({"resourceType": NOTE, "description": CANARY}, URN, if_none_exist=f"identifier={SYSTEM}|a1")
PROOF = Change({"resourceType": "Provenance", "target": [{"reference": URN}]}, if_none_exist=f"_tag={SYSTEM}|a1")
NEW = (ENTRY, PROOF)
MENDED = (Change({"resourceType": NOTE, "id": "n1"}, if_match='W/"1"'), PROOF)


def said(status: str, location: str | None = None, **more: Any) -> dict[str, Any]:
    place = {"location": location} if location else {}
    resource = {"resource": more.pop("resource")} if "resource" in more else {}
    return {**resource, "response": {"status": status, **place, **more}}


def answered(*entries: Any) -> dict[str, Any]:
    return {"resourceType": "Bundle", "type": "transaction-response", "entry": list(entries)}


MADE = said("201 Created", f"{NOTE}/n1/_history/1")
SIGNED = said("201 Created", "Provenance/p1/_history/1")
DONE = answered(MADE, SIGNED)
NO = json.dumps(outcome(422, "invalid", CANARY).body).encode()


def raw(status: int, body: bytes = NO, *headers: str) -> faulty_http.Answer:
    return faulty_http.Answer(status, body, headers, "application/fhir+json")


UNKNOWN: dict[str, tuple[Step, str]] = {
    "dropped before the answer": ("reset", "service_unavailable"),
    "dropped in mid-answer": ("cut_connection", "service_unavailable"),
    "refusal dropped in mid-answer": (faulty_http.Answer(422, NO, says=5000), "service_unavailable"),
    "never answers": ("timeout", "timeout"),
    "answers in drops": ("slow_drip", "timeout"),
    "larger than may be read": ("huge_body", "invalid_response"),
    "408": (raw(408), "timeout"),
    "500": (raw(500), "server_error"),
    "501": (raw(501), "server_error"),
    "502 from a proxy": (raw(502, b"<html>Bad gateway</html>"), "server_error"),
    "503": (raw(503), "server_error"),
    "503, to be tried again": (raw(503, NO, "retry-after: 0"), "server_error"),
    "redirect": ("redirect_off_host", "invalid_response"),
    "redirect to itself": (raw(307, b"", "location: /fhir"), "invalid_response"),
    "HTML": ("html", "invalid_response"),
    "half a JSON": ("cut_json", "invalid_response"),
    "nothing": ("empty", "invalid_response"),
    "202": (raw(202, b""), "invalid_response"),
    "a list": (raw(200, b"[]"), "invalid_response"),
    "a remark": (raw(200), "invalid_response"),
}


@pytest.mark.parametrize("name", UNKNOWN)
async def test_without_a_usable_answer_it_is_unknown_and_sent_once(name: str) -> None:
    step, error_type = UNKNOWN[name]
    patience = 0.3 if error_type == "timeout" and isinstance(step, str) else 30
    async with faulty(step) as server, Door() as door:
        client = FhirClient(door, f"{server.url}/fhir", deadline_s=patience, most_page_bytes=200_000)
        with pytest.raises(OutcomeUnknown) as failure:
            await client.transact(NEW)
        assert server.requests == 1 and server.heads[0].startswith("POST /fhir HTTP")
    assert failure.value.error_type == error_type
    assert "not known" in str(failure.value) and CANARY not in str(failure.value)


REFUSED = {
    400: "invalid_args",
    401: "not_configured",
    403: "not_configured",
    404: "not_configured",
    405: "not_configured",
    409: "invalid_args",
    410: "not_found",
    412: "invalid_args",
    413: "invalid_args",
    422: "invalid_args",
    429: "rate_limit",
}


@pytest.mark.parametrize("status", REFUSED)
@pytest.mark.parametrize("body", [NO, b"<html>", b""], ids=["told why", "HTML", "nothing"])
async def test_a_definite_no_is_refused_and_sent_once(status: int, body: bytes) -> None:
    async with faulty(raw(status, body, "retry-after: 0")) as server, Door() as door:
        with pytest.raises(Refused) as failure:
            await FhirClient(door, f"{server.url}/fhir").transact(NEW)
        assert server.requests == 1
    assert (failure.value.status, failure.value.error_type) == (status, REFUSED[status])
    assert "Nothing was written" in str(failure.value) and CANARY not in str(failure.value)


async def test_where_nobody_listens_nothing_was_sent() -> None:
    async with faulty("refused") as server, Door() as door:
        with pytest.raises(Refused) as failure:
            await FhirClient(door, f"{server.url}/fhir").transact(NEW)
    assert (failure.value.status, failure.value.error_type) == (0, "service_unavailable")


@pytest.mark.parametrize(("scheme", "ending"), [("https", Refused), ("http", OutcomeUnknown)])
async def test_a_line_cut_before_encryption_stood_carried_nothing(scheme: str, ending: type[EhrError]) -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server, Door() as door:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ending):
            await FhirClient(door, f"{scheme}://127.0.0.1:{port}/fhir").transact(NEW)


async def test_an_old_connection_that_breaks_does_not_make_it_go_out_twice() -> None:
    async with faulty(raw(200, json.dumps(bundle([])).encode()), "reset") as server, Door() as door:
        client = FhirClient(door, f"{server.url}/fhir")
        assert await client.identified(NOTE, SYSTEM, "a1") == ()
        with pytest.raises(OutcomeUnknown):
            await client.transact(NEW)
        assert server.requests == 2


async def test_without_time_left_nothing_is_sent() -> None:
    server = ScriptedFhir()
    with pytest.raises(Refused) as failure:
        await in_process(server, deadline_s=0).transact(NEW)
    assert (failure.value.status, failure.value.error_type, server.asked) == (0, "timeout", [])


async def test_half_a_character_is_not_sent() -> None:
    server = ScriptedFhir()
    broken = Change({"resourceType": NOTE, "description": "\ud800"}, if_none_exist="identifier=x|y")
    with pytest.raises(Refused):
        await in_process(server).transact([broken])
    assert server.asked == []


def taking(answer: Answer | Callable[[Asked], Answer]) -> ScriptedFhir:
    """A server that answers so to every transaction."""
    return ScriptedFhir([], lambda asked: (answer(asked) if callable(answer) else answer) if _tells(asked) else None)


def _tells(asked: Asked) -> bool:
    return asked.path == BASE_PATH and asked.method == "POST"


def placed(kind: str, id_: str, version: str = "", *, created: bool = True) -> Placed:
    return Placed(kind, id_, version, created)


SHOWN = {"resourceType": NOTE, "id": "n1", "meta": {"versionId": "7"}}
PLACED: dict[str, tuple[dict[str, Any], Placed]] = {
    "relative": (said("201", f"{NOTE}/n1/_history/1"), placed(NOTE, "n1", "1")),
    "absolute": (said("201 Created", f"https://h.example/r4/{NOTE}/n1/_history/a-1"), placed(NOTE, "n1", "a-1")),
    "by its tag": (said("201", f"{NOTE}/n1", etag='W/"4"'), placed(NOTE, "n1", "4")),
    "by a strong tag": (said("201", f"{NOTE}/n1", etag='"4"'), placed(NOTE, "n1", "4")),
    "by itself": (said("200 OK", resource=SHOWN), placed(NOTE, "n1", "7", created=False)),
    "by all": (said("201", f"{NOTE}/n1/_history/7", etag='W/"7"', resource=SHOWN), placed(NOTE, "n1", "7")),
    "no version": (said("201", f"{NOTE}/n1"), placed(NOTE, "n1")),
    "two versions": (said("201", f"{NOTE}/n1/_history/1", etag='W/"2"'), placed(NOTE, "n1")),
    "a tag that is no version": (said("201", f"{NOTE}/n1", etag="weak"), placed(NOTE, "n1")),
    "a remark beside it": (said("201", f"{NOTE}/n1", resource=outcome(200).body), placed(NOTE, "n1")),
}


@pytest.mark.parametrize("name", PLACED)
async def test_says_where_an_entry_lies_in_the_version_that_the_server_named(name: str) -> None:
    entry, place = PLACED[name]
    client = in_process(taking(Answer(body=answered(entry, SIGNED))))
    assert await client.transact(NEW) == (place, placed("Provenance", "p1", "1"))


async def test_what_is_replaced_keeps_its_name_even_where_the_server_does_not_repeat_it() -> None:
    server = taking(Answer(body=answered(said("200 OK", etag='W/"2"'), SIGNED)))
    entry, _ = await in_process(server).transact(MENDED)
    assert entry == placed(NOTE, "n1", "2", created=False)


HERE = said("200 OK", "Provenance/p1")
HALF: dict[str, tuple[list[Any], int | None]] = {
    "misses an entry": ([MADE], None),
    "one too many": ([MADE, SIGNED, SIGNED], None),
    "in another order": ([SIGNED, MADE], None),
    "nothing but null": ([None, None], None),
    "of another kind": ([said("201", "Observation/n1"), SIGNED], None),
    "named twice": ([said("201", f"{NOTE}/n2", resource=SHOWN), SIGNED], None),
    "without a name": ([said("201"), SIGNED], None),
    "without a status": ([{"response": {"location": f"{NOTE}/n1"}}, SIGNED], None),
    "with another status": ([said("yes", f"{NOTE}/n1"), SIGNED], None),
    "a redirect inside": ([said("303", f"{NOTE}/n1"), SIGNED], None),
    "refused, but signed": ([said("412"), SIGNED], None),
    "made, but not signed": ([MADE, said("422")], None),
    "a fault inside": ([said("412"), said("500")], None),
    "too slow inside": ([said("412"), said("408")], None),
    "refused, and the rest not told": ([said("412"), {}], None),
    "refused, and the rest unnamed": ([said("412"), said("200")], None),
    "refused, and signed before": ([said("412", outcome=outcome(412, "duplicate", CANARY).body), HERE], 412),
    "all refused": ([said("422 Unprocessable"), said("400")], 422),
}


@pytest.mark.parametrize("name", HALF)
async def test_an_answer_with_a_hole_is_a_no_only_when_nothing_can_have_changed(name: str) -> None:
    entries, status = HALF[name]
    server = taking(Answer(body=answered(*entries)))
    with pytest.raises(Refused if status else OutcomeUnknown) as failure:
        await in_process(server).transact(NEW)
    assert len(server.asked) == 1 and CANARY not in str(failure.value)
    if isinstance(failure.value, Refused):
        assert failure.value.status == status


@pytest.mark.parametrize(("first", "second"), [("412", SIGNED), ("200", said("422"))])
async def test_half_a_replacement_is_unknown(first: str, second: Any) -> None:
    with pytest.raises(OutcomeUnknown):
        await in_process(taking(Answer(body=answered(said(first), second)))).transact(MENDED)


async def test_a_replacement_that_names_another_is_unknown() -> None:
    with pytest.raises(OutcomeUnknown):
        await in_process(taking(Answer(body=answered(said("200", f"{NOTE}/n2"), HERE)))).transact(MENDED)


_STATUS = st.sampled_from(["200", "201 Created", "204", "302", "408", "412", "422", "500", "", "yes", 412, None])
_PLACE = st.sampled_from([f"{NOTE}/n1", f"{NOTE}/n1/_history/1", "Provenance/p1", "x", "", 7, None])
_ENTRY = st.fixed_dictionaries(
    {"response": st.fixed_dictionaries({"status": _STATUS, "location": _PLACE, "etag": _PLACE}) | st.none()},
    optional={"resource": st.sampled_from([SHOWN, {"resourceType": "Provenance", "id": "p1"}, {}, None, []])},
)
_ANY = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists, max_leaves=4)


@settings(max_examples=200, deadline=None)
@given(st.lists(_ENTRY | _ANY, max_size=3), st.sampled_from([NEW, MENDED]))
async def test_whatever_a_server_says_success_names_every_entry_and_a_no_leaves_no_doubt(
    entries: list[Any], changes: tuple[Change, ...]
) -> None:
    server = taking(Answer(body=answered(*entries)))
    statuses = [str((one.get("response") or {}).get("status")) if isinstance(one, dict) else "" for one in entries]
    try:
        places = await in_process(server).transact(changes)
    except Refused:
        assert {"412", "422"} & set(statuses) and set(statuses) <= {"200", "412", "422"}
    except OutcomeUnknown:
        pass
    else:
        assert [one.kind for one in places] == [NOTE, "Provenance"] and all(one.id for one in places)
        assert {one[0] for one in statuses} == {"2"}
    assert len(server.asked) == 1


def doors(clinic: Clinic) -> list[str]:
    """The tokens that transactions came with."""
    return [asked.headers.get("authorization", "").removeprefix("Bearer ") for asked in clinic.asked if _tells(asked)]


def clinic(answer: Answer) -> Clinic:
    """A server that takes only tokens that were not revoked, and then answers so."""
    server = Clinic()
    server.faults.append(lambda asked: _door(server, asked, answer) if _tells(asked) else None)
    return server


def _door(server: Clinic, asked: Asked, answer: Answer) -> Answer:
    token = asked.headers.get("authorization", "").removeprefix("Bearer ")
    return outcome(401, "login") if token in server.revoked or not token else answer


@pytest.mark.parametrize(("answer", "ending"), [(Answer(body=DONE), None), (outcome(500), OutcomeUnknown)])
async def test_a_refused_token_is_renewed_once(answer: Answer, ending: type[EhrError] | None) -> None:
    server = clinic(answer)
    server.revoked = {"token-1"}
    client = client_of(server)
    if ending is None:
        assert [one.id for one in await client.transact(NEW)] == ["n1", "p1"]
    else:
        with pytest.raises(ending):
            await client.transact(NEW)
    assert doors(server) == ["token-1", "token-2"]


async def test_a_token_that_is_refused_again_is_a_definite_no() -> None:
    server = clinic(Answer(body=DONE))
    server.revoked = {"token-1", "token-2", "given"}
    for auth, tokens in ((None, ["token-1", "token-2"]), (BearerToken("given"), ["given"])):
        client = client_of(server, auth)
        server.asked.clear()
        with pytest.raises(Refused) as failure:
            await client.transact(NEW)
        assert failure.value.status == 401 and doors(server) == tokens


async def test_who_gets_no_token_sent_nothing() -> None:
    server = clinic(Answer(body=DONE))
    server.token_answer = lambda: outcome(500)
    with pytest.raises(Refused) as failure:
        await client_of(server).transact(NEW)
    assert (failure.value.status, failure.value.error_type, doors(server)) == (0, "server_error", [])


async def test_who_gets_no_other_token_was_refused() -> None:
    server = clinic(Answer(body=DONE))
    client = client_of(server)
    await client.transact(NEW)
    server.revoked, server.token_answer = {"token-1"}, lambda: outcome(400)
    with pytest.raises(Refused):
        await client.transact(NEW)
    assert doors(server) == ["token-1", "token-1"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ([], "needs an entry"),
        ([Change({"resourceType": NOTE})], "twice"),
        ([ENTRY, Change({"resourceType": "Provenance"})], "twice"),
        ([Change({"resourceType": NOTE, "id": "n1"})], "twice"),
        ([Change({"resourceType": NOTE, "id": "n1"}, if_none_exist="identifier=x|y")], "version that was seen"),
        ([Change({"resourceType": NOTE, "id": "../n1"}, if_match="1")], "version that was seen"),
        ([Change({"resourceType": NOTE}, if_match="1")], "no version"),
    ],
)
async def test_what_could_be_written_twice_is_not_sent(changes: list[Change], why: str) -> None:
    server = taking(Answer(body=DONE))
    with pytest.raises(ValueError, match=why):
        await in_process(server).transact(changes)
    assert server.asked == []


MINE = {"resourceType": NOTE, "id": "n1", "identifier": [{"system": SYSTEM, "value": "a1"}]}
NOT_CERTAIN: dict[str, Answer] = {
    "there is more": Answer(body={**bundle([MINE]), "total": 2}),
    "there may be one": Answer(body={**bundle([]), "total": 1}),
    "another's": Answer(body=bundle([MINE, {**MINE, "id": "n2", "identifier": [{"system": SYSTEM, "value": "a2"}]}])),
    "of another system": Answer(body=bundle([{**MINE, "identifier": [{"system": "urn:x", "value": "a1"}]}])),
    "split over two": Answer(body=bundle([{**MINE, "identifier": [{"system": SYSTEM}, {"value": "a1"}]}])),
    "without one": Answer(body=bundle([{"resourceType": NOTE, "id": "n1"}])),
    "another kind": Answer(body=bundle([{**MINE, "resourceType": "Observation"}])),
    "a crumb": Answer(body=bundle([{"resourceType": NOTE}])),
    "something was left out": Answer(body=bundle([outcome(200, "incomplete").body])),
    "a page that leads elsewhere": Answer(body=bundle([], link=[{"relation": "next", "url": "https://h.test/"}])),
    "not allowed": outcome(403, "forbidden"),
    "down": outcome(500),
    "no such place": Answer(404, b"<html>"),
}


@pytest.mark.parametrize("name", NOT_CERTAIN)
async def test_whether_an_entry_is_there_is_told_for_certain_or_not_at_all(name: str) -> None:
    server = ScriptedFhir([], lambda asked: NOT_CERTAIN[name] if asked.kind == NOTE else None)
    with pytest.raises(EhrError):
        await in_process(server).identified(NOTE, SYSTEM, "a1")


async def test_finds_what_carries_the_identifier_and_asks_strictly() -> None:
    server = ScriptedFhir([MINE])
    assert await in_process(server).identified(NOTE, SYSTEM, "a1") == (MINE,)
    (asked,) = server.asked
    assert asked.headers["prefer"] == "handling=strict" and asked.params["identifier"] == f"{SYSTEM}|a1"
    for system, value in (("", "a1"), (SYSTEM, ""), (SYSTEM, "a1,a2"), (SYSTEM, "a|1")):
        with pytest.raises(ValueError, match="identifier"):
            await in_process(server).identified(NOTE, system, value)
