"""The routed graph: the model classifies and writes, code decides where to go."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from docgemma.agent.nodes.error_handler import error_handler
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.nodes.intent_classify import intent_classify
from docgemma.agent.nodes.result_classify import result_classify
from docgemma.agent.nodes.synthesize import synthesize
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.nodes.tool_select import tool_select
from docgemma.agent.router import Next, after_error, after_intent, after_result
from docgemma.agent.state import Services, State
from docgemma.clinical import TimelineStep


class Node(Protocol):
    """What every file of `nodes` holds: it reads the state and returns only what changed."""

    async def __call__(self, state: State, runtime: Runtime[Services]) -> State: ...


class Step(Protocol):
    """A node as the graph runs it: with its time, its events and, where the way forks, the router's decision."""

    async def __call__(self, state: State, runtime: Runtime[Services]) -> State | Command[str]: ...


Graph = CompiledStateGraph[State, Services, State, State]


@cache
def build() -> Graph:
    """Compiled once a process: it holds no state of its own and no checkpointer."""
    graph = StateGraph(State, context_schema=Services)
    graph.add_node("input_assembly", timed(input_assembly))
    graph.add_node("intent_classify", timed(intent_classify, after_intent), destinations=("tool_select", "synthesize"))
    graph.add_node("tool_select", timed(tool_select))
    graph.add_node("tool_execute", timed(tool_execute))
    graph.add_node(
        "result_classify",
        timed(result_classify, after_result),
        destinations=("tool_select", "error_handler", "synthesize"),
    )
    graph.add_node("error_handler", timed(error_handler, after_error), destinations=("tool_select", "synthesize"))
    graph.add_node("synthesize", timed(synthesize))
    graph.add_edge(START, "input_assembly")
    graph.add_edge("input_assembly", "intent_classify")
    graph.add_edge("tool_select", "tool_execute")
    graph.add_edge("tool_execute", "result_classify")
    graph.set_finish_point("synthesize")
    return graph.compile()


def timed(node: Node, route: Callable[[State], Next] | None = None) -> Step:
    """A node with its time in the timeline and, where the way forks, the router's decision with its reason."""

    async def run(state: State, runtime: Runtime[Services]) -> State | Command[str]:
        started = time.perf_counter()
        update = await node(state, runtime)
        steps = update["timeline"] = list(update.get("timeline", ()))
        if steps:
            steps[-1] = steps[-1].model_copy(update={"ms": round((time.perf_counter() - started) * 1000, 1)})
        chosen = route(_merged(state, update)) if route is not None else None
        if chosen is not None:
            steps.append(TimelineStep(step="router", label="Deciding the next step", detail=chosen.reason))
        for entry in steps:
            runtime.context.emit(entry)
        return update if chosen is None else Command(update=update, goto=chosen.node)

    return run


def _merged(state: State, update: State) -> State:
    """The state as the router must see it; it reads none of the accumulating lists."""
    merged: dict[str, Any] = {**state, **update}
    return merged  # type: ignore[return-value]
