"""Choose the tool for the present part, and its arguments. What is planned already costs no model call."""

from __future__ import annotations

from dataclasses import replace

from docgemma.agent.asking import Live, Variables, decide, results_so_far
from docgemma.agent.progress import current_part, later_parts, needs_left, next_part, postpone_part
from docgemma.agent.queries import arguments_for, known_call, not_planned, open_tools, planned_call
from docgemma.agent.schemas import QUERY_LIMIT, ToolPlan, narrowed
from docgemma.agent.state import Part, State
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 128


async def plan_tool(state: State, runtime: Live) -> State:
    """The call of the next part, or none: then the one after it is next."""
    known = known_call(state, "plan_tool")
    if known is not None:
        return known if known["planned"] else next_part(state) | known
    part = current_part(state)
    assert part is not None, "the router ends a list of parts that is done"
    if part.tool is not None:
        return planned_call("plan_tool", part.tool, arguments_for(state, part.tool, part.query))
    return await _by_model(state, runtime, part)


async def _by_model(state: State, runtime: Live, part: Part) -> State:
    """An entry waits until all parts that may read had their turn: its card ends the turn."""
    again = state.get("action") == "retry_different_args"
    own = {
        "subtask": part.words,
        "results": results_so_far(state),
        "previous": state.get("query", "") if again else "",
        "again": again,
        "needs": needs_left(state),
    }
    schema = narrowed(ToolPlan, (*open_tools(state), "none"), "tool_name")
    answer, by = await decide(state, runtime, "plan_tool", schema, MAX_TOKENS, **own)
    if answer.tool_name == "none":
        return next_part(state) | not_planned("plan_tool", "no look-up for this part", by)
    tool = REGISTRY[answer.tool_name]
    if tool.writes and any(other.tool is None or not REGISTRY[other.tool].writes for other in later_parts(state)):
        waiting = postpone_part(state, replace(part, tool=tool.name, query=answer.query))
        return waiting | not_planned("plan_tool", f"{tool.label} (after the look-ups)", by)
    found = arguments_for(state, tool.name, answer.query)
    if again and (tool.name, found.args) == (state["tool"], state["args"]):
        return next_part(state) | not_planned("plan_tool", "no other words for it", by)
    call = planned_call("plan_tool", tool.name, found, by=by) | {
        "query": answer.query,
        "asked": state.get("asked", 0) + 1,
    }
    if not (again and tool.name == state["tool"]):  # another tool is no second try of the first
        call["retries"] = 0
    return call


def rule(variables: Variables) -> ToolPlan:
    """Without a model: the next look-up that the words of the request ask for. Other words for it there are none."""
    needs = variables["needs"]
    if variables["again"] or not needs:
        return ToolPlan(tool_name="none", query="")
    return ToolPlan(tool_name=needs[0].tool, query=(needs[0].subject or "")[:QUERY_LIMIT])
