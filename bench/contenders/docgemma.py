"""DocGemma's routed graph over the same server: sessions in SQLite, tools through MCP, the answer checked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench.workload import MODEL, QUESTION, TOOL_RESULT, Turn
from docgemma.agent.session import Question
from docgemma.config import Settings
from docgemma.tools.results import DrugSafetyReport
from docgemma.tools.scripted import ScriptedTools
from docgemma.wiring.app import open_app

FOUND = DrugSafetyReport(status="found", origin="pack", drug="dofetilide", alerts=(TOOL_RESULT,))


@asynccontextmanager
async def open_turns(url: str, folder: Path, *, shortcuts: bool = True) -> AsyncIterator[Turn]:
    sessions: dict[str, str] = {}
    settings = Settings(home=folder, model="openai", model_url=url, model_name=MODEL, shortcuts=shortcuts)
    tools = ScriptedTools({}, default=FOUND).handlers()
    async with open_app(settings, tools=tools) as app:

        async def turn(session: str) -> None:
            record = await app.sessions.ask(Question(QUESTION, session_id=sessions.get(session)))
            if record.outcome != "answer" or not record.llm_calls:
                raise SystemExit(f"bench: the turn ended as {record.outcome} after {record.llm_calls} model calls")
            sessions[session] = record.session_id

        yield turn
