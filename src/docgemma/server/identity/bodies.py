"""How much a request may bring and how long it may take, and a look at a form before the route reads it."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope

MOST = 1_000_000
MOST_IMAGE = 21_000_000
LONGEST_S = 60.0
LONGEST_IMAGE_S = 300.0
"""Whoever sends a letter a minute holds a place that others need, and needs no account for it."""

TWO_LENGTHS = "The request says in two ways how long it is. Send it with one."
_FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 1000


def too_large() -> HTTPException:
    """The rest of the body is not read, so the connection is of no use any more."""
    return HTTPException(413, headers={"Connection": "close"})


def too_slow() -> HTTPException:
    return HTTPException(408, headers={"Connection": "close"})


def two_lengths() -> HTTPException:
    """A proxy before this server may end the body elsewhere, and take the rest for somebody else's request."""
    return HTTPException(400, TWO_LENGTHS, headers={"Connection": "close"})


def limit_of(scope: Scope) -> int:
    """Images have an address of their own; nothing else needs the room."""
    path: str = scope["path"].rstrip("/")
    image = path == "/images" or (path.startswith("/sessions/") and path.endswith("/images"))
    return MOST_IMAGE if image and scope["method"] == "POST" else MOST


class Body:
    """The body as the route gets it: counted, and readable once before."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        self._limit = limit_of(scope)
        self._headers = Headers(scope=scope)
        self._read: list[Message] = []
        self._size = 0
        self._whole = False
        self._until = asyncio.get_running_loop().time() + (LONGEST_S if self._limit == MOST else LONGEST_IMAGE_S)
        self.too_large = False
        if "content-length" in self._headers and "transfer-encoding" in self._headers:
            raise two_lengths()
        length = self._headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self._limit:
            raise too_large()

    async def receive(self) -> Message:
        """The next piece. One too many looks like a reader that left: the route ends, and `too_large` says why."""
        return self._read.pop(0) if self._read else await self._next()

    async def form_field(self, name: str) -> str:
        """A field of a form as browsers send it without a script; empty for every other body."""
        if self._headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            return ""
        pieces: list[bytes] = []
        while True:
            message = await self._next()
            self._read.append(message)
            if self.too_large:
                raise too_large()
            pieces.append(message.get("body", b""))
            if message["type"] != "http.request" or not message.get("more_body", False):
                break
        try:
            fields = parse_qs(b"".join(pieces).decode("ascii"), max_num_fields=_MOST_FIELDS, errors="replace")
        except ValueError:
            return ""
        return fields.get(name, [""])[0]

    async def _next(self) -> Message:
        if self._whole:  # only that the reader left is still to be told
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise too_slow() from None
        self._whole = not message.get("more_body", False)
        self._size += len(message.get("body", b""))
        if self._size > self._limit:
            self.too_large = True
            return {"type": "http.disconnect"}
        return message
