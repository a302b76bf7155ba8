"""The way of a turn on its graph: real graphs, and timelines with steps that are no node."""

from __future__ import annotations

from functools import partial
from typing import Any
from xml.etree import ElementTree

import pytest

from docgemma.agent import graphs
from docgemma.errors import BadInput
from docgemma.knowledge.consult import graph as consult
from docgemma.server.pages.graph_layout import END, START, layers, layout
from docgemma.server.pages.graph_path import graph_path, way_of, words
from docgemma.server.pages.language import translator

SVG = "{http://www.w3.org/2000/svg}"
ONE_TOOL = [
    "input_assembly", "intent_classify", "router", "tool_select", "tool_select", "tool_execute", "result_classify",
    "router", "synthesize",
]  # fmt: skip
RETRIED = [*ONE_TOOL[:-1], "error_handler", "router", "tool_select", "tool_execute", "result_classify", "synthesize"]


def turn(*steps: str, **more: Any) -> dict[str, Any]:
    timeline = [{"step": step, "label": f"Label of {step}"} for step in steps]
    return {"turn_id": "t-1", "graph": "routed", "outcome": "answer", "timeline": timeline, **more}


def drawn(record: dict[str, Any]) -> ElementTree.Element:
    text = str(graph_path(record))
    assert "style" not in text
    return ElementTree.fromstring(text)


def badges(svg: ElementTree.Element) -> dict[str, str]:
    """Label of the box → its numbers."""
    found = {}
    for group in svg.iter("g"):
        texts = {each.get("class"): each.text or "" for each in group.iter("text")}
        if "path-number" in texts:
            found[texts["path-label"]] = texts["path-number"]
    return found


def went(svg: ElementTree.Element) -> int:
    return sum(each.get("class") == "path-edge path-went" for each in svg.iter("path"))


def test_numbers_follow_the_order_and_what_is_no_node_is_passed_over() -> None:
    svg = drawn(turn(*ONE_TOOL))
    assert badges(svg) == {
        "Reading the question": "1",
        "Understanding the request": "2",
        "Choosing an action": "3",
        "Looking it up": "4",
        "Judging the result": "5",
        "Writing the answer": "6",
    }
    assert went(svg) == 7


def test_a_second_visit_is_a_second_number() -> None:
    svg = drawn(turn(*RETRIED))
    assert badges(svg)["Choosing an action"] == "3, 7"
    assert badges(svg)["Handling a problem"] == "6"


def test_the_description_lists_the_same_order() -> None:
    svg = drawn(turn("input_assembly", "intent_classify", "tool_select", "tool_execute", "synthesize"))
    told = {each.tag: each.text for each in svg if each.tag in ("title", "desc")}
    assert told["title"] == "The way of this turn: 5 steps"
    assert told["desc"] == (
        "1. Reading the question; 2. Understanding the request; 3. Choosing an action; "
        "4. Looking it up: Label of tool_execute; 5. Writing the answer; End of the turn"
    )


@pytest.mark.parametrize(
    ("steps", "outcome", "said"),
    [
        pytest.param(("input_assembly", "intent_classify"), "answer", "did not reach its end", id="broken off"),
        pytest.param(ONE_TOOL, "unavailable", "did not reach its end", id="could not run"),
        pytest.param((), "answer", "No step of this graph was taken.", id="a receipt"),
        pytest.param(("decision", "ledger"), "answer", "No step of this graph was taken.", id="a decision"),
    ],
)
def test_a_way_that_ends_early_says_so(steps: tuple[str, ...], outcome: str, said: str) -> None:
    svg = drawn(turn(*steps, outcome=outcome))
    assert said in next(each.text or "" for each in svg if each.tag == "desc")


def test_a_consult_is_drawn_on_its_own_graph() -> None:
    steps = ("ingest_query", "decide", "rag_agent", "topic_classify", "retrieve", "filter", "rag_agent", "compose")
    svg = drawn(turn(*steps, graph="consult"))
    assert badges(svg)["Deciding the next step"] == "3, 7"
    assert went(svg) == 9


def test_a_graph_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadInput, match="graph that this version does not have"):
        graph_path(turn(graph="wandering"))


def test_labels_of_a_record_cannot_leave_their_place() -> None:
    record = turn("tool_execute", turn_id='"><script>')
    record["timeline"][0]["label"] = "<script>alert(1)</script>"
    assert "<script" not in str(graph_path(record))


@pytest.mark.parametrize(
    "build",
    [*(partial(graphs.build, name) for name in graphs.GRAPHS), consult.build],
    ids=[*graphs.GRAPHS, "consult"],
)
def test_every_node_has_words_and_a_place_of_its_own(build: Any) -> None:
    graph = build().get_graph()
    assert set(graph.nodes) <= set(words(translator("en")))
    edges = [(edge.source, edge.target) for edge in graph.edges]
    drawing = layout(list(graph.nodes), edges, dict.fromkeys(graph.nodes, 20))
    assert len(set(drawing.places.values())) == len(graph.nodes)
    assert {(route.source, route.target) for route in drawing.routes} == set(edges)
    corners = [corner for route in drawing.routes for corner in route.corners]
    assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in corners)
    lanes = [route.corners[1:3] for route in drawing.routes if len(route.corners) == 4]
    assert len(lanes) == len(set(lanes)), "no two edges lie on each other"


def test_layers_follow_the_longest_way_and_survive_circles() -> None:
    nodes = [START, "a", "b", "c", END]
    edges = [(START, "a"), ("a", "c"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "c"), ("c", END)]
    assert layers(nodes, edges) == {START: 0, "a": 1, "b": 2, "c": 3, END: 4}
    assert way_of(turn("c", "c"), nodes, edges).nodes == (("c", "Label of c"),) * 2
