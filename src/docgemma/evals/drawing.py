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


def _tables(title: str, value: Any) -> Iterator[Table]:
    rows = list(value.items()) if isinstance(value, Mapping) else [("", one) for one in value]
    if all(isinstance(one, Mapping) and not any(map(_grouped, one.values())) for _, one in rows):
        columns = tuple(dict.fromkeys(column for _, one in rows for column in one))
        first = ("",) if isinstance(value, Mapping) else ()
        yield Table(
            title,
            (*first, *map(_named, columns)),
            tuple(
                (*([_named(name)] if first else []), *(_text(one[key]) if key in one else "–" for key in columns))
                for name, one in rows
            ),
        )
    elif isinstance(value, Mapping) and not any(_grouped(one) for one in value.values()):
        yield Table(title, (), _pairs(value))
    else:
        for name, one in rows:
            below = f"{title}: {_named(name)}" if name else title
            if _grouped(one):
                yield from _tables(below, one)
            else:
                yield Table(below, (), (("", _text(one)),))


def _grouped(value: Any) -> bool:
    """A mapping, or a list of mappings: a table of its own."""
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    return (isinstance(value, Mapping) and bool(value)) or (
        listed and bool(value) and all(isinstance(one, Mapping) for one in value)
    )


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


WIDTH, HEIGHT = 128, 16
_EDGE = 5
_MIDDLE = HEIGHT / 2


def whisker(score: Score, marks: Sequence[float] = (50,)) -> Markup:
    """A share with its interval on a rail from 0 to 100 %, `marks` as ticks; nothing where nothing was scored."""
    if score.percent is None or score.low is None or score.high is None:
        return Markup("")
    return _svg(
        f"{score.percent:.1f} %, 95 % interval {score.low:.1f} to {score.high:.1f} %",
        [_rail(), *(_tick(_place(mark)) for mark in marks), _reach(_place(score.low), _place(score.high))],
        _dot(_place(score.percent)),
    )


def difference(pair: Paired, most: float) -> Markup:
    """A paired difference around 0, on a rail from -most to +most percent points."""
    said = f"{pair.difference:+.1f} points, 95 % interval {pair.low:+.1f} to {pair.high:+.1f}"
    low, at, high = (
        _place(50 + 50 * max(-1.0, min(1.0, value / most))) for value in (pair.low, pair.difference, pair.high)
    )
    return _svg(said, [_rail(), _tick(_place(50), tall=True), _reach(low, high)], _dot(at) if pair.clear else _ring(at))


def bar(share: float) -> Markup:
    """How much of a turn one step took."""
    width = max(1.0, min(1.0, share) * 60)
    return Markup(
        '<svg class="bar" viewBox="0 0 60 8" width="60" height="8" aria-hidden="true">'
        '<rect width="{}" height="8"/></svg>'
    ).format(_short(width))


def _svg(said: str, parts: Sequence[Markup], point: Markup) -> Markup:
    head = Markup('<svg class="whisker" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">')
    return head.format(WIDTH, HEIGHT, said) + Markup("").join(parts) + point + Markup("</svg>")


def _place(percent: float) -> float:
    return _EDGE + (WIDTH - 2 * _EDGE) * percent / 100


def _rail() -> Markup:
    return Markup('<path class="rail" d="M{0} {1}H{2}"/>').format(_EDGE, _short(_MIDDLE), WIDTH - _EDGE)


def _tick(x: float, *, tall: bool = False) -> Markup:
    top, bottom = (0, HEIGHT) if tall else (3, HEIGHT - 3)
    return Markup('<path class="tick" d="M{0} {1}V{2}"/>').format(_short(x), top, bottom)


def _reach(low: float, high: float) -> Markup:
    """The interval with feet at both ends."""
    return Markup('<path class="reach" d="M{0} 4V12M{0} 8H{1}M{1} 4V12"/>').format(_short(low), _short(high))


def _dot(x: float) -> Markup:
    return Markup('<circle class="dot" cx="{}" cy="{}" r="4"/>').format(_short(x), _short(_MIDDLE))


def _ring(x: float) -> Markup:
    """Not filled: the interval holds 0, so nothing is shown."""
    return Markup('<circle class="ring" cx="{}" cy="{}" r="3.5"/>').format(_short(x), _short(_MIDDLE))


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
