"""Measurements to count with: the newest of a kind, in a unit we know and of a size that can be true, or why not."""

from __future__ import annotations

from dataclasses import dataclass

from docgemma.ehr.chart.gaps import not_read
from docgemma.ehr.chart.recorded.observations import Bucket, observed_on
from docgemma.ehr.chart.recorded.shape import Node, identity
from docgemma.ehr.chart.recorded.trends import mark
from docgemma.ehr.chart.recorded.values import Value, value_of
from docgemma.ehr.chart.recorded.when import is_future, whole_date
from docgemma.ehr.chart.sections.lab_names import test_called
from docgemma.ehr.chart.sections.renal import MICROMOLES_PER_MILLIGRAM
from docgemma.ehr.chart.view import View


@dataclass(frozen=True, slots=True)
class Kind:
    """What is measured, in which units (by factor to the one we count in), and between which bounds it can be true."""

    name: str
    buckets: tuple[Bucket, ...]
    units: dict[str, float]
    least: float
    most: float


CREATININE = Kind(
    "creatinine",
    ("labs", "other"),
    {"mg/dl": 1.0, "umol/l": 1 / MICROMOLES_PER_MILLIGRAM},
    0.1,
    25.0,
)
WEIGHT = Kind(
    "weight",
    ("vitals", "other"),
    {"kg": 1.0, "g": 0.001, "[lb_av]": 0.45359237, "lb": 0.45359237, "lbs": 0.45359237},
    0.3,
    400.0,
)
HEIGHT = Kind(
    "height",
    ("vitals", "other"),
    {"cm": 1.0, "m": 100.0, "[in_i]": 2.54, "in": 2.54},
    25.0,
    250.0,
)
FILTRATION = Kind(
    "eGFR",
    ("labs", "other"),
    dict.fromkeys(("ml/min/{1.73_m2}", "ml/min/1.73m2", "ml/min/1.73m²", "ml/min/{1.73m2}", "ml/min/1.73_m2"), 1.0),
    0.5,
    300.0,
)
"""As the laboratory computed it, by an equation that it seldom names."""


@dataclass(frozen=True, slots=True)
class Measure:
    """`value` in our unit; `said` as recorded, with its date."""

    value: float
    said: str
    on: str
    reference: str


def newest(view: View, kind: Kind) -> Measure | str | None:
    """The newest measurement; a sentence on why it cannot be used; None when there is none at all.

    An older value never stands in for a newer one that cannot be used.
    """
    found = _newest_valued(view, kind)
    if found is None:
        unread = not_read(view.record, "Observation")
        return f"observations were not read completely, and no {kind.name} was found" if unread else None
    resource, value = found
    on = observed_on(resource)
    said = f"{kind.name} {value.text} of {on[:10] or 'unknown date'}"
    if whole_date(on) is None or is_future(on, view.today):
        return f"the date of {said} is not usable"
    if value.number is None:
        return f"{said} is not a plain number"
    factor = kind.units.get(_unit(value.unit))
    if factor is None:
        return f"the unit of {said} is not known"
    amount = float(value.number) * factor
    if not kind.least <= amount <= kind.most:
        return f"{said} is implausible; check value and unit"
    status = mark(resource)
    return Measure(amount, f"{said}{f' ({status})' if status else ''}", on, identity(resource))


def _newest_valued(view: View, kind: Kind) -> tuple[Node, Value] | None:
    """Points without any value are passed over: nothing was measured."""
    points = [
        point for series in view.findings.called(test_called(kind.name), *kind.buckets) for point in series.points[:5]
    ]
    points.sort(key=lambda point: (point[0], point[1]), reverse=True)
    for _, _, resource in points:
        value = value_of(resource)
        if value.bare:
            return resource, value
    return None


def _unit(written: str) -> str:
    return written.replace("µ", "u").replace("μ", "u").replace(" ", "").casefold()
