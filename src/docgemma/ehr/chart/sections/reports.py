"""Reports with their conclusion, and care plans with what they ask for; newest first."""

from __future__ import annotations

from docgemma.ehr.chart.model import Entry, Part
from docgemma.ehr.chart.recorded.codeable import concept, first_concept
from docgemma.ehr.chart.recorded.observations import observed_on
from docgemma.ehr.chart.recorded.plain import counted, joined, plain, quoted
from docgemma.ehr.chart.recorded.shape import Node, code, identity, node, nodes
from docgemma.ehr.chart.recorded.when import begun, day, instant, shown, span
from docgemma.ehr.chart.view import View

_VOID = frozenset({"entered-in-error", "cancelled"})
_GLANCE, _READ = 200, 800


def reports(view: View) -> Part:
    """Those with a conclusion. Plain lists of results come after them, and only where reports are asked for: their
    values are among the laboratory results.
    """
    listed = [one for one in view.record.of("DiagnosticReport") if code(one.get("status")) not in _VOID]
    void = len(view.record.of("DiagnosticReport")) - len(listed)
    listed.sort(key=lambda one: (instant(observed_on(one)), identity(one)), reverse=True)
    if not view.ask.wants("reports"):
        listed = [one for one in listed if _concludes(one) or view.ask.names(concept(one.get("code")))]
    listed.sort(key=lambda one: not _concludes(one))
    if view.ask.stems:
        listed.sort(key=lambda one: not view.ask.names(concept(one.get("code"))))
    most = _READ if view.ask.wants("reports") else _GLANCE
    left_out = (f"Reports: {void} cancelled or entered in error, not shown.",) if void else ()
    entries = (_report(one, view, most) for one in listed)
    return Part("reports", entries, len(listed), "report", "reports", "those with a conclusion first", left_out)


def _concludes(one: Node) -> bool:
    return bool(one.get("conclusion") or one.get("conclusionCode"))


def _report(one: Node, view: View, most: int) -> Entry:
    status = code(one.get("status"))
    coded = [name for found in nodes(one.get("conclusionCode"))[:4] if (name := concept(found, 80))]
    results = len(nodes(one.get("result")))
    said = joined(
        quoted(one.get("conclusion"), most),
        joined(*coded),
        counted(results, "result") + " (see the laboratory results)" if results else "",
        by="; ",
    )
    on = observed_on(one)
    mark = "" if status == "final" else plain(status, 20) or "status not recorded"
    head = joined(concept(one.get("code")) or "Report", shown(on, view.today), mark)
    return Entry(f"{head}: {said or 'no conclusion recorded'}", day(on), identity(one))


def plans(view: View) -> Part:
    """Active plans first."""
    listed = [one for one in view.record.of("CarePlan") if code(one.get("status")) not in _VOID]
    listed.sort(key=lambda one: (instant(begun(one.get("period"))), identity(one)), reverse=True)
    listed.sort(key=lambda one: code(one.get("status")) != "active")
    entries = (_plan(one) for one in listed)
    return Part("plans", entries, len(listed), "care plan", "care plans", "active ones first")


def _plan(one: Node) -> Entry:
    tasks = [
        name for each in nodes(one.get("activity"))[:6] if (name := concept(node(each.get("detail")).get("code"), 80))
    ]
    text = joined(
        plain(one.get("title"), 100) or first_concept(one.get("category"), 100) or "Care plan",
        plain(code(one.get("status")), 20) or "status not recorded",
        span(one.get("period")),
        f"includes {joined(*tasks)}" if tasks else "",
        quoted(one.get("description"), 160),
    )
    return Entry(text, day(begun(one.get("period"))), identity(one))
