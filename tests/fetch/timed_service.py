"""A service without sockets, for tests in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import httpx2

from docgemma.fetch.door import Door
from docgemma.fetch.outside import Outside
from docgemma.fetch.pacing import DEFAULT, Manners
from tests.support.virtual_time import now

URL = "https://api.example.test/drug/label.json"
Answer = httpx2.Response | Exception | Callable[[httpx2.Request], Awaitable[httpx2.Response]]


class Service:
    """Answers in turn, the last one for ever, and remembers who asked when."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = answers
        self.seen: list[httpx2.Request] = []
        self.times: list[float] = []
        self.at_once = self.most_at_once = 0

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.seen.append(request)
        self.times.append(now())
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
            if isinstance(answer, Exception):
                raise answer
            if isinstance(answer, httpx2.Response):
                # A fresh one each time: a reply can be read once.
                return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)
            return await answer(request)
        finally:
            self.at_once -= 1

    def outside(self, manners: Manners | None = None) -> Outside:
        return Outside(Door(httpx2.MockTransport(self)), default=manners or DEFAULT)


def reply(status: int = 200, body: bytes = b"{}", **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, headers=named, content=body)


def after(seconds: float, answer: httpx2.Response | None = None) -> Answer:
    async def slowly(request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(seconds)
        return answer or reply()

    return slowly
