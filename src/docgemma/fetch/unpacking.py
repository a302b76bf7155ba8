"""Replies that come compressed: a tenth of the way over a thin line, and never larger than was agreed when unpacked."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from docgemma.fetch.door import FetchError, Reply

ACCEPTED = "gzip"
_GZIP = 31
"""zlib's word for a gzip stream, header and checksum included."""


def unpacked(reply: Reply, max_bytes: int) -> Reply:
    """The reply with its body as it was meant. Any other encoding was not asked for and cannot be read."""
    encoding = _encoding(reply.headers)
    if not encoding:
        return reply
    if encoding != ACCEPTED:
        raise FetchError("broken")
    return Reply(reply.status, reply.headers, _gunzip(reply.body, max_bytes))


def _encoding(headers: Mapping[str, str]) -> str:
    named = headers.get("content-encoding", "").strip().lower()
    return "" if named == "identity" else named


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    """One stream, whole and unspoilt. Unpacking stops at the limit: a few bytes can stand for gigabytes."""
    stream = zlib.decompressobj(_GZIP)
    try:
        plain = stream.decompress(body, max_bytes + 1)
    except zlib.error:
        raise FetchError("broken") from None
    if len(plain) > max_bytes:
        raise FetchError("too_large")
    if not stream.eof or stream.unused_data:
        raise FetchError("broken")
    return plain
