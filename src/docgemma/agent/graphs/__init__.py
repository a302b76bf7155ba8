"""The graphs by name. One is imported and compiled when it is first asked for: most installations run one alone."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from docgemma.clinical import GRAPHS, GraphName
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from docgemma.agent.graphs.steps import Graph
    from docgemma.agent.state import Services, State

MOST_NODES = 80
"""Above the longest way that a graph has: five parts, each put off once, with three calls and all their retries, are
66 nodes of `decompose`. A turn that needs more is looping, and a bug."""

__all__ = ["GRAPHS", "GraphName", "build", "known", "run"]


def known(name: str) -> GraphName:
    """The name as that of a graph that there is."""
    if name not in GRAPHS:
        raise BadInput(f"There is no graph of this name. Give one of: {', '.join(GRAPHS)}.")
    return name


def build(name: GraphName) -> Graph:
    """The compiled graph, the same one for the whole process: it holds no state of its own."""
    module = import_module(f"{__name__}.{known(name)}")
    return cast("Graph", module.build())


async def run(state: State, services: Services) -> State:
    """The graph that the services name, from this state to its last one."""
    limit: RunnableConfig = {"recursion_limit": MOST_NODES}
    steps = build(services.graph).astream(state, limit, context=services, stream_mode="values")
    async for values in steps:
        state = cast("State", values)
    return state
