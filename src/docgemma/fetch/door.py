"""The one door to the network: one connection pool per process, a deadline and a size cap on everything.

Requests go straight to the transport, not through an HTTP client: a client keeps cookies, follows redirects, reads
the user's netrc and logs full URLs, none of which may happen to requests about patients. It also costs less.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any, Literal, Self, cast
from urllib.parse import urlencode

import httpx2
from pydantic_core import to_json

from docgemma.errors import Unavailable

_POOLS, _EACH = 32, 32
"""Together as many answers as a server of models has readers; further requests wait for a connection."""


@dataclass(slots=True)
class _Pool:
    transport: httpx2.AsyncHTTPTransport
    busy: int = 0


class Pools(httpx2.AsyncBaseTransport):
    """Pools are made as they are needed: reading the certificates takes time that an offline run need not spend."""

    def __init__(self) -> None:
        self._pools: list[_Pool] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        pool = self._chosen()
        pool.busy += 1
        try:
            response = await pool.transport.handle_async_request(request)
        except BaseException:
            pool.busy -= 1
            raise
        response.stream = _Counted(cast(httpx2.AsyncByteStream, response.stream), pool)
        return response

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.transport.aclose()

    def _chosen(self) -> _Pool:
        """The first with room, so that few requests share few connections; the least busy where none has."""
        for pool in self._pools:
            if pool.busy < _EACH:
                return pool
        if len(self._pools) == _POOLS:
            return min(self._pools, key=lambda pool: pool.busy)
        limits = httpx2.Limits(max_connections=_EACH, max_keepalive_connections=_EACH, keepalive_expiry=60)
        self._pools.append(_Pool(httpx2.AsyncHTTPTransport(verify=_certificates(), limits=limits)))
        return self._pools[-1]


class _Counted(httpx2.AsyncByteStream):
    """A reply's body; its pool has room again once it is closed."""

    def __init__(self, body: httpx2.AsyncByteStream, pool: _Pool) -> None:
        self._body = body
        self._pool: _Pool | None = pool

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._body:
            yield part

    async def aclose(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.busy -= 1
        await self._body.aclose()


@cache
def _certificates() -> ssl.SSLContext:
    """Read once a process."""
    return httpx2.create_ssl_context()


Kind = Literal["refused", "timeout", "too_large", "broken", "busy", "failing", "redirected", "resting", "patient_data"]
"""How a request ended without a usable reply. The door itself knows the first four; `Outside` judges replies too."""

_SENTENCES: dict[Kind, str] = {
    "refused": "The server could not be reached.",
    "timeout": "The server did not answer in time.",
    "too_large": "The server's answer was too large.",
    "broken": "The connection broke before the answer was complete.",
    "busy": "The server takes no more requests for now. Try again in a while.",
    "failing": "The server reports a fault of its own. Try again in a while.",
    "redirected": "The server pointed to another place, which is not followed.",
    "resting": "The server failed several times in a row and is left alone for a moment. Try again in a minute.",
    "patient_data": "Nothing was sent: it would have told an outside service who the patient is. "
    "Ask without the patient's name, ids and birth date.",
}
_MAX_BYTES = 8 * 1024 * 1024
_FINISH_S = 0.2


class FetchError(Unavailable):
    """A request without a usable reply. It names neither the address nor the body: both may be about a patient."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(_SENTENCES[kind])
        self.kind: Kind = kind


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, whatever its status. Header names are found in any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Lines:
    """A reply that is still arriving. Status and headers are there; iterate over its lines or read its body.

    The deadline is checked while waiting for the server: it never interrupts what the reader does with a line.
    """

    def __init__(self, response: httpx2.Response, ends_at: float, max_bytes: int) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            raise TypeError("A transport behind the door must answer with an asynchronous stream.")
        self._stream = response.stream
        self._arriving = aiter(self._stream)
        self._ends_at = ends_at
        self._left = max_bytes

    async def __aiter__(self) -> AsyncIterator[str]:
        rest = b""
        async for part in self._parts():
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                yield line.rstrip(b"\r").decode("utf-8", "replace")
        if rest:
            yield rest.decode("utf-8", "replace")

    async def body(self) -> bytes:
        """All of it at once, for a server that answers in one piece after all."""
        return b"".join([part async for part in self._parts()])

    async def finish(self) -> None:
        """The reader has what it wanted: wait a moment for the end, so that the connection can be used again."""
        self._ends_at = min(self._ends_at, asyncio.get_running_loop().time() + _FINISH_S)
        with suppress(FetchError):
            async for _ in self._parts():
                pass

    async def _parts(self) -> AsyncIterator[bytes]:
        while True:
            with _typed_errors():
                async with asyncio.timeout_at(self._ends_at):
                    part = await anext(self._arriving, None)
            if part is None:
                return
            self._left -= len(part)
            if self._left < 0:
                raise FetchError("too_large")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


class Door:
    """Open it once per process. `transport` decides what is behind it: the network, an ASGI app, a recording."""

    def __init__(self, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._behind = transport

    @classmethod
    def in_process(cls, app: Any) -> Self:
        """A door to an ASGI application in this process: the same requests, and no network."""
        return cls(httpx2.ASGITransport(app=app, raise_app_exceptions=True))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        if self._behind is not None:
            await self._behind.aclose()

    async def json(
        self,
        method: str,
        url: str,
        *,
        json: Any = None,
        form: Sequence[tuple[str, str]] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        deadline_s: float,
        max_bytes: int = _MAX_BYTES,
    ) -> Reply:
        """One exchange; the body is JSON, a form, or JSON that was written already and keeps every digit.

        Any status is a reply, a redirect too: it is never followed. Nothing is ever sent twice; only "refused" says
        for certain that nothing was sent.
        """
        request = _request(method, url, json, headers, form, content)
        async with self._sent(request, deadline_s, max_bytes) as lines:
            return Reply(lines.status, lines.headers, await lines.body())

    @asynccontextmanager
    async def stream_lines(
        self,
        method: str,
        url: str,
        *,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
        deadline_s: float,
        max_bytes: int = _MAX_BYTES,
    ) -> AsyncIterator[Lines]:
        """A reply line by line as it comes, for server-sent events. The connection goes back even when the reader stops
        early.
        """
        async with self._sent(_request(method, url, json, headers), deadline_s, max_bytes) as lines:
            yield lines

    @asynccontextmanager
    async def _sent(self, request: httpx2.Request, deadline_s: float, max_bytes: int) -> AsyncIterator[Lines]:
        ends_at = asyncio.get_running_loop().time() + deadline_s
        with _typed_errors():
            async with asyncio.timeout_at(ends_at):
                response = await self._transport().handle_async_request(request)
        lines = Lines(response, ends_at, max_bytes)
        try:
            yield lines
        finally:
            await lines.aclose()

    def _transport(self) -> httpx2.AsyncBaseTransport:
        if self._behind is None:
            self._behind = Pools()
        return self._behind


def _request(
    method: str,
    url: str,
    json: Any,
    headers: Mapping[str, str] | None,
    form: Sequence[tuple[str, str]] | None = None,
    content: bytes | None = None,
) -> httpx2.Request:
    if json is not None:
        content = to_json(json)
    fixed = {"accept-encoding": "identity", "content-type": "application/json"}
    if form is not None:
        content = urlencode(form).encode()
        fixed["content-type"] = "application/x-www-form-urlencoded"
    try:
        return httpx2.Request(method, url, headers={**fixed, **(headers or {})}, content=content)
    except httpx2.InvalidURL:
        raise FetchError("refused") from None


@contextmanager
def _typed_errors() -> Iterator[None]:
    try:
        yield
    except (TimeoutError, httpx2.TimeoutException):
        raise FetchError("timeout") from None
    except (httpx2.ConnectError, httpx2.UnsupportedProtocol):
        raise FetchError("refused") from None
    except httpx2.HTTPError:
        raise FetchError("broken") from None
