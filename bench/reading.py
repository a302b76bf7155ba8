"""What it costs to read a message: input_assembly with the reader that ships, over the packaged cases."""

from __future__ import annotations

import asyncio
import time
from statistics import median, quantiles

from langgraph.runtime import Runtime

from bench.report import Row
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.rules import RULES
from docgemma.agent.state import Services, State
from docgemma.clinical import Patient, ToolResult
from docgemma.evals.turns import Case, Turns
from docgemma.llm.rules import RulesModel

GOAL_MS = 10
ROUNDS = 2


class NoTools:
    """Reading calls no tool."""

    async def call(self, name: str, args: dict[str, object], *, deadline_s: float | None = None) -> ToolResult:
        raise AssertionError(name)


def rows() -> list[Row]:
    """The median of all messages, each with its earlier ones, and the slowest twentieth."""
    services = Services(llm=RulesModel(RULES), tools=NoTools())
    runtime = Runtime(context=services)
    cases = [case for case in Turns().load() if not case.image]
    asyncio.run(_read_all(cases[:20], runtime))
    spent = [ms for _ in range(ROUNDS) for ms in asyncio.run(_read_all(cases, runtime))]
    return [
        Row(f"Reading a message (input_assembly), {len(cases)} messages, CPU", median(spent), "ms", goal=GOAL_MS),
        Row("The slowest twentieth takes more than", quantiles(spent, n=20)[-1], "ms", goal=GOAL_MS),
    ]


async def _read_all(cases: list[Case], runtime: Runtime[Services]) -> list[float]:
    spent: list[float] = []
    for case in cases:
        state: State = {
            "message": case.say,
            "earlier": tuple(case.before),
            "pinned": Patient(id=case.patient) if case.patient else None,
        }
        start = time.process_time()
        await input_assembly(state, runtime)
        spent.append((time.process_time() - start) * 1000)
    return spent
