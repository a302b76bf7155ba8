"""Server-sent events: the lines on the wire, and the answer that sends them as they come."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from docgemma.server.runs.feed import Subscription
from docgemma.server.runs.model import RunEvent

HEARTBEAT_S = 15.0
"""A proxy ends a connection that is silent for longer, and a client that has gone is noticed at the next word."""

RETRY = b"retry: 1000\n\n"
BEAT = b":\n\n"
_LINE_END = re.compile(r"\r\n|\r|\n")
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

CHECK_S = 5.0
"""For how long a reader is believed to be who they were when they began to read."""

Tell = Callable[[RunEvent], Awaitable[bytes]]
Still = Callable[[], Awaitable[bool]]


def message(name: str, data: str, number: int | None) -> bytes:
    """One event. Data may have several lines; an event that is not stored has no number to come back with."""
    lines = [f"event: {name}", *(f"data: {line}" for line in _LINE_END.split(data))]
    if number is not None:
        lines.insert(0, f"id: {number}")
    return ("\n".join(lines) + "\n\n").encode("utf-8", "replace")


def place_of(last_event_id: str | None, after: int | None) -> int:
    """Where a reader goes on: what the browser remembers counts more than what its first address said."""
    if last_event_id and last_event_id.isascii() and last_event_id.isdecimal():
        return int(last_event_id[:15])
    return max(0, after or 0)


class EventStream(Response):
    """Ends with the last event, or when nobody listens any more, or nobody who may (`still`). A slow listener only
    makes itself wait."""

    media_type = "text/event-stream"

    def __init__(self, watching: AbstractAsyncContextManager[Subscription], tell: Tell, still: Still) -> None:
        self.status_code = 200
        self.background = None
        self._watching = watching
        self._tell = tell
        self._still = still
        self.init_headers(_HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._watching as reader:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": RETRY, "more_body": True})
            gone = asyncio.create_task(_gone(receive))
            try:
                await self._send_all(reader, gone, send)
            finally:
                gone.cancel()
        if not gone.done() or gone.cancelled():
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_all(self, reader: Subscription, gone: asyncio.Task[None], send: Send) -> None:
        clock = asyncio.get_running_loop().time
        checked = clock()
        while not reader.ended and not gone.done():
            changed = reader.changed()
            if news := reader.take():
                body = b"".join([await self._tell(event) for event in news])
            else:
                done, _ = await asyncio.wait({changed, gone}, timeout=HEARTBEAT_S, return_when="FIRST_COMPLETED")
                if done:
                    continue
                body = BEAT
            if clock() - checked >= CHECK_S:
                if not await self._still():
                    return
                checked = clock()
            if body:
                await send({"type": "http.response.body", "body": body, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
