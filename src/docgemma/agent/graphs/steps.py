"""How every graph is put together and runs its nodes: timed, told as events, with the reason where the way forks."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from docgemma.agent.router import Next
from docgemma.agent.state import Services, State
from docgemma.clinical import TimelineStep

Node = Callable[[State, Runtime[Services]], Awaitable[State]]
"""It reads the state and returns only what changed."""

Route = Callable[[State], Next]
Graph = CompiledStateGraph[State, Services, State, State]


class Stage(NamedTuple):
    """A node and what comes after it: one node always, or one of several that the route chooses."""

    node: Node
    to: tuple[str, ...] = ()
    route: Route | None = None


class Step(Protocol):
    """A node as the graph runs it: with its time, its events and, where the way forks, the router's decision."""

    async def __call__(self, state: State, runtime: Runtime[Services]) -> State | Command[str]: ...


def compiled(*stages: Stage) -> Graph:
    """The graph of these stages, from the first to the last. It holds no state of its own and no checkpointer."""
    graph = StateGraph(State, context_schema=Services)
    for node, to, route in stages:
        graph.add_node(node.__name__, timed(node, route), destinations=to if route else None)
    for node, to, route in stages:
        if route is None and to:
            graph.add_edge(node.__name__, to[0])
    graph.add_edge(START, stages[0].node.__name__)
    graph.set_finish_point(stages[-1].node.__name__)
    return graph.compile()


def timed(node: Node, route: Route | None = None) -> Step:
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
