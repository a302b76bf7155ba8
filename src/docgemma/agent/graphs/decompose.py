"""The decompose graph (specification v1): think, take the request apart, then plan, execute and check each part.

Model calls a turn: direct 2; N parts 4 + N (complexity, thoughts, parts, one plan each, the answer). A chart that
follows a search by name, and a request that goes on after the user's answer, cost no plan.
"""

from __future__ import annotations

from functools import cache

from langgraph.graph import START, StateGraph

from docgemma.agent.graphs.steps import Graph, timed
from docgemma.agent.nodes.check_result import check_result
from docgemma.agent.nodes.complexity_router import complexity_router
from docgemma.agent.nodes.decompose_request import decompose_request
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.nodes.plan_call import plan_call
from docgemma.agent.nodes.synthesize import synthesize
from docgemma.agent.nodes.thinking_mode import thinking_mode
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.router import Next, settled
from docgemma.agent.state import Services, State


@cache
def build() -> Graph:
    """Compiled once a process: it holds no state of its own and no checkpointer."""
    graph = StateGraph(State, context_schema=Services)
    graph.add_node("input_assembly", timed(input_assembly))
    graph.add_node(
        "complexity_router",
        timed(complexity_router, after_complexity),
        destinations=("thinking_mode", "plan_call", "synthesize"),
    )
    graph.add_node("thinking_mode", timed(thinking_mode))
    graph.add_node(
        "decompose_request", timed(decompose_request, after_decomposition), destinations=("plan_call", "synthesize")
    )
    graph.add_node("plan_call", timed(plan_call, after_plan), destinations=("tool_execute", "check_result"))
    graph.add_node("tool_execute", timed(tool_execute))
    graph.add_node(
        "check_result",
        timed(check_result, after_check),
        destinations=("plan_call", "tool_execute", "synthesize"),
    )
    graph.add_node("synthesize", timed(synthesize))
    graph.add_edge(START, "input_assembly")
    graph.add_edge("input_assembly", "complexity_router")
    graph.add_edge("thinking_mode", "decompose_request")
    graph.add_edge("tool_execute", "check_result")
    graph.set_finish_point("synthesize")
    return graph.compile()


def after_complexity(state: State) -> Next:
    """What code knows first. An attached image settles nothing: here a tool looks at it, as one part of the request."""
    known = settled(state | {"image": None})
    if known is not None:
        return known
    if state["parts"] or state.get("resumed"):
        return Next("plan_call", "the interrupted request goes on")
    if state["complexity"] == "direct":
        return Next("synthesize", "no look-up is needed")
    return Next("thinking_mode", "the request is thought through first")


def after_decomposition(state: State) -> Next:
    if state.get("clarification"):
        return Next("synthesize", "a question to the user comes first")
    if not state["parts"]:
        return Next("synthesize", "the request has no part to look up")
    return Next("plan_call", "the first part of the request")


def after_plan(state: State) -> Next:
    if state["planned"]:
        return Next("tool_execute", "the look-up can be made")
    return Next("check_result", "there is no call to make")


def after_check(state: State) -> Next:
    """A question or a card ends the turn; a retry makes the same call; otherwise the next part, or the end."""
    if state["verdict"] == "needs_user_input":
        return Next("synthesize", "a question to the user comes first")
    if state["planned"] and state["runs"] and state["runs"][-1].result.status == "proposed":
        return Next("synthesize", "an entry waits for approval")
    if state["verdict"] == "error" and state["retries"]:
        return Next("tool_execute", "one more try")
    if state["verdict"] == "error":
        return Next("synthesize", "a look-up failed for good")
    if state["verdict"] == "needs_more_action":
        return Next("plan_call", "the same part needs more")
    if state["subtask"] < len(state["parts"]):
        return Next("plan_call", "the next part of the request")
    return Next("synthesize", "all parts were worked on")
