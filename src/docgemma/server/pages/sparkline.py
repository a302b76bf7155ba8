"""The course of a measured value as a small drawing. Whoever cannot see it hears the same in words.

A value outside its range has a shape of its own, a triangle that points up or down: colour alone tells nobody enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from markupsafe import Markup, escape

from docgemma.ehr.chart.panel_series import Point, Trend
from docgemma.server.pages.language import Translate, translator

WIDTH, HEIGHT = 120, 32
_EDGE, _MARGIN = 4, 6
_DAY = 86_400

Shape = Literal["high", "low", "abnormal", ""]


@dataclass(frozen=True, slots=True)
class _Spot:
    x: float
    y: float
    point: Point


@dataclass(frozen=True, slots=True)
class _Scale:
    """From a value to a height. Halves are subtracted, so that no difference gets too big for a number."""

    least: float
    most: float

    def y(self, value: float) -> float:
        span = self.most / 2 - self.least / 2
        share = (value / 2 - self.least / 2) / span if span > 0 else 0.5
        return HEIGHT - _MARGIN - share * (HEIGHT - 2 * _MARGIN)


def sparkline(series: Trend, _: Translate | None = None) -> Markup:
    """An SVG without any style of its own; nothing where no value has a date to be drawn at."""
    say = _ or translator("en")
    lines = [[point for point in line if _number(point.value) is not None] for line in (series.points, series.second)]
    drawn = [line for line in lines if line]
    if not drawn:
        return Markup("")
    low, high = _number(series.low), _number(series.high)
    bounds = [edge for edge in (low, high) if edge is not None]
    values = [*bounds, *(known for line in drawn for point in line if (known := _number(point.value)) is not None)]
    scale = _Scale(min(values), max(values))
    moments = [_moment(point.at) for line in drawn for point in line]
    parts = [*_band(low, high, scale)]
    for line in drawn:
        parts += _line(_spots(line, scale, min(moments), max(moments)), series.unit)
    head = Markup(
        '<svg class="spark" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" focusable="false" '
        'aria-label="{2}">'
    ).format(WIDTH, HEIGHT, in_words(series, say))
    return head + Markup("").join(parts) + Markup("</svg>")


def in_words(series: Trend, _: Translate) -> Markup:
    """ "Potassium, 5 values from 2025-03-01 to 2026-10-30, last 4.8 mmol/L, within 3.5–5.0 mmol/L"."""
    points = series.points or series.second
    first, last, count = points[0].on, points[-1].on, len(points)
    counted = _("1 value of {day}", day=last)
    if count > 1:
        counted = _("{count} values from {first} to {last}", count=count, first=first, last=last)
    outside = sum(bool(shape_of(point)) for point in (*series.points, *series.second))
    said = [escape(series.label), counted, _("last {value}", value=series.latest), _judged(series, _)]
    if points[-1].flag:
        said.append(_("flagged {flag}", flag=points[-1].flag))
    if outside and count > 1:
        said.append(_("{count} marked as outside", count=outside))
    return Markup(", ").join(said)


def _judged(series: Trend, _: Translate) -> Markup:
    """Never "within" for a value that could not be compared."""
    if not series.range_text:
        outside = _("outside its recorded range")
        return outside if series.out_of_range else _("no reference range to compare with")
    if series.place == "unknown":
        return _("reference range {range}", range=series.range_text)
    if series.place == "within":
        return _("within {range}", range=series.range_text)
    if series.place == "low":
        return _("below {range}", range=series.range_text)
    return _("above {range}", range=series.range_text)


def shape_of(point: Point) -> Shape:
    """By its range; where that says nothing, by the laboratory's flag."""
    if point.place in ("low", "high"):
        return "low" if point.place == "low" else "high"
    words = point.flag.casefold().split()
    for shape in ("high", "low", "abnormal"):
        if shape in words:
            return shape
    return ""


def _number(digits: str) -> float | None:
    try:
        found = float(digits)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _moment(at: str) -> float:
    """Seconds, to place a value in time. A year or a month counts from its first day; a day that is none, as the last
    that every month has.
    """
    year, month, day = (int(part) if part.isdigit() else 1 for part in (at[:4], at[5:7], at[8:10]))
    year, month, day = min(max(year, 1), 9999), min(max(month, 1), 12), max(day, 1)
    try:
        days = date(year, month, day).toordinal()
    except ValueError:
        days = date(year, month, 28).toordinal()
    hour, minute, second = (int(part) if part.isdigit() else 0 for part in (at[11:13], at[14:16], at[17:19]))
    return days * _DAY + min(hour * 3600 + minute * 60 + second, _DAY - 1)


def _spots(line: Sequence[Point], scale: _Scale, first: float, last: float) -> list[_Spot]:
    """A lone moment stands at the right, where the newest value always is."""
    span, room = last - first, WIDTH - 2 * _EDGE
    return [
        _Spot(_EDGE + ((_moment(point.at) - first) / span if span else 1) * room, scale.y(value), point)
        for point in line
        if (value := _number(point.value)) is not None
    ]


def _band(low: float | None, high: float | None, scale: _Scale) -> Iterator[Markup]:
    """A range that is open on one side reaches to the edge of the drawing."""
    if low is None and high is None:
        return
    top = 0.0 if high is None else scale.y(high)
    bottom = float(HEIGHT) if low is None else scale.y(low)
    yield Markup(
        '<rect class="spark-band" x="0" y="{}" width="{}" height="{}" fill="currentColor" fill-opacity="0.12"/>'
    ).format(_short(top), WIDTH, _short(max(bottom - top, 1)))


def _line(spots: Sequence[_Spot], unit: str) -> Iterator[Markup]:
    if len(spots) > 1:
        through = " ".join(f"{_short(spot.x)},{_short(spot.y)}" for spot in spots)
        yield Markup('<polyline class="spark-line" points="{}" fill="none" stroke="currentColor"/>').format(through)
    for spot in spots[:-1]:
        if shape_of(spot.point):
            yield _marked(spot, unit, 2.5)
    yield _marked(spots[-1], unit, 3)


def _marked(spot: _Spot, unit: str, size: float) -> Markup:
    """A triangle points to where the value is out, a diamond is abnormal in another way, a dot is neither."""
    point, shape = spot.point, shape_of(spot.point)
    value = " ".join(part for part in (f"{point.comparator}{point.value}", unit) if part)
    said = ", ".join(part for part in (f"{point.on}: {value}", shape) if part)
    if not shape:
        dot = Markup(
            '<circle class="spark-point" cx="{}" cy="{}" r="{}" fill="currentColor"><title>{}</title></circle>'
        )
        return dot.format(_short(spot.x), _short(spot.y), _short(size - 0.5), said)
    corners = {
        "high": ((0, -size), (size, size), (-size, size)),
        "low": ((0, size), (size, -size), (-size, -size)),
        "abnormal": ((0, -size), (size, 0), (0, size), (-size, 0)),
    }[shape]
    path = " ".join(f"{_short(spot.x + across)},{_short(spot.y + down)}" for across, down in corners)
    kind = f"spark-out spark-{shape}"
    return Markup('<polygon class="{}" points="{}" fill="currentColor"><title>{}</title></polygon>').format(
        kind, path, said
    )


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
