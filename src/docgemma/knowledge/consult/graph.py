"""The consult graph: from the question to an answer out of curated entries."""

from __future__ import annotations

import time
from functools import cache
from typing import Any, Protocol

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from docgemma.errors import ModelError, Unavailable
from docgemma.knowledge.consult.asking import Live
from docgemma.knowledge.consult.nodes import (
    compose,
    create_query,
    decide,
    fallback,
    filter,
    ingest_query,
    rag_agent,
    retrieve,
    topic_classify,
)
from docgemma.knowledge.consult.router import Node, Route, after_decide, after_rag_agent, always, routed
from docgemma.knowledge.consult.state import State, step


class Does(Protocol):
    """What every file of `nodes` holds: it reads the state and returns only what changed."""

    async def __call__(self, state: State, runtime: Runtime[Live]) -> State: ...


class Step(Protocol):
    """A node as the graph runs it: with its time, its events and the router's decision."""

    async def __call__(self, state: State, runtime: Runtime[Live]) -> Command[str]: ...


Graph = CompiledStateGraph[State, Live, State, State]

_NODES: tuple[tuple[Node, Does, str, Route, tuple[Node, ...]], ...] = (
    ("ingest_query", ingest_query.ingest_query, ingest_query.LABEL, always("decide"), ("decide",)),
    ("decide", decide.decide, decide.LABEL, after_decide, ("rag_agent", "__end__")),
    (
        "rag_agent",
        rag_agent.rag_agent,
        rag_agent.LABEL,
        after_rag_agent,
        ("create_query", "topic_classify", "compose"),
    ),
    ("create_query", create_query.create_query, create_query.LABEL, always("topic_classify"), ("topic_classify",)),
    ("topic_classify", topic_classify.topic_classify, topic_classify.LABEL, always("retrieve"), ("retrieve",)),
    ("retrieve", retrieve.retrieve, retrieve.LABEL, always("filter"), ("filter",)),
    ("filter", filter.filter, filter.LABEL, always("rag_agent"), ("rag_agent",)),
    ("compose", compose.compose, compose.LABEL, always("__end__"), ("__end__",)),
)


@cache
def build() -> Graph:
    """Compiled once a process: it holds no state of its own and no checkpointer."""
    graph = StateGraph(State, context_schema=Live)
    for name, node, label, route, onward in _NODES:
        graph.add_node(name, _run(name, node, label, route), destinations=(*onward, "fallback"))
    graph.add_node("fallback", _run("fallback", fallback.fallback, fallback.LABEL, None), destinations=("__end__",))
    graph.add_edge(START, "ingest_query")
    return graph.compile()


def _run(name: Node, node: Does, label: str, route: Route | None) -> Step:
    """Without a route it is the last one. A node that loses the model or the base says so, and the router sees it."""

    async def run(state: State, runtime: Runtime[Live]) -> Command[str]:
        started = time.perf_counter()
        try:
            update = await node(state, runtime)
        except ModelError:
            detail = "the language model could not be used"
            update = {"model_lost": True, "timeline": step(name, label, detail)}
        except Unavailable as failure:
            detail = "the knowledge base cannot be read"
            update = {"base_closed": True, "notices": [str(failure)], "timeline": step(name, label, detail)}
        steps = update["timeline"] = list(update.get("timeline", ()))
        if steps:
            steps[-1] = steps[-1].model_copy(update={"ms": round((time.perf_counter() - started) * 1000, 1)})
        for entry in steps:
            runtime.context.services.emit(entry)
        return Command(update=update, goto=routed(_merged(state, update), route) if route else "__end__")

    return run


def _merged(state: State, update: State) -> State:
    """The state as the router must see it; it reads none of the accumulating lists."""
    merged: dict[str, Any] = {**state, **update}
    return merged  # type: ignore[return-value]
