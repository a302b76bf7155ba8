"""A model that writes a sentence whenever it is let, so that a test can look at a run half-way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from docgemma.agent.session import Question
from docgemma.llm.contract import Prompt, T, current_usage
from docgemma.server.runs.desk import Runs
from docgemma.server.runs.model import RunEvent, RunInfo
from tests.support.turns import Stage, stage

SENTENCES = (
    "Hypertension is raised blood pressure. ",
    "It is often silent. ",
    "It is found by measuring. ",
    "It is treated for years. ",
)
QUESTION = "What is hypertension?"
OWNER = "dr.lee"


class PacedModel:
    name = "paced"

    def __init__(self) -> None:
        self._may_write = asyncio.Semaphore(0)

    def let(self, sentences: int = len(SENTENCES)) -> None:
        for _ in range(sentences):
            self._may_write.release()

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        current_usage().answered_by = "model"
        return schema.model_validate({"intent": "DIRECT", "task_summary": "a general question"})

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        current_usage().answered_by = "model"
        for sentence in SENTENCES:
            await self._may_write.acquire()
            yield sentence


@asynccontextmanager
async def process(folder: Path, model: PacedModel) -> AsyncIterator[tuple[Runs, Stage]]:
    """What one server process has: its own connection to the store that all share."""
    async with stage(folder, model) as on, Runs(on.sessions, on.store) as runs:
        yield runs, on


def question(text: str = QUESTION, **more: Any) -> Question:
    return Question(text, owner=more.pop("owner", OWNER), **more)


async def told(runs: Runs, run: RunInfo, after: int = 0, upto: int = 10_000) -> list[RunEvent]:
    """What a reader hears, up to this many events, who then goes away."""
    heard: list[RunEvent] = []
    async with asyncio.timeout(20), runs.watching(run, after) as reader:
        async for event in reader:
            heard.append(event)
            if len(heard) == upto:
                break
    return heard


def text_of(events: list[RunEvent]) -> str:
    return "".join(event.body["text"] for event in events if event.kind == "text")


def kinds(events: list[RunEvent]) -> list[str]:
    return [event.kind for event in events]
