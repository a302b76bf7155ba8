"""The triage graph (specification v2): the model chooses one of four ways, and code keeps it safe on each.

Model calls a turn, without shortcuts. The specification's table holds: direct 2; look-up 2, or 3 when its details had
to be read again; several parts 3 + N for N parts, at most 3 + 3N. Its reasoning row says 4 to 5, which is 4 when the
thoughts ask for no look-up and 5 when they do: one or two tools cost no further call, for their details are found by
code, and thinking over the results is one call.
"""

from __future__ import annotations

from functools import cache

from langgraph.graph import START, StateGraph

from docgemma.agent.graphs.steps import Graph, timed
from docgemma.agent.nodes.assess_result import assess_result
from docgemma.agent.nodes.decompose_intent import decompose_intent
from docgemma.agent.nodes.extract_needs import extract_needs
from docgemma.agent.nodes.fast_path import fast_path
from docgemma.agent.nodes.fix_args import fix_args
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.nodes.plan_tool import plan_tool
from docgemma.agent.nodes.reasoning import reasoning
from docgemma.agent.nodes.synthesize import synthesize
from docgemma.agent.nodes.thinking import thinking
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.nodes.triage_router import triage_router
from docgemma.agent.queries import fixable
from docgemma.agent.router import Next, settled
from docgemma.agent.state import Services, State
from docgemma.agent.subtasks import MAX_ASKED, by_model, current


@cache
def build() -> Graph:
    """Compiled once a process: it holds no state of its own and no checkpointer."""
    graph = StateGraph(State, context_schema=Services)
    graph.add_node("input_assembly", timed(input_assembly))
    graph.add_node(
        "triage_router",
        timed(triage_router, after_triage),
        destinations=("fast_path", "thinking", "decompose_intent", "plan_tool", "synthesize"),
    )
    graph.add_node("fast_path", timed(fast_path, after_fast_path), destinations=("fix_args", "tool_execute"))
    graph.add_node("fix_args", timed(fix_args))
    graph.add_node("thinking", timed(thinking))
    graph.add_node("extract_needs", timed(extract_needs, after_needs), destinations=("plan_tool", "synthesize"))
    graph.add_node("decompose_intent", timed(decompose_intent))
    graph.add_node(
        "plan_tool",
        timed(plan_tool, after_plan),
        destinations=("plan_tool", "fix_args", "tool_execute", "reasoning", "synthesize"),
    )
    graph.add_node("tool_execute", timed(tool_execute))
    graph.add_node(
        "assess_result",
        timed(assess_result, after_assessment),
        destinations=("tool_execute", "plan_tool", "reasoning", "synthesize"),
    )
    graph.add_node("reasoning", timed(reasoning))
    graph.add_node("synthesize", timed(synthesize))
    graph.add_edge(START, "input_assembly")
    graph.add_edge("input_assembly", "triage_router")
    graph.add_edge("fix_args", "tool_execute")
    graph.add_edge("thinking", "extract_needs")
    graph.add_edge("decompose_intent", "plan_tool")
    graph.add_edge("tool_execute", "assess_result")
    graph.add_edge("reasoning", "synthesize")
    graph.set_finish_point("synthesize")
    return graph.compile()


def after_triage(state: State) -> Next:
    """What code knows first; then an answered question goes on; then the way that the model chose."""
    known = settled(state)
    if known is not None:
        return known
    if state.get("subtasks"):
        return Next("plan_tool", "the interrupted request goes on")
    match state["route"]:
        case "lookup":
            return Next("fast_path", "one look-up is enough")
        case "reasoning":
            return Next("thinking", "the case is thought through first")
        case "multi_step":
            return Next("decompose_intent", "the request has several parts")
        case _:
            return Next("synthesize", "no look-up is needed")


def after_fast_path(state: State) -> Next:
    """Details that are not there are read once more before the call is made, or refused."""
    if fixable(state["missing"]):
        return Next("fix_args", "a detail is missing")
    return Next("tool_execute", "the look-up can be made")


def after_needs(state: State) -> Next:
    """The thoughts ask for a look-up, or they do not."""
    if current(state) is not None:
        return Next("plan_tool", "the thoughts ask for a look-up")
    return Next("synthesize", "the thoughts ask for no look-up")


def after_plan(state: State) -> Next:
    """A part without a call leads to the next one; a call that lacks details is repaired while the budget allows."""
    if not state["planned"]:
        return _onward(state)
    if by_model(state) and state["asked"] < MAX_ASKED and fixable(state["missing"]):
        return Next("fix_args", "a detail is missing")
    return Next("tool_execute", "the look-up can be made")


def after_assessment(state: State) -> Next:
    """A question or a card ends the turn; a retry goes back; otherwise the next part, or the end."""
    match state.get("action"):
        case "ask_user":
            return Next("synthesize", "a question to the user comes first")
        case "retry_same":
            return Next("tool_execute", "one more try")
        case "retry_different_args":
            return Next("plan_tool", "one more try in other words")
    if state["runs"][-1].result.status == "proposed":
        return Next("synthesize", "an entry waits for approval")
    return _onward(state)


def _onward(state: State) -> Next:
    if current(state) is not None:
        return Next("plan_tool", "the next part of the request")
    made = any(run.attempts for run in state["runs"])
    if state["route"] == "reasoning" and made:
        return Next("reasoning", "the results are thought over")
    return Next("synthesize", "all parts were worked on")
