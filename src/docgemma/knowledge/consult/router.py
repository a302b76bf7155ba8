"""Where to go next: pure functions, never a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from docgemma.knowledge.consult.state import State

Node = Literal[
    "ingest_query",
    "decide",
    "rag_agent",
    "create_query",
    "topic_classify",
    "retrieve",
    "filter",
    "compose",
    "fallback",
    "__end__",
]
Route = Callable[[State], Node]


def after_decide(state: State) -> Node:
    return "__end__" if state["answering"] == "direct_response" else "rag_agent"


def after_rag_agent(state: State) -> Node:
    match state["action"]:
        case "create_retrieval_query":
            return "create_query"
        case "retrieve_kb":
            return "topic_classify"
        case _:
            return "compose"


def always(node: Node) -> Route:
    return lambda _: node


def routed(state: State, route: Route) -> Node:
    """A model or a base that is gone ends every way in the fallback, which is the last node itself."""
    gone = state.get("model_lost") or state.get("base_closed")
    return "fallback" if gone else route(state)
