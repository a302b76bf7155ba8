"""The faults of public services, met on real sockets."""

from __future__ import annotations

import asyncio

import pytest

from docgemma.fetch.door import Door, FetchError, Kind, Reply
from docgemma.fetch.outside import Outside
from tests.support.faulty_http import FAULTS, Answer, Fault, Step, failed, faulty, good, ok

TIME_S = 2.5
"""For what never ends. The first request of a door reads certificates, which takes long on a busy machine."""

ENDS: dict[Fault, tuple[Kind, int]] = {
    "refused": ("refused", 0),
    "reset": ("broken", 2),
    "http_429": ("busy", 2),
    "http_429_retry_after": ("busy", 1),
    "http_500": ("failing", 2),
    "parse_exception": ("failing", 2),
    "slow_drip": ("timeout", 1),
    "cut_connection": ("broken", 2),
    "huge_body": ("too_large", 1),
    "redirect_off_host": ("redirected", 1),
    "timeout": ("timeout", 1),
}
"""How each ends, and after how many requests. The others are replies, for whoever reads them to judge."""


async def _get(url: str, *, time_s: float = 20, **options: object) -> Reply:
    async with Door() as door:
        ends_at = asyncio.get_running_loop().time() + time_s
        return await Outside(door).get(f"{url}/drug", ends_at=ends_at, max_bytes=100_000, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("fault", sorted(ENDS))
async def test_every_fault_has_its_kind(fault: Fault) -> None:
    kind, requests = ENDS[fault]
    # Enough for a second try after the longest pause, except where a try takes all the time there is.
    time_s = TIME_S if kind == "timeout" else 20
    async with faulty(fault) as server:
        with pytest.raises(FetchError) as failure:
            await _get(server.url, time_s=time_s)
        assert failure.value.kind == kind
        # What takes all the time there is may leave some for a second try.
        assert server.requests == requests or (kind == "timeout" and server.requests == 2)


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - set(ENDS)))
async def test_what_only_its_reader_can_judge_is_a_reply(fault: Fault) -> None:
    async with faulty(fault) as server:
        assert (await _get(server.url)).status == 200
        assert server.requests == 1


async def test_a_query_that_the_service_cannot_read_is_its_answer() -> None:
    async with faulty("parse_exception") as server:
        reply = await _get(server.url, final=lambda reply: b"[parse_exception]" in reply.body)
        assert (reply.status, server.requests) == (500, 1)


@pytest.mark.parametrize("fault", ["reset", "http_429", "http_500", "cut_connection"])
async def test_what_passes_is_not_noticed(fault: Fault) -> None:
    async with faulty(fault, ok(b'{"results": []}')) as server:
        assert (await _get(server.url)).body == b'{"results": []}'
        assert server.requests == 2


async def test_a_drip_leaves_time_for_a_second_try() -> None:
    async with faulty("slow_drip", ok(b"good")) as server:
        assert (await _get(server.url, time_s=5)).body == b"good"


@pytest.mark.parametrize(
    "cut",
    [
        Answer(body=b"", says=10),
        Answer(body=b"123456789", says=10),
        Answer(body=b"5\r\nabc", headers=("transfer-encoding: chunked",), says=0),
    ],
)
async def test_a_reply_cut_short_is_never_taken_for_a_whole_one(cut: Step) -> None:
    async with faulty(cut) as server:
        with pytest.raises(FetchError) as failure:
            await _get(server.url)
        assert failure.value.kind == "broken"


async def test_a_packed_reply_is_not_read() -> None:
    async with faulty(ok(b"\x1f\x8b", "content-encoding: gzip")) as server:
        with pytest.raises(FetchError) as failure:
            await _get(server.url)
        assert failure.value.kind == "broken"


async def test_a_server_without_faults_hears_what_it_is_asked() -> None:
    async with good(lambda target: ok(target.encode()) if "x=1" in target else failed(400)) as server:
        assert (await _get(server.url, params=[("x", "1")])).body == b"/drug?x=1"
        assert server.heads[0].startswith("GET /drug?x=1 ")
