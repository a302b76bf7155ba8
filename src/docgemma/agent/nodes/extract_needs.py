"""What the reasoning still has to look up: none, one or two tools, out of those code left open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.plans import QUERY_LIMIT, Subtask, ToolNeeds, tool_needs
from docgemma.agent.progress import needs_left
from docgemma.agent.prompts import render
from docgemma.agent.queries import TOOL_LIST, open_tools
from docgemma.agent.state import Services, State, patient_context, step
from docgemma.agent.subtasks import begun
from docgemma.llm.contract import current_usage
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 192


async def extract_needs(state: State, runtime: Runtime[Services]) -> State:
    """The tools by name, each with what to look up; one that only reads comes before an entry."""
    prompt = render(
        "extract_needs",
        message=state["request"],
        patient=patient_context(state),
        reasoning=state.get("reasoning", ""),
        tool_list=TOOL_LIST,
        needs=needs_left(state),
    )
    answer = await runtime.context.llm.decide(prompt, tool_needs(open_tools(state)), max_tokens=MAX_TOKENS)
    subtasks = calls_of(answer)
    detail = ", ".join(REGISTRY[task.tool].label for task in subtasks if task.tool) or "nothing to look up"
    return begun(subtasks) | {
        "intent": "TOOL_NEEDED" if subtasks else "DIRECT",
        "timeline": step("extract_needs", "What to look up", detail, by=current_usage().answered_by),
    }


def calls_of(answer: ToolNeeds) -> tuple[Subtask, ...]:
    """Each call once, entries last."""
    said = ((answer.first_tool, answer.first_query), (answer.second_tool, answer.second_query))
    named = dict.fromkeys((name, (query or "").strip()) for name, query in said if name != "none")
    calls = [Subtask("", REGISTRY[name].name, query) for name, query in named]
    return tuple(sorted(calls, key=lambda task: task.tool is not None and REGISTRY[task.tool].writes))


def rule(variables: Mapping[str, Any]) -> ToolNeeds:
    """Without a model: the first two look-ups that the words of the request ask for."""
    asked = [(need.tool, (need.subject or "")[:QUERY_LIMIT]) for need in variables["needs"]]
    first, second = [*asked, ("none", ""), ("none", "")][:2]
    return ToolNeeds(first_tool=first[0], second_tool=second[0], first_query=first[1], second_query=second[1])
