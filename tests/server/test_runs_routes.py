"""Asking over HTTP: what a program or the page's script sends, and what it is told."""

from __future__ import annotations

import json
from dataclasses import dataclass

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.server.context import Site
from docgemma.server.runs.sse import message, place_of
from tests.server.conftest import SignIn

QUESTION = "Check FDA warnings for dofetilide"


@dataclass(frozen=True)
class Heard:
    number: int | None
    name: str
    data: str


def parsed(stream: str) -> list[Heard]:
    """As a browser reads it."""
    heard = []
    for block in stream.replace("\r\n", "\n").split("\n\n"):
        fields: dict[str, list[str]] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
        if "data" in fields:
            number = int(fields["id"][0]) if "id" in fields else None
            heard.append(Heard(number, fields.get("event", ["message"])[0], "\n".join(fields["data"])))
    return heard


@given(
    st.sampled_from(["step", "text", "turn"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")),
    st.none() | st.integers(0, 10**9),
)
def test_what_is_sent_is_what_a_browser_reads(name: str, data: str, number: int | None) -> None:
    assert parsed(message(name, data, number).decode()) == [Heard(number, name, data)]


@pytest.mark.parametrize(
    ("header", "after", "place"),
    [
        (None, None, 0),
        (None, 7, 7),
        ("9", 7, 9),
        ("", 7, 7),
        ("x", None, 0),
        ("²", None, 0),
        ("-3", 2, 2),
        (None, -1, 0),
    ],
    ids=ascii,
)
def test_a_reader_goes_on_where_the_browser_says(header: str | None, after: int | None, place: int) -> None:
    assert place_of(header, after) == place


async def asked(client: httpx.AsyncClient, **fields: object) -> httpx.Response:
    return await client.post("/runs", json={"text": QUESTION, **fields})


async def test_a_question_runs_and_tells_its_events_as_data(client: httpx.AsyncClient, site: Site) -> None:
    answer = await asked(client, run_id="click-1")
    run = answer.json()
    assert answer.status_code == 202
    assert run["page"] == f"/sessions/{run['session_id']}"
    assert (await asked(client, run_id="click-1")).json()["session_id"] == run["session_id"]
    stream = await client.get(run["events"])
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.headers["cache-control"] == "no-store"
    assert "retry: 1000" in stream.text
    heard = parsed(stream.text)
    assert [each.number for each in heard] == list(range(1, len(heard) + 1))
    assert (heard[0].name, heard[-1].name) == ("begun", "done")
    assert json.loads(heard[-1].data) == {"turn_id": "click-1"}
    assert (await client.get("/runs/click-1")).json()["state"] == "done"

    for seen in (1, len(heard) - 1):
        again = await client.get(run["events"], headers={"Last-Event-ID": str(seen)})
        assert parsed(again.text) == heard[seen:]
    over = await client.get(run["events"], headers={"Last-Event-ID": str(len(heard))})
    assert over.status_code == 204, "or the browser would come back for ever"

    page = parsed((await client.get(f"{run['events']}?as=html")).text)
    assert page[-1].name == "turn"
    assert "dofetilide" in page[-1].data
    assert not any("<script" in each.data for each in page)


async def test_the_script_gets_the_turn_that_runs_and_forms_without_script_its_page(client: httpx.AsyncClient) -> None:
    part = await client.post("/runs", json={"text": "Hi <b>"}, headers={"X-Fragment": "1", "Accept": "text/html"})
    assert part.status_code == 202
    assert part.headers["x-page"] == f"/sessions/{part.headers['x-session']}"
    assert "Hi &lt;b&gt;" in part.text
    assert "/events?as=html" in part.text
    form = {"text": "thanks", "session_id": part.headers["x-session"]}
    run_id = part.text.partition('data-stream="/runs/')[2].partition("/")[0]
    await client.get(f"/runs/{run_id}/events")
    plain = await client.post("/runs", data=form, headers={"Accept": "text/html"})
    assert (plain.status_code, plain.headers["location"]) == (303, part.headers["x-page"])
    stopped = await client.post(f"/runs/{run_id}/stop", headers={"X-Fragment": "1"})
    assert (stopped.status_code, stopped.text) == (202, "")


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"text": " "}, 400, "empty"),
        ({"text": "x" * 20_001}, 400, "characters"),
        ({"session_id": "nowhere"}, 404, "no session"),
        ({"image_id": "img-1"}, 404, "no image"),
        ({"role": "wizard"}, 404, "wizard"),
        ({"patient_id": "nobody"}, 404, "patient"),
        ({"run_id": "a b"}, 400, "id"),
        ({"language": "xx"}, 422, "language"),
        ({"graph": "wandering"}, 422, "graph"),
        ({"role": "nurse", "graph": "triage"}, 400, "a graph of its own"),
        ({"retry": True}, 400, "session_id"),
        ({"retry": True, "session_id": "nowhere"}, 404, "no session"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
async def test_what_cannot_be_asked_is_refused_in_a_sentence_and_leaves_nothing(
    client: httpx.AsyncClient, site: Site, fields: dict[str, object], status: int, words: str
) -> None:
    answer = await asked(client, **fields)
    assert answer.status_code == status, answer.text
    assert words in answer.json()["error"]
    assert await site.app.store.list_sessions("local") == ()


async def test_a_question_may_name_its_graph(client: httpx.AsyncClient) -> None:
    run = (await asked(client, text="Check FDA warnings for dofetilide", graph="decompose")).json()
    assert parsed((await client.get(run["events"])).text)[-1].name == "done"
    record = (await client.get(f"/turns/{run['run_id']}", headers={"Accept": "application/json"})).json()
    assert (record["graph"], record["versions"]["graph"]) == ("decompose", "decompose")
    drawn = (await client.get(f"/turns/{run['run_id']}/path")).text
    assert "Taking the request apart" in drawn


async def test_another_persons_run_is_unknown_and_a_patient_only_consults(signed_in_as: SignIn) -> None:
    pru, paul, pat = await signed_in_as("pru"), await signed_in_as("paul"), await signed_in_as("pat")
    run = (await asked(pru)).json()
    for method, path in (("GET", ""), ("GET", "/events"), ("POST", "/stop")):
        answers = [await paul.request(method, f"/runs/{each}{path}") for each in (run["run_id"], "nowhere")]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].text.replace(run["run_id"], "nowhere") == answers[1].text
    assert (await asked(pat)).status_code == 403
    assert (await asked(pat, role="nurse")).status_code == 403
    mine = await asked(pat, text="What is HbA1c?", role="patient_diabetes")
    assert (mine.status_code, mine.json()["page"]) == (202, f"/consult/{mine.json()['session_id']}")
    assert parsed((await pat.get(mine.json()["events"])).text)[-1].name == "done"
