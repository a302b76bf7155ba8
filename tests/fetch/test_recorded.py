"""A recording replays what was said, without the secrets it was asked with."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx2
import pytest

from docgemma.fetch.door import Door, Reply
from docgemma.fetch.outside import Outside
from tests.support.recorded import RecordedTransport

URL = "https://api.example.test/drug/label.json"


async def _get(transport: RecordedTransport, *params: tuple[str, str], key: str = "s3cret", path: str = "") -> Reply:
    async with Door(transport) as door:
        ends_at = asyncio.get_running_loop().time() + 5
        return await Outside(door).get(URL + path, params, secrets=[("api_key", key)], ends_at=ends_at)


def _upstream(request: httpx2.Request) -> httpx2.Response:
    if request.url.path.endswith(".xml"):
        return httpx2.Response(200, headers={"content-type": "text/xml"}, text="<a>µg</a>")
    return httpx2.Response(404, json={"error": {"message": "Nichts da für µg"}}, headers={"x-request-id": "77"})


async def test_replays_what_was_recorded_for_whatever_key(tmp_path: Path) -> None:
    tape = tmp_path / "labels.json"
    await _get(RecordedTransport(tape, live=httpx2.MockTransport(_upstream)), ("search", "warfarin"), ("limit", "1"))
    replayed = RecordedTransport(tape)
    reply = await _get(replayed, ("limit", "1"), ("search", "warfarin"), key="another")
    assert (reply.status, json.loads(reply.body)["error"]["message"]) == (404, "Nichts da für µg")
    assert reply.headers["content-type"] == "application/json"
    assert replayed.asked == [f"GET {URL}?api_key=***&limit=1&search=warfarin"]


async def test_a_person_can_read_it_and_finds_no_secret(tmp_path: Path) -> None:
    tape = tmp_path / "labels.json"
    await _get(RecordedTransport(tape, live=httpx2.MockTransport(_upstream)), ("search", "warfarin"))
    written = tape.read_text("utf-8")
    assert "s3cret" not in written and "77" not in written
    assert '"message": "Nichts da für µg"' in written


async def test_text_that_is_no_json_is_kept_as_it_is(tmp_path: Path) -> None:
    tape = tmp_path / "spl.json"
    await _get(RecordedTransport(tape, live=httpx2.MockTransport(_upstream)), path="/1.xml")
    assert (await _get(RecordedTransport(tape), path="/1.xml")).body == "<a>µg</a>".encode()


async def test_what_was_not_recorded_is_named_beside_what_was(tmp_path: Path) -> None:
    tape = tmp_path / "labels.json"
    await _get(RecordedTransport(tape, live=httpx2.MockTransport(_upstream)), ("search", "warfarin"))
    with pytest.raises(LookupError, match=r"labels.json has no GET .*search=aspirin[\s\S]*search=warfarin"):
        await _get(RecordedTransport(tape), ("search", "aspirin"))
