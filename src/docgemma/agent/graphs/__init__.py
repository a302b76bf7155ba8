"""The graphs by name. One is imported and compiled when it is first asked for: most installations run one alone."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from docgemma.clinical import GRAPHS, GraphName
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.agent.graphs.steps import Graph

__all__ = ["GRAPHS", "GraphName", "build", "known"]


def known(name: str) -> GraphName:
    """The name as that of a graph that there is."""
    if name not in GRAPHS:
        raise BadInput(f"There is no graph of this name. Give one of: {', '.join(GRAPHS)}.")
    return name


def build(name: GraphName) -> Graph:
    """The compiled graph, the same one for the whole process: it holds no state of its own."""
    module = import_module(f"{__name__}.{known(name)}")
    return cast("Graph", module.build())
