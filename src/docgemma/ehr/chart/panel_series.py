"""Measured values as a page draws them: one row a test and unit, every number as it was recorded.

A row never mixes units and nothing is converted. What the row does not show is said in its remarks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from docgemma.clinical import Frozen
from docgemma.ehr.chart.recorded.codeable import coded, concept
from docgemma.ehr.chart.recorded.fields import Node, counted, identity, joined, node, nodes
from docgemma.ehr.chart.recorded.numbers import amount, comparator, exact, interval, number, unit_key, unit_of
from docgemma.ehr.chart.recorded.observations import Series, observed_on
from docgemma.ehr.chart.recorded.values import judgement, mark, value_of
from docgemma.ehr.chart.recorded.when import day, days_between, shown

Place = Literal["low", "within", "high", "unknown"]
"""Where a value lies in its reference range. `unknown`: there is no range that it can be compared with."""

MOST_POINTS = 24
_STALE = 365
_SYSTOLIC = "8480-6"


class Point(Frozen):
    """One value. `on` is the day as written, `at` what orders it in time, `value` the digits as recorded."""

    on: str
    at: str
    value: str
    comparator: str = ""
    flag: str = Field(default="", description="The laboratory's own flag, in words")
    place: Place = "unknown"


class Trend(Frozen):
    """One test in one unit. `points` run from the oldest to the newest; `second` are the diastolic values beneath."""

    label: str
    unit: str = ""
    latest: str = Field(description="The newest value with its unit, as in the chart")
    latest_on: str = Field(description="Its day, and what its status says beyond a final result")
    judgement: str = Field(default="", description="The flag and the recorded range of the newest value, in words")
    points: tuple[Point, ...] = ()
    second: tuple[Point, ...] = ()
    low: str = ""
    high: str = ""
    range_text: str = ""
    place: Place = "unknown"
    since: str = Field(default="", description="What orders the newest value in time")
    stale: bool = Field(default=False, description="The newest value is more than a year old, or its day not known")
    reference: str = ""
    remarks: tuple[str, ...] = Field(default=(), description="What this row does not show")

    @property
    def out_of_range(self) -> Literal["low", "high", ""]:
        """Only what was compared and lies outside. Empty does not say that the value is fine: see `place`."""
        return self.place if self.place in ("low", "high") else ""

    @property
    def unusual(self) -> bool:
        """Outside its range, or flagged by the laboratory as anything but normal."""
        flags = {series[-1].flag for series in (self.points, self.second) if series}
        return bool(self.out_of_range) or bool(flags - {"", "normal", "negative"})

    def text(self) -> str:
        """ "Potassium: 5.6 mmol/L (2026-10-06), above the recorded range 3.5–5.1 mmol/L"."""
        said = joined(f"{self.label}: {self.latest} ({self.latest_on})", self.judgement)
        return joined(said, *self.remarks, by="; ")


@dataclass(frozen=True, slots=True)
class _Range:
    bottom: Decimal | None
    top: Decimal | None
    low: str
    high: str
    text: str


@dataclass(frozen=True, slots=True)
class _Reading:
    """One value of an observation. `owners` carry value, flag and range: the observation itself or its components."""

    key: str
    label: str
    at: str
    resource: Node
    owners: tuple[Node, ...]

    @property
    def on(self) -> str:
        return observed_on(self.resource)


def trends(series: Series, today: date) -> list[Trend]:
    """A row for each unit and component of the test, the one with the newest value first; none without a number."""
    rows: dict[tuple[str, str], list[_Reading]] = {}
    for at, _, resource in series.points:
        for reading in _readings(series.name, at, resource):
            rows.setdefault((reading.key, unit_key(_quantity(reading.owners[0]))), []).append(reading)
    return [_trend(series, readings, today) for readings in rows.values()]


def _readings(name: str, at: str, resource: Node) -> Iterator[_Reading]:
    if _has_number(resource):
        yield _Reading("", name, at, resource, (resource,))
        return
    if any(key.startswith("value") for key in resource):
        return
    parts = [part for part in nodes(resource.get("component")) if _has_number(part)]
    pressure = _pressure(resource, parts)
    if pressure:
        yield _Reading("pair", name, at, resource, pressure)
        return
    for part in parts:
        label = concept(part.get("code"), 80) or f"{name}, a part that has no name"
        yield _Reading(f"part {label.casefold()}", label, at, resource, (part,))


def _quantity(owner: Node) -> Node:
    whole = owner.get("valueInteger")
    return node(owner.get("valueQuantity")) or ({"value": whole} if whole is not None else {})


def _has_number(owner: Node) -> bool:
    """A number so long that nobody could read it counts as none."""
    value = _quantity(owner).get("value")
    return exact(value) is not None and number(value).lstrip("-")[:1].isdigit()


def _pressure(resource: Node, parts: Sequence[Node]) -> tuple[Node, ...]:
    """Systolic and diastolic, where the chart says them together: "138/85 mmHg"."""
    if len(parts) != 2:
        return ()
    ordered = sorted(parts, key=lambda part: not _is_systolic(part))
    said = "/".join(amount(_quantity(part), unit=False) for part in ordered)
    return tuple(ordered) if value_of(resource).bare == said else ()


def _is_systolic(part: Node) -> bool:
    return _SYSTOLIC in coded(part.get("code")) or "systolic" in concept(part.get("code")).casefold()


def _trend(series: Series, newest_first: Sequence[_Reading], today: date) -> Trend:
    newest = newest_first[0]
    ranges = [_recorded_range(newest_first, place) for place in range(len(newest.owners))]
    dated = [reading for reading in newest_first if reading.at]
    lines = [_points(dated[:MOST_POINTS], place, known) for place, (known, _) in enumerate(ranges)]
    one = ranges[0][0] if len(ranges) == 1 else None
    quantity = _quantity(newest.owners[0])
    return Trend(
        label=newest.label,
        unit=unit_of(quantity),
        latest=amount(quantity) if len(newest.owners) == 1 else value_of(newest.resource).text,
        latest_on=joined(shown(newest.on, today), mark(newest.resource)),
        judgement=joined(*_judgements(newest), by="; "),
        points=lines[0],
        second=lines[1] if len(lines) > 1 else (),
        low=one.low if one else "",
        high=one.high if one else "",
        range_text=one.text if one else "",
        place=_worst(
            [_place(_quantity(owner), known) for owner, (known, _) in zip(newest.owners, ranges, strict=True)]
        ),
        since=newest.at,
        stale=_is_stale(newest.at, today),
        reference=identity(newest.resource),
        remarks=tuple(_remarks(series, newest_first, len(dated), ranges[0][1], today)),
    )


def _is_stale(at: str, today: date) -> bool:
    old = days_between(at, today.isoformat())
    return old is None or old > _STALE


def _points(newest_first: Sequence[_Reading], place: int, known: _Range | None) -> tuple[Point, ...]:
    return tuple(_point(reading, reading.owners[place], known) for reading in reversed(newest_first))


def _point(reading: _Reading, owner: Node, known: _Range | None) -> Point:
    """Judged by the range that was recorded with it; only a value that came without one by that of the row."""
    quantity = _quantity(owner)
    own = _range(owner) if nodes(owner.get("referenceRange")) else known
    return Point(
        on=day(reading.on),
        at=reading.at,
        value=number(quantity.get("value")),
        comparator=comparator(quantity),
        flag=_flag(owner),
        place=_place(quantity, own),
    )


def _flag(owner: Node) -> str:
    flagged = {"interpretation": owner.get("interpretation")}
    return judgement(flagged, value_of(flagged)).removeprefix("flagged ")


def _judgements(reading: _Reading) -> Iterator[str]:
    for owner in reading.owners:
        bare = {key: found for key, found in owner.items() if key not in ("component", "hasMember")}
        said = judgement(bare, value_of(bare))
        if said:
            yield said if len(reading.owners) == 1 else f"{concept(owner.get('code'), 60)} {said}"


def _recorded_range(newest_first: Sequence[_Reading], place: int) -> tuple[_Range | None, str]:
    """That of the newest value which has one, and its day where that is not the newest value."""
    for reading in newest_first:
        owner = reading.owners[place]
        if nodes(owner.get("referenceRange")):
            return _range(owner), "" if reading is newest_first[0] else day(reading.on) or "an unknown date"
    return None, ""


def _range(owner: Node) -> _Range | None:
    """Only a single range in the very unit of the value: among several nobody here can choose."""
    ranges = nodes(owner.get("referenceRange"))
    if len(ranges) != 1:
        return None
    low, high = node(ranges[0].get("low")), node(ranges[0].get("high"))
    units = {key for one in (low, high) if one and (key := unit_key(one))}
    bottom, top = exact(low.get("value")), exact(high.get("value"))
    if units - {unit_key(_quantity(owner))} or (bottom is None and top is None):
        return None
    if bottom is not None and top is not None and bottom > top:
        return None
    return _Range(bottom, top, number(low.get("value")), number(high.get("value")), interval(low, high))


def _place(quantity: Node, known: _Range | None) -> Place:
    """ "<5" lies below a range that begins at 5, and within one that only ends at 5; within 3 to 6 it may be either."""
    value, sign = exact(quantity.get("value")), comparator(quantity)
    if value is None or known is None:
        return "unknown"
    bottom, top = known.bottom, known.top
    if bottom is not None and (value < bottom if sign in ("", "<=") else sign == "<" and value <= bottom):
        return "low"
    if top is not None and (value > top if sign in ("", ">=") else sign == ">" and value >= top):
        return "high"
    if not sign:
        return "within"
    if sign.startswith("<"):
        return "within" if bottom is None and top is not None and value <= top else "unknown"
    return "within" if top is None and bottom is not None and value >= bottom else "unknown"


def _worst(places: Sequence[Place]) -> Place:
    order: tuple[Place, ...] = ("high", "low", "unknown", "within")
    return min(places, key=order.index)


def _remarks(
    series: Series, newest_first: Sequence[_Reading], dated: int, ranged_on: str, today: date
) -> Iterator[str]:
    """An older unit, or a newest entry without a number, must not make a stale value look like the newest."""
    if newest_first[0].resource is not series.newest:
        newer, on = series.newest, shown(observed_on(series.newest), today)
        yield f"The newest entry of this test is not in this row: {value_of(newer).text} ({joined(on, mark(newer))})."
    if ranged_on:
        yield f"The range was recorded with the value of {ranged_on}, not with the newest."
    if dated > MOST_POINTS:
        yield f"The newest {MOST_POINTS} of {counted(dated, 'value')} are drawn."
    if dated < len(newest_first):
        yield f"{counted(len(newest_first) - dated, 'value')} without a date not drawn."
