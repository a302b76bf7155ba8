"""A pydantic-ai agent on its OpenAI model, each session's messages handed back to it from memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from bench.workload import INSTRUCTIONS, MODEL, QUESTION, TOOL_RESULT, Turn
from docgemma.tools.registry import TOOLS


async def answer_at_once(**_: Any) -> str:
    return TOOL_RESULT


@asynccontextmanager
async def open_turns(url: str, folder: Path) -> AsyncIterator[Turn]:
    histories: dict[str, list[ModelMessage]] = {}
    tools = [
        Tool.from_schema(answer_at_once, tool.name, tool.description, tool.args.model_json_schema()) for tool in TOOLS
    ]
    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=url, api_key="none"))
    agent = Agent(model, instructions=INSTRUCTIONS, tools=tools, model_settings={"temperature": 0, "timeout": 60})

    async def turn(session: str) -> None:
        result = await agent.run(QUESTION, message_history=histories.get(session))
        histories[session] = result.all_messages()

    yield turn
