"""A wire between the program and its record system, that can be cut, slowed down or lied over at any request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

import httpx2
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docgemma.orders.resources import ORDER_SYSTEM

Trouble = Literal["lost before", "lost after", "503 before", "503 after", "nonsense after", "late"]


@dataclass(frozen=True)
class Sent:
    """One request as it arrived."""

    method: str
    path: str
    query: str
    body: bytes

    @property
    def writes(self) -> bool:
        """A transaction, and not a search by a form."""
        return self.method == "POST" and "_search" not in self.path

    @property
    def looks(self) -> bool:
        """A search by the identifier of an order."""
        return not self.writes and ORDER_SYSTEM in unquote(f"{self.query} {self.body.decode()}")


class Wire:
    """`trouble` says what happens to a request; `change`, to what it holds; `waits` keeps it waiting."""

    def __init__(self, server: ASGIApp) -> None:
        self._server = server
        self.sent: list[Sent] = []
        self.trouble: Callable[[Sent], Trouble | None] = lambda _: None
        self.change: Callable[[Sent], bytes] = lambda sent: sent.body
        self.instead: Callable[[Sent], bytes | None] = lambda _: None
        """A success that the server knows nothing of."""
        self.waits: Callable[[Sent], Awaitable[None]] | None = None

    @property
    def writes(self) -> list[Sent]:
        return [one for one in self.sent if one.writes]

    def once(self, trouble: Trouble, of: Callable[[Sent], bool] = lambda sent: sent.writes) -> None:
        """This happens to the first such request, and to no other."""
        self.times(1, trouble, of)

    def times(self, count: int, trouble: Trouble, of: Callable[[Sent], bool] = lambda sent: sent.writes) -> None:
        left = [count]

        def strikes(sent: Sent) -> Trouble | None:
            if not of(sent) or not left[0]:
                return None
            left[0] -= 1
            return trouble

        self.trouble = strikes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        path = scope["path"].partition("/fhir")[2]
        sent = Sent(scope["method"], path, scope["query_string"].decode(), body)
        self.sent.append(sent)
        if self.waits is not None:
            await self.waits(sent)
        trouble, made_up = self.trouble(sent), self.instead(sent)
        if made_up is not None:
            await _say(send, 200, made_up)
            return
        if trouble == "lost before":
            raise httpx2.ReadError("the network is gone")
        if trouble != "503 before":
            await self._server(scope, _giving(self.change(sent)), send if trouble is None else _nowhere)
        if trouble == "lost after":
            raise httpx2.ReadError("the network is gone")
        if trouble == "late":
            raise httpx2.ReadTimeout("too late")
        if trouble is not None:
            status, content = (200, b"<html>Welcome") if trouble == "nonsense after" else (503, b"busy")
            await _say(send, status, content)


def _giving(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _say(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/fhir+json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _nowhere(_: Message) -> None:
    """The answer that nobody gets."""
