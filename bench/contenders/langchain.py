"""LangChain's `create_agent` with ChatOpenAI, sessions kept by LangGraph's SQLite checkpointer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from pydantic import SecretStr

from bench.workload import INSTRUCTIONS, MODEL, QUESTION, TOOL_RESULT, Turn
from docgemma.tools.registry import TOOLS


async def answer_at_once(**_: Any) -> str:
    return TOOL_RESULT


@asynccontextmanager
async def open_turns(url: str, folder: Path) -> AsyncIterator[Turn]:
    tools = [
        StructuredTool.from_function(
            coroutine=answer_at_once, name=tool.name, description=tool.description, args_schema=tool.args
        )
        for tool in TOOLS
    ]
    model = ChatOpenAI(model=MODEL, base_url=url, api_key=SecretStr("none"), temperature=0, timeout=60)
    async with AsyncSqliteSaver.from_conn_string(str(folder / "langchain.db")) as saver:
        agent = create_agent(model, tools, system_prompt=INSTRUCTIONS, checkpointer=saver)

        async def turn(session: str) -> None:
            await agent.ainvoke(
                {"messages": [{"role": "user", "content": QUESTION}]}, {"configurable": {"thread_id": session}}
            )

        yield turn
