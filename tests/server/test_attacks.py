"""Ways in that were tried over real sockets, and what stands before them now."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Message

from docgemma.errors import BadInput, Conflict, UnknownId
from docgemma.server.fields import told as told_fields
from docgemma.server.identity.bodies import LONGEST_S, Body
from docgemma.server.routes.orders import Seen
from docgemma.server.routes.review import of_that_form
from docgemma.server.runs.feed import Feed, Subscription
from docgemma.server.runs.model import RunEvent
from docgemma.server.runs.sse import CHECK_S, HEARTBEAT_S, EventStream
from docgemma.server.serving import Plan, hosts_of
from docgemma.store.events import Events
from tests.server.conftest import SignIn, http
from tests.server.paced import PacedModel, process, question, told
from tests.server.people import Ward
from tests.server.small_site import browser, sign_in, small_site, token_on
from tests.support.virtual_time import now, run_virtually

SECRET = "Maria Garcia, born 1958-04-12"


async def test_who_may_not_ask_any_more_reads_no_chart_in_what_they_asked_before(
    ward: Ward, signed_in_as: SignIn
) -> None:
    """A token outlives a change of the role: it then opens what the new role may, and no more."""
    site = ward.site
    clara = await signed_in_as("clara")
    about = "Find patient Maria Garcia"
    run = (await clara.post("/runs", json={"text": about})).json()
    assert "Garcia" in (await clara.get(run["events"])).text
    token = await site.accounts.tokens.issue("clara", "laptop", 1)
    await site.accounts.set_role("clara", "reviewer")
    async with http(ward.app, Authorization=f"Bearer {token}") as demoted:
        session, role = run["session_id"], {"role": "nurse", "text": "What is diabetes?"}
        for answer in (
            await demoted.get(f"/runs/{run['run_id']}"),
            await demoted.get(run["events"]),
            await demoted.get(f"{run['events']}?as=html"),
            await demoted.post(f"/runs/{run['run_id']}/stop"),
            await demoted.get(f"/consult/{session}"),
            await demoted.post("/runs", json={"retry": True, "session_id": session}),
            await demoted.post("/runs", json={**role, "session_id": session}),
        ):
            assert answer.status_code == 404, f"{answer.request.method} {answer.request.url}"
            assert "Garcia" not in answer.text
        unseen = await demoted.post("/runs", json={**role, "image_id": "img-" + "0" * 32})
        assert (unseen.status_code, "without a role" in unseen.text) == (400, True)
        assert (await demoted.post("/runs", json=role)).status_code == 202
        page = (await demoted.get("/consult", headers={"Accept": "text/html"})).text
        assert "Garcia" not in page
        assert role["text"] in page, "what may still be read is listed"


async def _streamed(reader: Subscription, allowed: bool) -> tuple[bytes, float]:
    """What is sent to a reader who may read on or not, and when the stream ends."""

    @asynccontextmanager
    async def watching() -> AsyncIterator[Subscription]:
        yield reader

    async def tell(event: RunEvent) -> bytes:
        return event.kind.encode()

    async def still() -> bool:
        return allowed

    async def receive() -> Message:
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    sent: list[bytes] = []

    async def send(message: Message) -> None:
        sent.append(message.get("body", b""))

    began = now()
    async with asyncio.timeout(60):
        await EventStream(watching(), tell, still)({"type": "http"}, receive, send)
    return b"".join(sent), now() - began


def test_the_stream_of_somebody_who_may_not_read_any_more_ends() -> None:
    """Without a word of what came meanwhile; a silent one at the next beat."""

    async def silent() -> tuple[bytes, float]:
        return await _streamed(Subscription(Feed("r"), 0), allowed=False)

    async def busy(allowed: bool) -> tuple[bytes, float]:
        feed = Feed("r")
        later = asyncio.get_running_loop().call_later
        later(CHECK_S + 1, feed.add, (RunEvent(1, "text"), RunEvent(2, "done")))
        return await _streamed(Subscription(feed, 0), allowed=allowed)

    assert run_virtually(silent())[1] == pytest.approx(HEARTBEAT_S)
    assert b"text" in run_virtually(busy(True))[0]
    cut, after = run_virtually(busy(False))
    assert b"text" not in cut
    assert after == pytest.approx(CHECK_S + 1)


def _asked(kind: str, body: bytes) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-type", kind.encode())]}
    return Request(scope, receive)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        pytest.param("application/json", b'{"hash": "mine", "hash": "another"}', id="json"),
        pytest.param("application/x-www-form-urlencoded", b"hash=mine&hash=another", id="form"),
    ],
)
async def test_a_field_that_says_two_things_is_refused(kind: str, body: bytes) -> None:
    with pytest.raises(BadInput, match="each field once"):
        await told_fields(_asked(kind, body), Seen)


async def test_one_of_our_own_origins_does_not_make_up_for_another(tmp_path: Path) -> None:
    async with small_site(tmp_path, with_accounts=True) as app, browser(app) as client:
        await sign_in(client, "pru")
        own = str(client.base_url).rstrip("/")
        token = token_on(await client.get("/password", headers={"Accept": "text/html"}))
        for origins, status in (((own,), 200), ((own, "http://evil.example"), 403)):
            headers = [("Origin", origin) for origin in origins] + [("X-CSRF-Token", token)]
            assert (await client.post("/things", headers=headers)).status_code == status, origins


async def test_a_request_that_ends_in_two_places_is_refused_and_its_connection_closed(tmp_path: Path) -> None:
    async with small_site(tmp_path, with_accounts=False) as app, browser(app) as client:
        headers = {"Content-Length": "4", "Transfer-Encoding": "chunked"}
        answer = await client.post("/things", content=b"0\r\n\r\n", headers=headers)
        assert (answer.status_code, answer.headers["Connection"]) == (400, "close")


async def test_an_answer_that_breaks_off_tells_the_log_its_kind_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The server prints the traceback of whatever reaches it, with the words of the error."""

    async def pieces() -> AsyncIterator[str]:
        yield "half "
        raise LookupError(SECRET)

    caplog.set_level(logging.INFO)
    async with small_site(tmp_path, with_accounts=False) as app, browser(app) as client:

        @app.get("/half")
        async def half() -> StreamingResponse:
            return StreamingResponse(pieces())

        client._transport.raise_app_exceptions = True  # type: ignore[attr-defined]
        with pytest.raises(AssertionError):  # the transport's own, for an answer that never ends
            await client.get("/half")
    assert "LookupError" in caplog.text
    assert SECRET not in caplog.text
    assert not any(record.exc_info for record in caplog.records)


def test_a_body_that_comes_a_letter_at_a_time_is_given_up_and_one_that_is_there_is_not() -> None:
    async def slowly() -> Message:
        await asyncio.sleep(20)
        return {"type": "http.request", "body": b"a", "more_body": True}

    async def slow() -> float:
        began, body = now(), Body(_scope(), slowly)
        with pytest.raises(HTTPException) as refused:
            while True:
                await body.receive()
        assert refused.value.status_code == 408
        return now() - began

    async def watched() -> str:
        left = [{"type": "http.request", "body": b"all", "more_body": False}]

        async def receive() -> Message:
            if left:
                return left.pop()
            await asyncio.sleep(3600)
            return {"type": "http.disconnect"}

        body = Body(_scope(), receive)
        await body.receive()
        return str((await body.receive())["type"])

    assert run_virtually(slow()) == pytest.approx(LONGEST_S)
    assert run_virtually(watched()) == "http.disconnect"


def _scope() -> dict[str, Any]:
    return {"type": "http", "method": "POST", "path": "/login", "headers": []}


@pytest.mark.parametrize(
    ("host", "ours", "not_ours"),
    [
        ("127.0.0.1", {"127.0.0.1:8600", "localhost:8600", "[::1]:8600"}, {"0.0.0.0:8600", "[::]:8600"}),
        ("::1", {"[::1]:8600", "localhost"}, {"::1:8600"}),
        ("fd00::7", {"[fd00::7]:8600", "[fd00::7]", "clinic.example:8600"}, {"fd00::7", "localhost:8600"}),
        ("::", {"clinic.example:8600"}, {"[::]:8600", "::", "[::]"}),
        ("0.0.0.0", {"clinic.example"}, {"0.0.0.0", "0.0.0.0:8600"}),
    ],
)
def test_the_names_that_are_ours(host: str, ours: set[str], not_ours: set[str]) -> None:
    found = set(hosts_of(Plan("nina", host, names=("clinic.example",))))
    assert ours <= found
    assert not not_ours & found


async def test_the_id_of_a_run_that_is_forgotten_does_not_swallow_another_question(tmp_path: Path) -> None:
    model = PacedModel()
    async with process(tmp_path, model) as (runs, on):
        model.let()
        first = await runs.start(question(turn_id="r1"))
        await told(runs, first)
        await Events(on.store.database).prune(datetime.now(UTC) + timedelta(days=1))
        assert (await runs.start(question(turn_id="r1"))).session_id == first.session_id
        with pytest.raises(Conflict, match="another question"):
            await runs.start(question("What is asthma?", turn_id="r1"))


@pytest.mark.parametrize("name", ["\x00", "a\x00b", "", "../x", "é", "a b", "²"], ids=ascii)
def test_what_cannot_be_an_item_is_not_looked_for(name: str) -> None:
    """PostgreSQL refuses to be asked for a NUL, and the reader was told the address of the database."""
    with pytest.raises(UnknownId, match="of that form"):
        of_that_form(name)
    assert of_that_form("3f9a0c") == "3f9a0c"
