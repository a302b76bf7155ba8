"""One tool on somebody else's MCP server: connected per call, checked against its pin before every use."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import urlsplit

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from docgemma.errors import BadInput
from docgemma.fetch.address import is_this_machine

MAX_BYTES = 2_000_000
"""More than any result we can use. A body beyond it is cut off on the wire, before it is parsed."""


@dataclass(frozen=True, slots=True)
class Remote:
    """Where a tool lives, what it must still look like, and whether it may touch a chart."""

    url: str
    pin: str | None = None
    allow_writes: bool = False
    token: str | None = field(default=None, repr=False)
    allow_http: bool = False

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput("A tool server needs an address such as https://tools.example.org/mcp.")
        if parts.scheme == "http" and not self.allow_http and not is_this_machine(parts.hostname):
            raise BadInput("A tool server on another machine needs https, or allow_http = true in its settings.")


@dataclass(slots=True)
class Wire:
    """What came over HTTP. The MCP client reduces every refusal to one error, so the reason is noted here."""

    status: int = 0
    oversized: bool = False


@asynccontextmanager
async def connect(remote: Remote, wire: Wire, *, deadline_s: float) -> AsyncIterator[Client]:
    """A client for one call. Bodies are capped; redirects stay within the server's own origin."""
    # No compression: a capped body must not grow again behind the cap.
    headers = {"accept-encoding": "identity"}
    if remote.token:
        headers["authorization"] = f"Bearer {remote.token}"
    transport = _CappedTransport(wire)
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers, timeout=deadline_s) as http,
        Client(streamable_http_client(remote.url, http_client=http), cache=None) as client,
    ):
        yield client


@cache
def _trust() -> ssl.SSLContext:
    """Reading the certificates takes 20 ms, more than the rest of a call: once is enough."""
    return httpx2.create_ssl_context()


class _CappedTransport(httpx2.AsyncHTTPTransport):
    def __init__(self, wire: Wire) -> None:
        super().__init__(verify=_trust())
        self._wire = wire

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if request.method == "POST":
            self._wire.status = response.status_code
        if response.headers.get("content-encoding", "identity") != "identity":
            self._wire.oversized = True
            await response.aclose()
            raise httpx2.DecodingError("compressed answers are not taken", request=request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _CappedStream(response.stream, self._wire)
        return response


class _CappedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, wire: Wire) -> None:
        self._inner = inner
        self._wire = wire

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        async for chunk in self._inner:
            received += len(chunk)
            if received > MAX_BYTES:
                self._wire.oversized = True
                raise httpx2.ReadError("the answer is too large")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
