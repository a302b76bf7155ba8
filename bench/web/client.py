"""`python -m bench.web.client`: many readers in one process. Reads its orders as JSON, prints what became of them.

Plain sockets: a client library would need more of the machine than the server that is measured.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

QUESTION = "What is worth knowing about raised blood pressure?"


@dataclass(frozen=True)
class Outcome:
    """One question. `gaps`: numbers missing or repeated in its events."""

    seconds: float
    first_s: float
    sentences: int
    gaps: int
    last: str
    error: str = ""


class Visitor:
    def __init__(self, port: int, token: str, cookie: str) -> None:
        self._port = port
        self._head = f"Host: 127.0.0.1:{port}\r\nX-CSRF-Token: {token}\r\nCookie: {cookie}\r\n"

    async def _send(self, method: str, path: str, body: bytes = b"") -> tuple[asyncio.StreamReader, Any]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        content = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        writer.write(f"{method} {path} HTTP/1.1\r\n{self._head}{content}Connection: close\r\n\r\n".encode() + body)
        return reader, writer

    async def post(self, path: str, fields: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        reader, writer = await self._send("POST", path, json.dumps(fields).encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        return int(head.split(b" ", 2)[1]), json.loads(body or b"{}")

    async def ask(self, session_id: str | None = None) -> Outcome:
        begun = time.perf_counter()
        try:
            fields = {"text": QUESTION, **({"session_id": session_id} if session_id else {})}
            status, run = await self.post("/runs", fields)
            if status != 202:
                return Outcome(0, 0, 0, 0, "", f"{status}: {run.get('error', '')}")
            return await self._follow(run["events"], begun)
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            return Outcome(0, 0, 0, 0, "", type(error).__name__)

    async def _follow(self, path: str, begun: float) -> Outcome:
        reader, writer = await self._send("GET", path)
        numbers, sentences, last, first = [], 0, "", 0.0
        while line := await reader.readline():
            if line.startswith(b"id: "):
                numbers.append(int(line[4:]))
                first = first or time.perf_counter() - begun
            elif line.startswith(b"event: "):
                last = line[7:].strip().decode()
                sentences += last == "text"
        writer.close()
        gaps = len(set(range(1, len(numbers) + 1)) ^ set(numbers)) + len(numbers) - len(set(numbers))
        return Outcome(time.perf_counter() - begun, first, sentences, gaps, last)


async def main(order: dict[str, Any]) -> list[Outcome]:
    """`streams` questions, each in a new session, begun evenly within `spread_s`; or `sessions`, `at_once` of them."""
    visitor = Visitor(order["port"], order["token"], order["cookie"])
    if streams := order.get("streams"):
        return await asyncio.gather(*(_later(visitor, n * order["spread_s"] / streams) for n in range(streams)))
    limit = asyncio.Semaphore(order["at_once"])
    made = [(await visitor.post("/sessions", {}))[1].get("id", "") for _ in range(order["sessions"])]

    async def one(session_id: str) -> Outcome:
        async with limit:
            return await visitor.ask(session_id)

    return await asyncio.gather(*(one(session_id) for session_id in made))


async def _later(visitor: Visitor, seconds: float) -> Outcome:
    await asyncio.sleep(seconds)
    return await visitor.ask()


if __name__ == "__main__":
    print(json.dumps([asdict(outcome) for outcome in asyncio.run(main(json.loads(sys.stdin.read())))]))
