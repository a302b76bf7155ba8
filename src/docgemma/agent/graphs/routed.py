"""The routed graph: the model classifies and writes, code decides where to go."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from docgemma.agent.nodes.error_handler import error_handler
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.nodes.intent_classify import intent_classify
from docgemma.agent.nodes.result_classify import result_classify
from docgemma.agent.nodes.synthesize import synthesize
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.nodes.tool_select import tool_select
from docgemma.agent.record import TimelineStep
from docgemma.agent.router import Next, after_error, after_intent, after_result
from docgemma.agent.state import Services, State


class Node(Protocol):
    """What every file of `nodes` holds: it reads the state and returns only what changed."""

    async def __call__(self, state: State, runtime: Runtime[Services]) -> State: ...


Graph = CompiledStateGraph[State, Services, State, State]


@cache
def build() -> Graph:
    """Compiled once a process: it holds no state of its own and no checkpointer."""
    graph = StateGraph(State, context_schema=Services)
    graph.add_node("input_assembly", timed(input_assembly))
    graph.add_node("intent_classify", timed(intent_classify, after_intent))
    graph.add_node("tool_select", timed(tool_select))
    graph.add_node("tool_execute", timed(tool_execute))
    graph.add_node("result_classify", timed(result_classify, after_result))
    graph.add_node("error_handler", timed(error_handler, after_error))
    graph.add_node("synthesize", timed(synthesize))
    graph.add_edge(START, "input_assembly")
    graph.add_edge("input_assembly", "intent_classify")
    graph.add_conditional_edges("intent_classify", _next, ["tool_select", "synthesize"])
    graph.add_edge("tool_select", "tool_execute")
    graph.add_edge("tool_execute", "result_classify")
    graph.add_conditional_edges("result_classify", _next, ["tool_select", "error_handler", "synthesize"])
    graph.add_conditional_edges("error_handler", _next, ["tool_select", "synthesize"])
    graph.add_edge("synthesize", END)
    return graph.compile()


def timed(node: Node, route: Callable[[State], Next] | None = None) -> Node:
    """A node with its time in the timeline and, where the way forks, the router's decision and its reason."""

    async def run(state: State, runtime: Runtime[Services]) -> State:
        started = time.perf_counter()
        update = await node(state, runtime)
        ms = round((time.perf_counter() - started) * 1000, 1)
        steps = list(update.get("timeline", []))
        if steps:
            steps[-1] = steps[-1].model_copy(update={"ms": ms})
        if route is not None:
            chosen = route(_merged(state, update))
            update["next"] = chosen.node
            steps.append(TimelineStep(step="router", label="Deciding the next step", detail=chosen.reason))
        update["timeline"] = steps
        for entry in steps:
            runtime.stream_writer(entry)
        return update

    run.__name__ = getattr(node, "__name__", "node")
    return run


def _merged(state: State, update: State) -> State:
    """The state as the router must see it; it reads none of the accumulating lists."""
    merged: dict[str, Any] = {**state, **update}
    return merged  # type: ignore[return-value]


async def _next(state: State) -> str:
    """Already decided. Async although it waits for nothing: LangGraph sends a plain function to a thread."""
    return state["next"]
