"""The fake model server of the tests, taught to call a tool: for peers natively, for DocGemma by schema."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from bench.workload import MODEL
from tests.support.model_server import Answer, ModelServer, instance, obedient, schema_name

TEXT = "The safety of dofetilide was not checked. No drug label source is set up here."
DECISIONS = {
    "IntentClassification": {
        "intent": "TOOL_NEEDED",
        "task_summary": "Check the safety of dofetilide",
        "suggested_tool": "check_drug_safety",
    },
    "DrugSafetyArgs": {"drug_name": "dofetilide"},
}


def call_first_tool(body: dict[str, Any]) -> dict[str, Any]:
    function = body["tools"][0]["function"]
    arguments = json.dumps(instance(function["parameters"]))
    call = {"id": "call-1", "type": "function", "function": {"name": function["name"], "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def completion(message: dict[str, Any]) -> bytes:
    """A whole reply with every field that strict clients look for."""
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
    ).encode()


def answer(body: dict[str, Any]) -> Answer:
    if body.get("tools"):
        looked_up = body["messages"][-1]["role"] == "tool"
        return Answer(body=completion({"role": "assistant", "content": TEXT} if looked_up else call_first_tool(body)))
    if decision := DECISIONS.get(schema_name(body)):
        return Answer(json.dumps(decision))
    return obedient(body) if body.get("response_format") else Answer(TEXT)


async def main() -> None:
    async with ModelServer(answer, keep=False) as server:
        print(server.port, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
