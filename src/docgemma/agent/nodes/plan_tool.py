"""Choose the tool for the present subtask, and its arguments. What is planned already costs no model call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.arguments import Found
from docgemma.agent.plans import QUERY_LIMIT, Subtask, ToolPlan, tool_plan
from docgemma.agent.progress import needs_left
from docgemma.agent.prompts import render
from docgemma.agent.queries import TOOL_LIST, arguments_for, by_rule, listed, open_tools, results_so_far, subject_for
from docgemma.agent.state import Services, State, patient_context, step
from docgemma.agent.subtasks import advanced, current, postponed, searches_first, waits
from docgemma.clinical import By
from docgemma.llm.contract import current_usage
from docgemma.tools.registry import REGISTRY, ToolName

MAX_TOKENS = 128
LABEL = "Choosing an action"


async def plan_tool(state: State, runtime: Runtime[Services]) -> State:
    """The call of the next subtask, or none: then the one after it is next."""
    task, resumed = current(state), state.get("resumed")
    if resumed is not None and not searches_first(state):
        name, given = resumed
        found = by_rule(state | {"resumed": None}, name, subject_for(state, REGISTRY[name], given), given)
        return _call(state, name, found, "the interrupted request") | {"resumed": None}
    assert task is not None, "the router ends a list of subtasks that is done"
    if task.need is not None:
        if task.need not in needs_left(state):
            return _passed(state, "nothing left to look up for this part")
        return _call(state, task.need.tool, by_rule(state, task.need.tool, task.need.subject))
    if task.tool is not None:
        return _call(state, task.tool, arguments_for(state, task.tool, task.query))
    return await _by_model(state, runtime, task)


async def _by_model(state: State, runtime: Runtime[Services], task: Subtask) -> State:
    """An entry waits until all parts that may read had their turn: its card ends the turn."""
    again = state.get("action") == "retry_different_args"
    prompt = render(
        "plan_tool",
        message=state["request"],
        patient=patient_context(state),
        subtask=task.words,
        tool_list=TOOL_LIST,
        results=results_so_far(state),
        previous=state.get("query", "") if again else "",
        again=again,
        needs=needs_left(state),
    )
    answer = await runtime.context.llm.decide(prompt, tool_plan(open_tools(state)), max_tokens=MAX_TOKENS)
    by, asked = current_usage().answered_by, state.get("asked", 0) + 1
    if answer.tool_name == "none":
        return _passed(state, "no look-up for this part", by)
    tool = REGISTRY[answer.tool_name]
    if tool.writes and waits(state):
        later = postponed(state, replace(task, tool=tool.name, query=answer.query))
        return later | _not_now(step(_NAME, LABEL, f"{tool.label} (after the look-ups)", by=by))
    found = arguments_for(state, tool.name, answer.query)
    if again and (tool.name, found.args) == (state["tool"], state["args"]):
        return _passed(state, "no other words for it", by)
    same = again and tool.name == state["tool"]
    call = _call(state, tool.name, found, by=by) | {"query": answer.query, "asked": asked}
    return call if same else call | {"retries": 0}  # another tool is no second try of the first


_NAME = "plan_tool"


def rule(variables: Mapping[str, Any]) -> ToolPlan:
    """Without a model: the next look-up that the words of the request ask for. Other words for it there are none."""
    needs = variables["needs"]
    if variables["again"] or not needs:
        return ToolPlan(tool_name="none", query="")
    return ToolPlan(tool_name=needs[0].tool, query=(needs[0].subject or "")[:QUERY_LIMIT])


def _call(state: State, tool: ToolName, found: Found, why: str = "", by: By = "code") -> State:
    detail = REGISTRY[tool].label + (f" ({why})" if why else "")
    return {
        "tool": tool,
        "args": found.args,
        "missing": found.missing,
        "planned": True,
        "action": None,
        "timeline": [*step(_NAME, LABEL, detail, by=by), *step(_NAME, "Reading the details", listed(found))],
    }


def _passed(state: State, why: str, by: By = "code") -> State:
    return advanced(state) | _not_now(step(_NAME, LABEL, why, by=by))


def _not_now(timeline: list[Any]) -> State:
    return {"planned": False, "action": None, "timeline": timeline}
