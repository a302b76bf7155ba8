"""Where the nodes and edges of a graph lie on paper: in layers from the first to the last, computed from the edges.

An edge to the next layer is a straight line. One that passes over layers or leads back runs beside the nodes, in a
lane of its own, so that no two lie on each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

START, END = "__start__", "__end__"
_ROW, _HALF, _GAP, _LANE, _EDGE = 58, 15, 28, 12, 16
_LETTER, _NARROWEST = 7, 120
_HEAD = 4

Arc = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Route:
    """One edge. `corners` are the points it runs through; the arrow is at the last."""

    source: str
    target: str
    corners: tuple[tuple[int, int], ...]

    def path(self) -> str:
        first, *rest = self.corners
        return f"M{first[0]} {first[1]}" + "".join(f" L{x} {y}" for x, y in rest)

    def head(self) -> tuple[tuple[int, int], ...]:
        """The arrow: it points along the last piece of the way, which is level or leads down."""
        (before, _), (x, y) = self.corners[-2], self.corners[-1]
        if len(self.corners) == 2:
            return (x, y), (x - _HEAD, y - 2 * _HEAD), (x + _HEAD, y - 2 * _HEAD)
        back = 2 * _HEAD if before > x else -2 * _HEAD
        return (x, y), (x + back, y - _HEAD), (x + back, y + _HEAD)


@dataclass(frozen=True, slots=True)
class Drawing:
    """`places` are the middles of the boxes, which are all `box` wide."""

    places: Mapping[str, tuple[int, int]]
    routes: tuple[Route, ...]
    box: int
    width: int
    height: int


def layout(nodes: Sequence[str], edges: Sequence[Arc], letters: Mapping[str, int]) -> Drawing:
    """The same graph and labels always give the same drawing."""
    layer = layers(nodes, edges)
    rows: dict[int, list[str]] = {}
    for name in nodes:
        rows.setdefault(layer[name], []).append(name)
    box = max([_NARROWEST, *(_LETTER * letters[name] + 2 * _EDGE for name in nodes)])
    sides = {edge: _side(edge, rows, layer) for edge in edges if layer[edge[1]] != layer[edge[0]] + 1}
    left = _lanes([edge for edge, side in sides.items() if side < 0], layer)
    right = _lanes([edge for edge, side in sides.items() if side > 0], layer)
    most = max(len(row) for row in rows.values())
    margin = _EDGE + _LANE * (max(left.values(), default=0) + 1)
    inner = most * box + (most - 1) * _GAP
    middle = margin + inner // 2
    places = {
        name: (middle + (2 * number - len(row) + 1) * (box + _GAP) // 2, _EDGE + _HALF + _ROW * depth)
        for depth, row in rows.items()
        for number, name in enumerate(row)
    }
    routes = []
    for edge in edges:
        if edge in left:
            routes.append(_beside(edge, places, box, margin - _LANE * left[edge], -1))
        elif edge in right:
            routes.append(_beside(edge, places, box, margin + inner + _LANE * right[edge], 1))
        else:
            (x, y), (to_x, to_y) = places[edge[0]], places[edge[1]]
            routes.append(Route(*edge, ((x, y + _HALF), (to_x, to_y - _HALF))))
    width = margin + inner + _EDGE + _LANE * (max(right.values(), default=0) + 1)
    return Drawing(places, tuple(routes), box, width, 2 * _EDGE + 2 * _HALF + _ROW * max(rows))


def layers(nodes: Sequence[str], edges: Sequence[Arc]) -> dict[str, int]:
    """How far from the start each node lies, by the longest way that does not go in a circle."""
    onward = {name: [target for source, target in edges if source == name] for name in nodes}
    back = _leading_back(nodes, onward)
    layer = dict.fromkeys(nodes, 0)
    for _ in nodes:
        for source, target in edges:
            if (source, target) not in back:
                layer[target] = max(layer[target], layer[source] + 1)
    return layer


def _leading_back(nodes: Sequence[str], onward: Mapping[str, Sequence[str]]) -> set[Arc]:
    """Edges to a node that the way to them already passed."""
    back: set[Arc] = set()
    done: set[str] = set()

    def walk(name: str, passed: tuple[str, ...]) -> None:
        for target in onward[name]:
            if target in passed or target == name:
                back.add((name, target))
            elif target not in done:
                walk(target, (*passed, name))
        done.add(name)

    for name in nodes:
        if name not in done:
            walk(name, ())
    return back


def _side(edge: Arc, rows: Mapping[int, Sequence[str]], layer: Mapping[str, int]) -> int:
    """What leads back runs on the left, what passes over layers on the right: unless a neighbour stands there."""
    source, target = edge
    if layer[target] <= layer[source]:
        return -1
    return 1 if all(rows[layer[name]][-1] == name for name in edge) else -1


def _lanes(edges: Sequence[Arc], layer: Mapping[str, int]) -> dict[Arc, int]:
    """The shortest lies innermost; two that would touch lie in different lanes."""
    spans = {edge: tuple(sorted((layer[edge[0]], layer[edge[1]]))) for edge in edges}
    taken: list[list[tuple[int, ...]]] = []
    lanes: dict[Arc, int] = {}
    for edge in sorted(edges, key=lambda one: (spans[one][1] - spans[one][0], one)):
        low, high = spans[edge]
        free = [lane for lane, used in enumerate(taken) if all(high < one[0] or low > one[1] for one in used)]
        lane = free[0] if free else len(taken)
        if not free:
            taken.append([])
        taken[lane].append(spans[edge])
        lanes[edge] = lane + 1
    return lanes


def _beside(edge: Arc, places: Mapping[str, tuple[int, int]], box: int, lane: int, side: int) -> Route:
    """Out of the lower part of one box, along the lane, into the upper part of the other."""
    (x, y), (to_x, to_y) = places[edge[0]], places[edge[1]]
    out, into = y + _HALF // 2, to_y - _HALF // 2
    return Route(*edge, ((x + side * box // 2, out), (lane, out), (lane, into), (to_x + side * box // 2, into)))
