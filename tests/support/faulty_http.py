"""A server on a plain socket that does to its callers what public services do on bad days.

`async with faulty("reset") as server` does it to every request; `faulty("http_500", ok(b"{}"))` does one after the
other and stays with the last. `server.url` is its address, `server.requests` how many requests arrived, and
`server.heads` what they said. A step may also be a function from the request's target to an Answer: `good(app)`.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal, get_args

Fault = Literal[
    "refused",
    "reset",
    "http_429",
    "http_429_retry_after",
    "http_500",
    "parse_exception",
    "slow_drip",
    "html",
    "cut_json",
    "cut_connection",
    "huge_body",
    "redirect_off_host",
    "empty",
    "timeout",
]
FAULTS: tuple[Fault, ...] = get_args(Fault)

_DRIP_S = 0.02
_HUGE_CHUNK = b"x" * 65536
_HUGE_CHUNKS = 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply in full. `says` is the length it claims, when that is not the truth: it hangs up after such a one."""

    status: int = 200
    body: bytes = b"{}"
    headers: tuple[str, ...] = ()
    content_type: str = "application/json"
    says: int | None = None

    def wire(self) -> bytes:
        length = len(self.body) if self.says is None else self.says
        lines = (f"HTTP/1.1 {self.status} -", f"content-type: {self.content_type}", f"content-length: {length}")
        return "\r\n".join((*lines, *self.headers, "", "")).encode() + self.body


App = Callable[[str], Answer]
Step = Fault | Answer | App


def ok(body: bytes = b"{}", *headers: str) -> Answer:
    return Answer(200, body, headers)


def failed(status: int, *headers: str) -> Answer:
    return Answer(status, b'{"error": {"code": "SERVER_ERROR", "message": "Own words."}}', headers)


_PARSE_EXCEPTION = {
    "error": {
        "code": "SERVER_ERROR",
        "message": "Check your request and try again",
        "details": "[parse_exception] the query cannot be read",
    }
}
_ANSWERS: dict[Fault, Answer] = {
    "http_429": Answer(429, b'{"error": {"code": "OVER_RATE_LIMIT", "message": "Too many."}}'),
    "http_429_retry_after": Answer(429, b"{}", ("retry-after: 60",)),
    "http_500": failed(500),
    "parse_exception": Answer(500, json.dumps(_PARSE_EXCEPTION).encode()),
    "html": Answer(200, b"<!doctype html><title>Sign in</title>", (), "text/html"),
    "cut_json": Answer(200, b'{"results": [{"set_id": "1", "warn'),
    "cut_connection": Answer(200, b'{"results": [{"set_id": "1", "warn', says=5000),
    "redirect_off_host": Answer(302, b"", ("location: http://elsewhere.invalid/drug",)),
    "empty": Answer(200, b""),
}


async def _reset(writer: asyncio.StreamWriter) -> None:
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def _slow_drip(writer: asyncio.StreamWriter) -> None:
    writer.write(Answer(says=1_000_000, body=b"").wire())
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(_DRIP_S)


async def _huge_body(writer: asyncio.StreamWriter) -> None:
    writer.write(Answer(says=len(_HUGE_CHUNK) * _HUGE_CHUNKS, body=b"").wire())
    for _ in range(_HUGE_CHUNKS):
        writer.write(_HUGE_CHUNK)
        await writer.drain()


async def _timeout(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


_RUDE: dict[Fault, Callable[[asyncio.StreamWriter], Awaitable[None]]] = {
    "reset": _reset,
    "slow_drip": _slow_drip,
    "huge_body": _huge_body,
    "timeout": _timeout,
}


@dataclass(slots=True)
class FaultyServer:
    """Where it is, and what arrived at it."""

    steps: tuple[Step, ...]
    port: int = 0
    heads: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def requests(self) -> int:
        return len(self.heads)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The requests of one connection, until either side has had enough."""
        try:
            while await self._answers((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"), writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the caller left
        finally:
            writer.close()

    async def _answers(self, head: str, writer: asyncio.StreamWriter) -> bool:
        """Take the next step; False when the connection is done with."""
        self.heads.append(head)
        step = self.steps[min(self.requests, len(self.steps)) - 1]
        if isinstance(step, str) and step in _RUDE:
            await _RUDE[step](writer)
            return False
        answer = _ANSWERS[step] if isinstance(step, str) else step(head.split(" ")[1]) if callable(step) else step
        writer.write(answer.wire())
        await writer.drain()
        return answer.says is None


@asynccontextmanager
async def faulty(*steps: Step) -> AsyncIterator[FaultyServer]:
    """A server that takes these steps in turn, the last one for ever."""
    found = FaultyServer(steps)
    if "refused" in steps:
        if len(steps) > 1:
            raise ValueError("Who refuses connections cannot do anything else.")
        with socket.socket() as bound:  # bound and not listening: nobody else gets the port in the meantime
            bound.bind(("127.0.0.1", 0))
            found.port = bound.getsockname()[1]
            yield found
        return
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(found.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def good(app: App) -> AbstractAsyncContextManager[FaultyServer]:
    """A server without a fault: every request is answered by this function of its target."""
    return faulty(app)
