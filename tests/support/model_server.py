"""A fake OpenAI-compatible model server on a plain socket: quick enough for a benchmark, rude enough for faults.

In a test: `async with ModelServer(handler) as server`, with `server.url` and `server.requests`. As a process of its
own: `python -m tests.support.model_server --port 8123 [--delay-ms 20]`; `GET /counts` tells how often each schema
was asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

Json = dict[str, Any]
_TEXT = "Metformin is usually taken with meals. Check renal function first."


@dataclass(frozen=True)
class Answer:
    """One reply, well-behaved by default. A fault is an Answer with something wrong about it."""

    text: str | None = ""
    finish: str | None = "stop"
    pieces: Sequence[str] | None = None  # how a streamed text is cut; whole words when None
    status: int = 200
    headers: tuple[str, ...] = ()
    body: bytes | None = None  # sent as it is, instead of a completion
    content_type: str = "application/json"
    delay_s: float = 0
    ignores_stream: bool = False
    endless: str | None = None  # this piece, for ever
    endless_headers: bool = False
    hangs_up_after: int | None = None  # bytes sent before the connection is cut
    waits_for: asyncio.Event | None = None  # the rest is sent once this is set
    waits_after: int = 0  # bytes sent before that


def html() -> Answer:
    return Answer(body=b"<!doctype html><title>Traceback: proxy error</title>", content_type="text/html")


def failing(status: int, *headers: str) -> Answer:
    return Answer(status=status, headers=headers, body=b'{"error": {"message": "Traceback (most recent call last)"}}')


def raw(body: bytes) -> Answer:
    return Answer(body=body)


def instance(schema: Json) -> Any:
    """The smallest valid instance of a flat schema: first choice, short strings, no optional fields."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return instance(schema["anyOf"][0])
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: instance(properties[name]) for name in properties if name in schema.get("required", ())}
    if kind == "array":
        return [instance(schema["items"])] * schema.get("minItems", 0)
    values = {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 0.5), "boolean": True, "null": None}
    return values[kind] if kind in values else "text".ljust(schema.get("minLength", 0), "x")


def schema_name(body: Json) -> str:
    """What is asked for: the schema's name, or `text`."""
    return str(body.get("response_format", {}).get("json_schema", {}).get("name", "text"))


def obedient(body: Json) -> Answer:
    """A server that constrains its output, as vLLM does."""
    asked = body.get("response_format", {}).get("json_schema")
    return Answer(json.dumps(instance(asked["schema"])) if asked else _TEXT)


@dataclass
class ModelServer:
    """Serves `handler` on a free port of this machine. The self-test is answered rightly unless `constrains` is off."""

    handler: Callable[[Json], Answer] = obedient
    constrains: bool = True
    port: int = 0
    delay_s: float = 0
    requests: list[Json] = field(default_factory=list)
    keep: bool = True
    counts: Counter[str] = field(default_factory=Counter)
    headers_seen: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def asked(self) -> list[Json]:
        """The request bodies without the self-test."""
        return [body for body in self.requests if schema_name(body) != "self_test"]

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._connections: set[_Connection] = set()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()
        for connection in list(self._connections):
            connection.drop()
        await asyncio.sleep(0)

    def answer(self, body: Json) -> Answer:
        name = schema_name(body)
        self.counts[name] += 1
        if self.keep:
            self.requests.append(body)
        if name == "self_test":
            return obedient(body) if self.constrains else Answer("Blue")
        return self.handler(body)


class _Connection(asyncio.Protocol):
    """Just enough HTTP/1.1: keep-alive, Content-Length bodies, chunked replies."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server._connections.discard(self)
        if self._task is not None:
            self._task.cancel()

    def drop(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = 0
        for line in head.split(b"\r\n"):
            if line[:15].lower() == b"content-length:":
                length = int(line[15:])
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        self._serve(head, rest[:length])

    def _serve(self, head: bytes, content: bytes) -> None:
        if self._server.keep:
            self._server.headers_seen.append(head)
        path = head.split(b" ", 2)[1].partition(b"?")[0]
        if path.endswith(b"/counts"):
            self._send(200, json.dumps(self._server.counts).encode())
        elif path.endswith(b"/models"):
            self._send(200, b'{"object":"list","data":[{"id":"medgemma"},{"id":"small"}]}')
        elif path.endswith(b"/chat/completions"):
            body = json.loads(content)
            answer = self._server.answer(body)
            later = answer.delay_s or self._server.delay_s or answer.waits_for is not None
            if later or answer.endless is not None or answer.endless_headers:
                self._task = asyncio.get_running_loop().create_task(self._later(body, answer))
            else:
                self._reply(body, answer)
        else:
            self._send(404, b"{}")

    async def _later(self, body: Json, answer: Answer) -> None:
        assert self._transport is not None
        await asyncio.sleep(answer.delay_s or self._server.delay_s)
        if answer.endless_headers:
            self._transport.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                self._transport.write(b"x-more: 1\r\n")
                await asyncio.sleep(0.005)
        if answer.endless is not None:
            self._transport.write(_head(200, "text/event-stream", "transfer-encoding: chunked"))
            while True:
                self._transport.write(_chunk(_event(answer.endless)))
                await asyncio.sleep(0)
        if answer.waits_for is not None:
            whole = _whole(body, answer)
            self._transport.write(whole[: answer.waits_after])
            await answer.waits_for.wait()
            self._transport.write(whole[answer.waits_after :])
        else:
            self._reply(body, answer)

    def _reply(self, body: Json, answer: Answer) -> None:
        assert self._transport is not None
        whole = _whole(body, answer)
        if answer.hangs_up_after is not None:
            self._transport.write(whole[: answer.hangs_up_after])
            self._transport.close()
        else:
            self._transport.write(whole)

    def _send(self, status: int, content: bytes) -> None:
        assert self._transport is not None
        self._transport.write(_head(status, "application/json", length=len(content)) + content)


def _head(status: int, content_type: str, *headers: str, length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status} Status", f"content-type: {content_type}", *headers]
    if length is not None:
        lines.append(f"content-length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _whole(body: Json, answer: Answer) -> bytes:
    if answer.body is None and body.get("stream") and not answer.ignores_stream:
        return _streamed(answer)
    content = _completion(answer) if answer.body is None else answer.body
    return _head(answer.status, answer.content_type, *answer.headers, length=len(content)) + content


def _completion(answer: Answer) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": answer.text}, "finish_reason": answer.finish}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def _event(text: str | None, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": finish}
    return b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n"


def _streamed(answer: Answer) -> bytes:
    text = answer.text or ""
    pieces = answer.pieces if answer.pieces is not None else [word + " " for word in text.split(" ")]
    if answer.pieces is None and pieces:
        pieces = [*pieces[:-1], pieces[-1][:-1]]
    usage = {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": len(pieces)}}
    events = [_event(piece) for piece in pieces]
    if answer.finish is not None:
        events += [_event(None, answer.finish), b"data: " + json.dumps(usage).encode() + b"\n\n", b"data: [DONE]\n\n"]
    head = _head(200, "text/event-stream; charset=utf-8", "transfer-encoding: chunked")
    return head + b"".join(map(_chunk, events)) + b"0\r\n\r\n"


def _chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


async def _serve_for_ever(port: int, delay_s: float) -> None:
    async with ModelServer(port=port, delay_s=delay_s, keep=False) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A fake OpenAI-compatible model server.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one; the address is printed")
    parser.add_argument("--delay-ms", type=float, default=0, help="how long each answer takes")
    arguments = parser.parse_args()
    asyncio.run(_serve_for_ever(arguments.port, arguments.delay_ms / 1000))


if __name__ == "__main__":
    main()
