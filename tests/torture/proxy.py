"""A network that lies: between the program and its record system, with odds that a seed decides.

An answer that never comes says nothing about the request: of each fault, half strike before the server has seen the
request and half after it has done what was asked. A slow request is not a lost one: it arrives, when the caller has
long gone.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal

Fault = Literal["none", "dropped before", "dropped after", "slow before", "slow after", "failed before", "failed after"]

ODDS: tuple[tuple[Fault, float], ...] = (
    ("dropped before", 0.075),
    ("dropped after", 0.075),
    ("slow before", 0.05),
    ("slow after", 0.05),
    ("failed before", 0.05),
    ("failed after", 0.05),
)

_503 = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\nconnection: close\r\n\r\nbusy"
_LATEST = 4
"""A request may arrive as many times later than the caller waits: after it has looked, and has written again."""

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CONNECTION = re.compile(rb"\r\nconnection:[^\r]*", re.IGNORECASE)


class FaultProxy:
    """`faulty` turns the faults on and off. `counts` says how often each struck; `writes`, how often it hit a POST."""

    def __init__(self, host: str, port: int, *, seed: int, slow_s: float) -> None:
        self.faulty = False
        self.counts: Counter[Fault] = Counter()
        self.writes: Counter[Fault] = Counter()
        self.port = 0
        self._upstream = (host, port)
        self._random = random.Random(seed)
        self._slow_s = slow_s
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def total(self, kind: str) -> int:
        """How often this happened, before and after."""
        return sum(count for fault, count in self.counts.items() if fault.startswith(kind))

    async def quiet(self) -> None:
        """Wait until nothing is under way: requests that nobody waits for any more still arrive."""
        while self._under_way:
            await asyncio.wait(list(self._under_way))

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request a connection: what is lost is then one request, and never its neighbour."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(head)
            body = await reader.readexactly(int(length[1])) if length else b""
            fault = self._draw()
            self.counts[fault] += 1
            if head.startswith(b"POST") and b"/oauth2/" not in head:
                self.writes[fault] += 1
            reply = await self._reply(fault, _CONNECTION.sub(b"", head)[:-2] + b"connection: close\r\n\r\n" + body)
            if reply is None:
                writer.transport.abort()
            else:
                writer.write(reply)
                await writer.drain()
        writer.close()

    async def _reply(self, fault: Fault, request: bytes) -> bytes | None:
        """What the caller gets; None: nothing at all."""
        if fault in ("dropped before", "failed before"):
            return _503 if fault == "failed before" else None
        if fault == "slow before":
            await asyncio.sleep(self._slow_s * self._random.uniform(1, _LATEST))
        reply = await self._forward(request)
        if fault == "slow after":
            await asyncio.sleep(self._slow_s)
        return None if fault == "dropped after" else _503 if fault == "failed after" else reply

    async def _forward(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(*self._upstream)
        try:
            writer.write(request)
            await writer.drain()
            return await reader.read()
        finally:
            writer.close()

    def _draw(self) -> Fault:
        if not self.faulty:
            return "none"
        left = self._random.random()
        for fault, odds in ODDS:
            left -= odds
            if left < 0:
                return fault
        return "none"


@asynccontextmanager
async def fault_proxy(host: str, port: int, *, seed: int, slow_s: float) -> AsyncIterator[FaultProxy]:
    """A proxy in front of this server, without faults until they are turned on."""
    proxy = FaultProxy(host, port, seed=seed, slow_s=slow_s)
    server = await asyncio.start_server(proxy.connected, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.quiet()
