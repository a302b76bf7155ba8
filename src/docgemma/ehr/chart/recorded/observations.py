"""Observations sorted into series: one test, measured again and again, newest first.

A chart may hold thousands. They are only sorted here, and written out where a reader will see them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import Literal

from docgemma.ehr.chart.recorded.codeable import LOINC, concept
from docgemma.ehr.chart.recorded.fields import Node, code, node, nodes, plain
from docgemma.ehr.chart.recorded.when import instant, when
from docgemma.ehr.chart.sections.lab_names import NamedTest, spaced, vital_tests
from docgemma.ehr.contract import Record

Bucket = Literal["labs", "vitals", "social", "other"]
BUCKETS: tuple[Bucket, ...] = ("labs", "vitals", "social", "other")

_VOID = frozenset({"entered-in-error", "cancelled"})
_CATEGORIES: dict[str, Bucket] = {
    "laboratory": "labs",
    "lab": "labs",
    "vital-signs": "vitals",
    "vital-sign": "vitals",
    "vitals": "vitals",
    "social-history": "social",
    "survey": "social",
}


@dataclass(slots=True)
class Series:
    """One test. `points` are (when, id, resource), newest first once sorted."""

    key: str
    points: list[tuple[str, str, Node]] = field(default_factory=list)
    _name: str = ""
    _folded: str = ""

    @property
    def newest(self) -> Node:
        return self.points[0][2]

    @property
    def since(self) -> str:
        """When it was last measured, to order series by."""
        return self.points[0][0]

    @property
    def name(self) -> str:
        if not self._name:
            self._name = concept(self.newest.get("code")) or "an observation that has no name"
        return self._name

    @property
    def folded(self) -> str:
        if not self._folded:
            self._folded = spaced(self.name)
        return self._folded


@dataclass(frozen=True, slots=True)
class Findings:
    """Every observation that stands, by what it is about. `void` were withdrawn."""

    series: dict[Bucket, list[Series]]
    total: int = 0
    void: int = 0

    def of(self, *buckets: Bucket) -> list[Series]:
        return [series for bucket in buckets for series in self.series.get(bucket, ())]

    def called(self, test: NamedTest, *buckets: Bucket) -> list[Series]:
        return [series for series in self.of(*buckets) if test.fits(series.folded)]


def findings(record: Record) -> Findings:
    """Each series newest first, and the series with the newest value first."""
    grouped: dict[str, Series] = {}
    void = 0
    for resource in record.of("Observation"):
        if code(resource.get("status")) in _VOID:
            void += 1
            continue
        key = _key(resource)
        series = grouped.get(key)
        if series is None:
            series = grouped[key] = Series(key)
        series.points.append((instant(observed_on(resource)), _id(resource), resource))
    sorted_: dict[Bucket, list[Series]] = {}
    reported = _reported(record) if grouped else frozenset()
    for series in grouped.values():
        series.points.sort(key=itemgetter(0, 1), reverse=True)
        sorted_.setdefault(_bucket(series, reported), []).append(series)
    for listed in sorted_.values():
        listed.sort(key=lambda one: one.key)
        listed.sort(key=lambda one: one.since, reverse=True)
    return Findings(sorted_, sum(len(one.points) for one in grouped.values()), void)


def observed_on(resource: Node) -> str:
    """When it was measured; when that is not recorded, when it was published."""
    moment = resource.get("effectiveDateTime")
    if isinstance(moment, str) and instant(moment):
        return moment
    found = when(resource, "effective")
    issued = resource.get("issued")
    return found or (issued if isinstance(issued, str) and instant(issued) else "")


def _id(resource: Node) -> str:
    id_ = resource.get("id")
    return id_ if isinstance(id_, str) else ""


def _key(resource: Node) -> str:
    """The LOINC code, else any code with its system, else the words. Whatever has no name shares one series."""
    named = resource.get("code")
    if not isinstance(named, dict):
        return concept(named).casefold()
    first = ""
    listed = named.get("coding")
    for coding in listed if isinstance(listed, list) else ():
        if not isinstance(coding, dict):
            continue
        known, system = coding.get("code"), coding.get("system")
        if isinstance(known, str) and known:
            if system == LOINC:
                return known
            first = first or f"{plain(system)}|{known}"
    return first or plain(named.get("text")).casefold()


def _bucket(series: Series, reported: frozenset[str]) -> Bucket:
    """By the newest category that says something; else by the report that lists it, or by its name."""
    for _, _, resource in series.points[:3]:
        for category in nodes(resource.get("category")):
            for coding in nodes(category.get("coding")):
                bucket = _CATEGORIES.get(code(coding.get("code")))
                if bucket:
                    return bucket
    if any(id_ in reported for _, id_, _ in series.points):
        return "labs"
    return "vitals" if any(test.fits(series.folded) for test in vital_tests()) else "other"


def _reported(record: Record) -> frozenset[str]:
    """Ids of the observations that a report lists as its results."""
    return frozenset(
        target.rpartition("/")[2].removeprefix("urn:uuid:")
        for report in record.of("DiagnosticReport")
        for result in nodes(report.get("result"))
        if isinstance(target := node(result).get("reference"), str)
    )
