"""The one door to the network: deadlines, size caps, typed failures that tell nothing about a patient."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest

from docgemma.fetch.door import Door, FetchError
from tests.support.model_server import Answer, ModelServer, failing, raw

SECRET = "Jane-Doe-1955"


def _door(handler: object) -> Door:
    return Door(httpx2.MockTransport(handler))  # type: ignore[arg-type]


async def _post(door: Door, server: ModelServer, **options: float) -> bytes:
    limits = {"deadline_s": 5.0, "max_bytes": 100_000, **options}
    reply = await door.json("POST", f"{server.url}/chat/completions?name={SECRET}", json={"x": SECRET}, **limits)  # type: ignore[arg-type]
    return reply.body


async def test_sends_json_and_returns_any_status() -> None:
    def handler(request: httpx2.Request) -> httpx2.Response:
        assert request.read() == '{"dose":"5 µg"}'.encode()
        assert request.headers["content-type"] == "application/json"
        return httpx2.Response(418, headers={"X-Kind": "tea"}, content=b"short")

    async with _door(handler) as door:
        reply = await door.json("POST", "http://clinic.test/x", json={"dose": "5 µg"}, deadline_s=1)
    assert (reply.status, reply.headers["x-kind"], reply.body) == (418, "tea", b"short")


async def test_sends_a_form_whose_names_may_come_twice() -> None:
    def handler(request: httpx2.Request) -> httpx2.Response:
        assert request.read() == b"name=M%C3%A1rta+O%27Hara&date=ge1970&date=le1980"
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        return httpx2.Response(200)

    form = [("name", "Márta O'Hara"), ("date", "ge1970"), ("date", "le1980")]
    async with _door(handler) as door:
        assert (await door.json("POST", "http://clinic.test/x", form=form, deadline_s=1)).status == 200


async def test_follows_no_redirect_and_keeps_no_cookie() -> None:
    seen: list[httpx2.Request] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(302, headers={"location": "http://elsewhere.test/", "set-cookie": "who=jane"})

    async with _door(handler) as door:
        assert (await door.json("GET", "http://clinic.test/", deadline_s=1)).status == 302
        await door.json("GET", "http://clinic.test/", deadline_s=1)
    assert [request.url.host for request in seen] == ["clinic.test", "clinic.test"]
    assert "cookie" not in seen[1].headers


async def test_an_application_in_this_process_can_stand_behind_it() -> None:
    async def app(scope: dict[str, object], receive: object, send: object) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]
        await send({"type": "http.response.body", "body": b"ok"})  # type: ignore[operator]

    async with Door(httpx2.ASGITransport(app=app)) as door:  # type: ignore[arg-type]
        assert (await door.json("GET", "http://clinic.test/", deadline_s=1)).body == b"ok"


async def test_one_connection_serves_many_calls() -> None:
    async with ModelServer() as server, Door() as door:
        for _ in range(3):
            await _post(door, server)
        for _ in range(3):
            options = {"json": {"stream": True}, "deadline_s": 5.0}
            async with door.stream_lines("POST", f"{server.url}/chat/completions", **options) as lines:  # type: ignore[arg-type]
                async for line in lines:
                    if "[DONE]" in line:
                        await lines.finish()
                        break
        assert len(server._connections) == 1


@pytest.mark.parametrize(
    ("answer", "options", "kind"),
    [
        (Answer("x", delay_s=30), {"deadline_s": 0.1}, "timeout"),
        (Answer(endless_headers=True), {"deadline_s": 0.2}, "timeout"),
        (raw(b"x" * 5000), {"max_bytes": 4999}, "too_large"),
        (Answer("x" * 500, hangs_up_after=200), {}, "broken"),
        (Answer("x", hangs_up_after=5), {}, "broken"),
    ],
)
async def test_every_fault_has_its_kind_and_tells_nothing(answer: Answer, options: dict[str, float], kind: str) -> None:
    async with ModelServer(lambda _: answer) as server, Door() as door:
        with pytest.raises(FetchError) as failure:
            await _post(door, server, **options)
    assert failure.value.kind == kind
    assert SECRET not in str(failure.value)
    assert failure.value.__cause__ is None


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/", "gopher://127.0.0.1/", "http://", "http://[::1", "http://x:99999/"]
)
async def test_what_cannot_be_reached_is_refused(url: str) -> None:
    async with Door() as door:
        with pytest.raises(FetchError) as failure:
            await door.json("GET", url, deadline_s=2)
    assert failure.value.kind == "refused"


async def test_status_and_body_of_a_failing_stream_can_be_read() -> None:
    async with (
        ModelServer(lambda _: failing(503, "retry-after: 1")) as server,
        Door() as door,
        door.stream_lines("POST", f"{server.url}/chat/completions", json={}, deadline_s=2) as lines,
    ):
        assert (lines.status, lines.headers["Retry-After"]) == (503, "1")
        assert b"error" in await lines.body()


async def test_lines_are_whole_however_they_arrive() -> None:
    async def cut() -> AsyncIterator[bytes]:
        for byte in "data: µg\r\n\ndata: last".encode():
            yield bytes([byte])

    async with (
        _door(lambda _: httpx2.Response(200, content=cut())) as door,
        door.stream_lines("GET", "http://clinic.test/", deadline_s=1) as lines,
    ):
        assert [line async for line in lines] == ["data: µg", "", "data: last"]


async def test_a_stream_has_a_deadline_and_a_size_cap() -> None:
    async with ModelServer(lambda _: Answer(endless="more ")) as server, Door() as door:
        for options, kind in (({"deadline_s": 0.2}, "timeout"), ({"deadline_s": 20.0, "max_bytes": 9000}, "too_large")):
            with pytest.raises(FetchError) as failure:
                async with door.stream_lines("POST", f"{server.url}/chat/completions", json={}, **options) as lines:  # type: ignore[arg-type]
                    async for _ in lines:
                        pass
            assert failure.value.kind == kind


async def test_time_the_reader_takes_breaks_nothing_of_its_own() -> None:
    """The deadline may end the stream, but only as a typed error at the door, never by cancelling the reader."""
    async with ModelServer(lambda _: Answer(endless="more ")) as server, Door() as door:
        with pytest.raises(FetchError):
            async with door.stream_lines("POST", f"{server.url}/chat/completions", json={}, deadline_s=0.1) as lines:
                async for _ in lines:
                    await asyncio.sleep(0.2)
