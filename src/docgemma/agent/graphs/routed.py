"""The routed graph: the model classifies and writes, code decides where to go."""

from __future__ import annotations

from functools import cache

from langgraph.graph import START, StateGraph

from docgemma.agent.graphs.steps import Graph, timed
from docgemma.agent.nodes.error_handler import error_handler
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.nodes.intent_classify import intent_classify
from docgemma.agent.nodes.result_classify import result_classify
from docgemma.agent.nodes.synthesize import synthesize
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.nodes.tool_select import tool_select
from docgemma.agent.router import after_error, after_intent, after_result
from docgemma.agent.state import Services, State


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
