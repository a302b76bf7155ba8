"""How every graph runs its nodes: timed, told as events and, where the way forks, with the decision and its reason."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from docgemma.agent.router import Next
from docgemma.agent.state import Services, State
from docgemma.clinical import TimelineStep


class Node(Protocol):
    """What every file of `nodes` holds: it reads the state and returns only what changed."""

    async def __call__(self, state: State, runtime: Runtime[Services]) -> State: ...


class Step(Protocol):
    """A node as the graph runs it: with its time, its events and, where the way forks, the router's decision."""

    async def __call__(self, state: State, runtime: Runtime[Services]) -> State | Command[str]: ...


Graph = CompiledStateGraph[State, Services, State, State]


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
