"""What the stand-ins for public services have in common: they count, they remember, and they fail when told to."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send


@dataclass(frozen=True)
class Said:
    """One reply."""

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0

    def response(self) -> Response:
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return Response(body, self.status, {"content-type": "application/json", **self.headers})


@dataclass(frozen=True)
class Question:
    path: str
    params: dict[str, str]
    raw: str
    """The query as it was sent, with its percent signs."""


class FakeService(ABC):
    """An ASGI application. `faults` are replied first, one a request; `always` is replied to every request."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.faults: list[Said] = []
        self.always: Said | None = None

    @property
    def count(self) -> int:
        return len(self.questions)

    @abstractmethod
    def answer(self, question: Question) -> Said: ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        question = Question(request.url.path, dict(request.query_params), scope["query_string"].decode())
        self.questions.append(question)
        said = self.faults.pop(0) if self.faults else self.always or self.answer(question)
        if said.delay_s:
            await asyncio.sleep(said.delay_s)
        await said.response()(scope, receive, send)
