"""The grounding graph: exactly two nodes, `medgemma_ground → validate_confidence`."""

from __future__ import annotations

from functools import cache

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from docgemma.grounding.asking import Live
from docgemma.grounding.nodes.medgemma_ground import medgemma_ground
from docgemma.grounding.nodes.validate_confidence import validate_confidence
from docgemma.grounding.router import after_ground
from docgemma.grounding.state import State

Graph = CompiledStateGraph[State, Live, State, State]


@cache
def build() -> Graph:
    """Compiled once a process: it holds no state of its own and no checkpointer."""
    graph = StateGraph(State, context_schema=Live)
    graph.add_node("medgemma_ground", medgemma_ground)
    graph.add_node("validate_confidence", validate_confidence)
    graph.add_edge(START, "medgemma_ground")
    graph.add_conditional_edges("medgemma_ground", after_ground, ["validate_confidence", END])
    graph.add_edge("validate_confidence", END)
    return graph.compile()
