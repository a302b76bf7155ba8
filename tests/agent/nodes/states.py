"""What the node tests share: a runtime without tools, a message as input_assembly leaves it, a state after a call."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.rules import RULES
from docgemma.agent.shortcuts import ALL, NONE
from docgemma.agent.state import Services, State, ToolCaller, ToolRun
from docgemma.clinical import ToolResult
from docgemma.llm.contract import LanguageModel
from docgemma.llm.rules import RulesModel
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import DrugSafetyReport


class NoTools:
    async def call(self, name: str, args: dict[str, Any], *, deadline_s: float | None = None) -> ToolResult:
        raise AssertionError(f"{name} was called")


def runtime(
    model: LanguageModel | None = None, *, shortcuts: bool = False, tools: ToolCaller | None = None
) -> Runtime[Services]:
    services = Services(model or RulesModel(RULES), tools or NoTools(), shortcuts=ALL if shortcuts else NONE)
    return Runtime(context=services)


async def assembled(message: str, **more: Any) -> State:
    state: State = {"message": message, "errors": [], "timeline": [], "notices": []}
    state.update(more)  # type: ignore[typeddict-item]
    return state | await input_assembly(state, runtime())


def after(tool: str, result: ToolResult, quality: str | None, **more: Any) -> State:
    run = ToolRun(REGISTRY[tool].name, more.pop("args", {}), result, quality)  # type: ignore[arg-type]
    state = {"request": "…", "runs": (run,), "steps": 1, "retries": 0, "total_retries": 0, "needs": (), "errors": []}
    return state | more  # type: ignore[return-value]


TIMEOUT = DrugSafetyReport(status="unavailable", error_type="timeout")
