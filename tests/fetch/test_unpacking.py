"""Compressed replies: read in full, never beyond the limit, and never half."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.fetch.door import Door, FetchError, Reply
from docgemma.fetch.outside import Outside, unpacked
from tests.support.faulty_http import faulty, ok

PLAIN = b'{"results": []}' * 1000


def packed(body: bytes, encoding: str = "gzip") -> Reply:
    return Reply(200, {"content-encoding": encoding}, body)


@given(st.binary(max_size=5000))
def test_what_was_packed_comes_out(body: bytes) -> None:
    assert unpacked(packed(gzip.compress(body)), 5000).body == body


@pytest.mark.parametrize("headers", [{}, {"content-encoding": "identity"}, {"content-encoding": " Identity "}])
def test_a_plain_reply_is_left_alone(headers: dict[str, str]) -> None:
    assert unpacked(Reply(200, headers, PLAIN), 10).body == PLAIN


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (packed(gzip.compress(PLAIN)), "too_large"),
        (packed(gzip.compress(bytes(50_000_000))), "too_large"),
        (packed(gzip.compress(b"x" * 900)[:-9]), "broken"),
        (packed(gzip.compress(b"x" * 900) + b"more"), "broken"),
        (packed(b"not packed at all"), "broken"),
        (packed(b""), "broken"),
        (packed(gzip.compress(b"x"), "br"), "broken"),
        (packed(gzip.compress(b"x"), "gzip, gzip"), "broken"),
    ],
    ids=["over the limit", "a bomb", "cut", "followed", "plain", "empty", "another", "twice"],
)
def test_what_cannot_be_read_in_full_is_not_read(reply: Reply, kind: str) -> None:
    with pytest.raises(FetchError) as refused:
        unpacked(reply, 1000)
    assert refused.value.kind == kind


def test_a_spoilt_byte_is_noticed() -> None:
    body = bytearray(gzip.compress(PLAIN))
    body[-6] ^= 1  # in the checksum
    with pytest.raises(FetchError):
        unpacked(packed(bytes(body)), len(PLAIN))


async def test_over_a_socket() -> None:
    async with faulty(ok(gzip.compress(PLAIN), "content-encoding: gzip")) as server, Door() as door:
        ends_at = asyncio.get_running_loop().time() + 10
        reply = await Outside(door).get(server.url, ends_at=ends_at)
    assert reply.body == PLAIN
