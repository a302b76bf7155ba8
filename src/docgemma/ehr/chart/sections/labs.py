"""Laboratory results: one line a test with its newest value and trend; a panel that was asked for comes first."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.ehr.chart.model import Entry, Part
from docgemma.ehr.chart.recorded.codeable import concept
from docgemma.ehr.chart.recorded.observations import Series
from docgemma.ehr.chart.recorded.plain import counted
from docgemma.ehr.chart.recorded.shape import node, nodes
from docgemma.ehr.chart.recorded.trends import FEW, MANY, line
from docgemma.ehr.chart.sections.selection import Selection
from docgemma.ehr.chart.view import View


def labs(view: View) -> Part:
    """Newest first. Asked for by name, a test is found also where nobody called it a laboratory result."""
    tests = [test for test in view.ask.tests if not test.vital]
    chosen = Selection(view, "labs", tests, ("other", "social"))
    void = view.findings.void
    left_out = (
        (f"Observations: {counted(void, 'one', 'ones')} cancelled or entered in error, not shown.",) if void else ()
    )
    return Part("labs", _entries(view, chosen), chosen.total, "newest first; ask for one by name", left_out)


def _entries(view: View, chosen: Selection) -> Iterator[Entry]:
    yield from chosen.not_found()
    for series in chosen.named:
        yield line(series, view.today, points=MANY)
    for series in _panels_first(view, chosen.rest):
        yield line(series, view.today, points=MANY if view.ask.trend else FEW)


def _panels_first(view: View, rest: list[Series]) -> list[Series]:
    """The results of a report that the question names, before the others."""
    if not view.ask.stems:
        return rest
    wanted = {
        target.rpartition("/")[2].removeprefix("urn:uuid:")
        for report in view.record.of("DiagnosticReport")
        if view.ask.names(concept(report.get("code")))
        for result in nodes(report.get("result"))
        if isinstance(target := node(result).get("reference"), str)
    }
    if not wanted:
        return rest
    return sorted(rest, key=lambda series: not any(id_ in wanted for _, id_, _ in series.points))


def other_observations(view: View) -> Part:
    """What is neither a laboratory result, a vital sign nor social history: scores, findings."""
    chosen = Selection(view, "other", ())
    series = [*chosen.named, *chosen.rest]
    entries = (line(one, view.today, points=FEW) for one in series)
    return Part("other", entries, chosen.total)


def social(view: View) -> Part:
    """Social history and questionnaires: the newest answer counts."""
    chosen = Selection(view, "social", ())
    points = FEW if view.ask.wants("social") else 1
    entries = (line(one, view.today, points=points) for one in (*chosen.named, *chosen.rest))
    return Part("social", entries, chosen.total)
