"""The way a turn took, drawn on the graph that ran it.

Nodes and edges come from the compiled graph and their places from its edges, so that the drawing is never another
graph than the one that answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from markupsafe import Markup, escape

from docgemma.clinical import GRAPHS, GraphName
from docgemma.errors import BadInput
from docgemma.server.pages.graph_layout import END, START, Drawing, Route, layout
from docgemma.server.pages.language import Translate, translator

_ID = re.compile(r"[^A-Za-z0-9_-]")
_HALF, _BADGE = 15, 9


def _drawn(name: GraphName) -> Any:
    from docgemma.agent.graphs import build

    return build(name).get_graph()


def _consult() -> Any:
    from docgemma.knowledge.consult.graph import build

    return build().get_graph()


_GRAPHS: dict[str, Callable[[], Any]] = {**{name: partial(_drawn, name) for name in GRAPHS}, "consult": _consult}


@dataclass(frozen=True, slots=True)
class Way:
    """What of a timeline lies on the graph. `nodes` in order, each with the label its step had."""

    nodes: tuple[tuple[str, str], ...]
    finished: bool

    def numbers(self, name: str) -> list[int]:
        return [number for number, (node, _) in enumerate(self.nodes, 1) if node == name]

    def edges(self) -> set[tuple[str, str]]:
        names = [START, *(name for name, _ in self.nodes), *([END] if self.finished else [])]
        return set(pairwise(names)) if self.nodes else set()


def words(_: Translate) -> dict[str, Markup]:
    """What each step is called by those who read an answer."""
    return {
        START: _("Question"),
        END: _("End of the turn"),
        "input_assembly": _("Reading the question"),
        "intent_classify": _("Understanding the request"),
        "tool_select": _("Choosing an action"),
        "tool_execute": _("Looking it up"),
        "result_classify": _("Judging the result"),
        "error_handler": _("Handling a problem"),
        "synthesize": _("Writing the answer"),
        "triage_router": _("Understanding the request"),
        "fast_path": _("Taking the short way"),
        "fix_args": _("Reading the details again"),
        "thinking": _("Thinking about the case"),
        "extract_needs": _("What to look up"),
        "decompose_intent": _("Taking the request apart"),
        "plan_tool": _("Choosing an action"),
        "assess_result": _("Judging the result"),
        "reasoning": _("Thinking about the results"),
        "complexity_router": _("Understanding the request"),
        "thinking_mode": _("Thinking about the case"),
        "decompose_request": _("Taking the request apart"),
        "plan_call": _("Choosing an action"),
        "check_result": _("Judging the result"),
        "ingest_query": _("Reading the question"),
        "decide": _("Deciding whether to look it up"),
        "rag_agent": _("Deciding the next step"),
        "create_query": _("Making a search query"),
        "topic_classify": _("Finding the topic"),
        "retrieve": _("Searching the knowledge base"),
        "filter": _("Choosing the entries"),
        "compose": _("Writing the answer"),
        "fallback": _("Answering without the model"),
    }


def graph_path(record: Mapping[str, Any], _: Translate | None = None) -> Markup:
    """An SVG without any style of its own. A record of a graph that is not there is refused in words."""
    say = _ or translator("en")
    kind = record.get("graph") or "routed"
    if kind not in _GRAPHS:
        raise BadInput("The way of this turn cannot be drawn: it ran on a graph that this version does not have.")
    graph = _GRAPHS[kind]()
    edges = [(edge.source, edge.target) for edge in graph.edges]
    way = way_of(record, list(graph.nodes), edges)
    named = words(say)
    labels = {name: named.get(name) or escape(name.replace("_", " ").capitalize()) for name in graph.nodes}
    drawing = layout(list(graph.nodes), edges, {name: len(str(label)) for name, label in labels.items()})
    went = way.edges()
    routes = sorted(drawing.routes, key=lambda route: (route.source, route.target) in went)
    body = [
        *(_edge(route, (route.source, route.target) in went) for route in routes),
        *(_node(drawing, name, labels[name], way) for name in graph.nodes),
    ]
    return _framed(drawing, _ID.sub("", str(record.get("turn_id") or ""))[:64] or "turn", _told(way, labels, say), body)


def way_of(record: Mapping[str, Any], nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> Way:
    """Several steps of one node in a row are one visit: no node follows itself. What is no node is passed over.

    The way reaches the end only where the last node can lead there and the turn did run to its end.
    """
    found: list[tuple[str, str]] = []
    for step in record.get("timeline") or ():
        name, label = step.get("step", ""), step.get("label", "")
        if name not in nodes:
            continue
        if found and found[-1][0] == name and (name, name) not in edges:
            continue
        found.append((name, label))
    over = bool(found) and (found[-1][0], END) in edges and record.get("outcome") != "unavailable"
    return Way(tuple(found), over)


def _told(way: Way, labels: Mapping[str, Markup], _: Translate) -> tuple[Markup, Markup]:
    """Title and description: the same order that the numbers show."""
    if not way.nodes:
        return _("The way of this turn"), _("No step of this graph was taken.")
    said = []
    for number, (name, label) in enumerate(way.nodes, 1):
        own = escape(label)
        more = Markup(": {}").format(own) if name == "tool_execute" and own and own != labels[name] else ""
        said.append(Markup("{}. {}{}").format(number, labels[name], more))
    last = labels[END] if way.finished else _("The turn did not reach its end.")
    return _("The way of this turn: {count} steps", count=len(way.nodes)), Markup("; ").join([*said, last])


def _framed(drawing: Drawing, id_: str, told: tuple[Markup, Markup], body: Sequence[Markup]) -> Markup:
    head = Markup(
        '<svg class="path" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" focusable="false" '
        'aria-labelledby="path-title-{id}" aria-describedby="path-desc-{id}">'
        '<title id="path-title-{id}">{title}</title><desc id="path-desc-{id}">{desc}</desc>'
    ).format(w=drawing.width, h=drawing.height, id=id_, title=told[0], desc=told[1])
    return head + Markup("").join(body) + Markup("</svg>")


def _edge(route: Route, went: bool) -> Markup:
    kind, width = ("path-edge path-went", 3) if went else ("path-edge", 1)
    line = Markup('<path class="{}" d="{}" fill="none" stroke="currentColor" stroke-width="{}"/>')
    head = Markup('<polygon class="{}" points="{}" fill="currentColor"/>').format(
        "path-head path-went" if went else "path-head", " ".join(f"{x},{y}" for x, y in route.head())
    )
    return line.format(kind, route.path(), width) + head


def _node(drawing: Drawing, name: str, label: Markup, way: Way) -> Markup:
    x, y = drawing.places[name]
    numbers = way.numbers(name)
    passed = bool(numbers) or (name == START and bool(way.nodes)) or (name == END and way.finished)
    kind = "path-node path-visited" if passed else "path-node"
    box = Markup(
        '<g class="{}"><rect class="path-box" x="{}" y="{}" width="{}" height="{}" rx="{}" fill="none" '
        'stroke="currentColor" stroke-width="{}"/>'
        '<text class="path-label" x="{}" y="{}" text-anchor="middle" font-size="12" fill="currentColor">{}</text>'
    ).format(
        kind,
        x - drawing.box // 2,
        y - _HALF,
        drawing.box,
        2 * _HALF,
        _HALF if name in (START, END) else 4,
        2 if passed else 1,
        x,
        y + 4,
        label,
    )
    return box + (_badge(x - drawing.box // 2, y - _HALF, numbers) if numbers else Markup("")) + Markup("</g>")


def _badge(left: int, top: int, numbers: Sequence[int]) -> Markup:
    """The order, on the upper edge of the box where no edge enters: "3" or "3, 6"."""
    text = ", ".join(map(str, numbers))
    width = max(2 * _BADGE, 7 * len(text) + 8)
    x = left + 6
    return Markup(
        '<rect class="path-badge" x="{}" y="{}" width="{}" height="{}" rx="{}" fill="Canvas" stroke="currentColor"/>'
        '<text class="path-number" x="{}" y="{}" text-anchor="middle" font-size="11" fill="currentColor">{}</text>'
    ).format(x, top - _BADGE, width, 2 * _BADGE, _BADGE, x + width / 2, top + 4, text)
