"""What stands in the cells of a report: a suite's own numbers as tables, and intervals as SVG.

Shape and place say everything; colour only repeats it. No style attributes: the page's policy forbids them, so that no
text of a model could bring one either.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from docgemma.evals.summary import Paired, Score


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts. Without a head it is a list of names and values."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(figures: Mapping[str, Any]) -> tuple[Table, ...]:
    """Plain values together first, then one table for each group of values."""
    single = {name: value for name, value in figures.items() if not _grouped(value)}
    found = [Table("", (), _pairs(single))] if single else []
    for name, value in figures.items():
        if _grouped(value):
            found += _tables(_named(name), value)
    return tuple(found)


def _tables(title: str, group: Mapping[str, Any]) -> Iterator[Table]:
    """Groups of plain values are the rows of one table; what is deeper than that gets a table of its own."""
    if not any(map(_grouped, group.values())):
        yield Table(title, (), _pairs(group))
    elif all(isinstance(row, Mapping) and not any(map(_grouped, row.values())) for row in group.values()):
        columns = tuple(dict.fromkeys(column for row in group.values() for column in row))
        rows = [
            (_named(name), *(_text(row[key]) if key in row else "–" for key in columns)) for name, row in group.items()
        ]
        yield Table(title, ("", *map(_named, columns)), tuple(rows))
    else:
        for name, value in group.items():
            below = f"{title}: {_named(name)}"
            if _grouped(value):
                yield from _tables(below, value)
            else:
                yield Table(below, (), (("", _text(value)),))


def _grouped(value: Any) -> bool:
    """Values under names: a table of its own."""
    return isinstance(value, Mapping) and bool(value)


def _pairs(values: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple((_named(name), _text(value)) for name, value in values.items())


def _named(name: Any) -> str:
    return str(name).replace("_", " ")


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return str(value) if isinstance(value, (str, int)) else json.dumps(value, ensure_ascii=False, default=str)


# ----------
# Dots and whiskers as SVG, for a table's cell. Shape and place say everything; colour only repeats it.
#
# No style attributes: the page's policy forbids them, so that no text of a model could bring one either.


_WIDTH, _EDGE = 128, 5
_RAIL = f'<path class="rail" d="M{_EDGE} 8H{_WIDTH - _EDGE}"/>'
_HEAD = f'<svg class="whisker" viewBox="0 0 {_WIDTH} 16" width="{_WIDTH}" height="16" role="img" aria-label='


def whisker(score: Score, marks: Sequence[float] = (50,)) -> Markup:
    """A share with its interval on a rail from 0 to 100 %, `marks` as ticks; nothing where nothing was scored."""
    if score.percent is None or score.low is None or score.high is None:
        return Markup("")
    ticks = "".join(f'<path class="tick" d="M{_place(mark)} 3V13"/>' for mark in marks)
    dot = f'<circle class="dot" cx="{_place(score.percent)}" cy="8" r="4"/>'
    said = f"{score.percent:.1f} %, 95 % interval {score.low:.1f} to {score.high:.1f} %"
    return _svg(said, ticks + _reach(score.low, score.high) + dot)


def difference(pair: Paired, most: float) -> Markup:
    """A paired difference around 0, on a rail from -most to +most percent points. Not filled where it may be chance."""
    low, at, high = (50 + 50 * max(-1.0, min(1.0, value / most)) for value in (pair.low, pair.difference, pair.high))
    kind, radius = ("dot", "4") if pair.clear else ("ring", "3.5")
    point = f'<circle class="{kind}" cx="{_place(at)}" cy="8" r="{radius}"/>'
    said = f"{pair.difference:+.1f} points, 95 % interval {pair.low:+.1f} to {pair.high:+.1f}"
    return _svg(said, f'<path class="tick" d="M{_place(50)} 0V16"/>' + _reach(low, high) + point)


def bar(share: float) -> Markup:
    """How much of a turn one step took."""
    head = '<svg class="bar" viewBox="0 0 60 8" width="60" height="8" aria-hidden="true">'
    return Markup(f'{head}<rect width="{_short(max(1.0, min(1.0, share) * 60))}" height="8"/></svg>')  # noqa: S704


def _svg(said: str, drawn: str) -> Markup:
    """All of it is ours: numbers, and words around numbers."""
    return Markup(f'{_HEAD}"{said}">{_RAIL}{drawn}</svg>')  # noqa: S704


def _reach(low: float, high: float) -> str:
    """The interval with feet at both ends."""
    return f'<path class="reach" d="M{_place(low)} 4V12M{_place(low)} 8H{_place(high)}M{_place(high)} 4V12"/>'


def _place(percent: float) -> str:
    return _short(_EDGE + (_WIDTH - 2 * _EDGE) * percent / 100)


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
