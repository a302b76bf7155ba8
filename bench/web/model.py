"""`python -m bench.web.model [PACE_S]`: a model that writes twelve sentences, one every so many seconds.

About the 256 tokens that an answer may have.

It decides at once. Its port is printed first.
"""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio import StreamReader, StreamWriter
from typing import Any

from tests.support.model_server import instance

SENTENCES = tuple(
    f"{word} is one of the things that a clinician looks at here. "
    for word in (
        *("Age", "Posture", "Salt", "Sleep", "Stress", "Weight"),
        *("Movement", "Smoking", "Family", "Pain", "Noise", "Coffee"),
    )
)


def decision(schema: dict[str, Any]) -> str:
    made = instance(schema)
    if "intent" in schema.get("properties", {}):
        made["intent"] = "DIRECT"
    return json.dumps(made)


def whole(text: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body = json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": {}}).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def piece(text: str | None, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": finish}
    return chunk(b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n")


async def written(writer: StreamWriter, pace_s: float) -> None:
    """Each sentence at its own moment after the first, however late the one before was taken."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for number, sentence in enumerate(SENTENCES, start=1):
        await asyncio.sleep(begun + number * pace_s - loop.time())
        writer.write(piece(sentence))
    writer.write(piece(None, "stop") + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    await writer.drain()


async def serve(reader: StreamReader, writer: StreamWriter, pace_s: float) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            lines = head.decode().lower().split("\r\n")
            length = next((int(line[15:]) for line in lines if line.startswith("content-length:")), 0)
            body = json.loads(await reader.readexactly(length) or b"{}")
            schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
            if schema:
                writer.write(whole(decision(schema)))
            elif body.get("stream"):
                await written(writer, pace_s)
            elif body:
                writer.write(whole("".join(SENTENCES)))
            else:
                writer.write(b'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"data":[]}')
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main(pace_s: float) -> None:
    server = await asyncio.start_server(lambda r, w: serve(r, w, pace_s), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0))
