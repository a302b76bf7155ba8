"""The floor: the same two requests in a plain asyncio loop, history kept in a list."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from bench.workload import INSTRUCTIONS, MODEL, QUESTION, TOOL_RESULT, Turn
from docgemma.tools.registry import TOOLS

DECLARED = [
    {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.args.model_json_schema(),
        },
    }
    for tool in TOOLS
]


@asynccontextmanager
async def open_turns(url: str, folder: Path) -> AsyncIterator[Turn]:
    histories: dict[str, list[dict[str, Any]]] = defaultdict(lambda: [{"role": "system", "content": INSTRUCTIONS}])
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(timeout=60, limits=limits) as client:

        async def ask(messages: list[dict[str, Any]]) -> dict[str, Any]:
            body = {"model": MODEL, "messages": messages, "tools": DECLARED, "temperature": 0}
            reply = await client.post(f"{url}/chat/completions", content=json.dumps(body).encode())
            message: dict[str, Any] = reply.raise_for_status().json()["choices"][0]["message"]
            return message

        async def turn(session: str) -> None:
            messages = histories[session]
            messages.append({"role": "user", "content": QUESTION})
            message = await ask(messages)
            while calls := message.get("tool_calls"):
                messages.append(message)
                messages += [{"role": "tool", "tool_call_id": call["id"], "content": TOOL_RESULT} for call in calls]
                message = await ask(messages)
            messages.append(message)

        yield turn
