"""Reports with their conclusion, and care plans with what they ask for; newest first."""

from __future__ import annotations

from docgemma.ehr.chart.gaps import not_read
from docgemma.ehr.chart.model import Entry, Part, sentence
from docgemma.ehr.chart.recorded.codeable import concept, first_concept
from docgemma.ehr.chart.recorded.fields import Node, code, counted, identity, joined, node, nodes, plain, quoted
from docgemma.ehr.chart.recorded.observations import observed_on
from docgemma.ehr.chart.recorded.when import begun, day, instant, shown, span
from docgemma.ehr.chart.view import View

_VOID = frozenset({"entered-in-error", "cancelled"})
_GLANCE, _READ = 200, 800


def reports(view: View) -> Part:
    """Those with a conclusion first. Plain lists of results are shown only where reports of any kind are asked for:
    their values are among the laboratory results.
    """
    standing = [one for one in view.record.of("DiagnosticReport") if code(one.get("status")) not in _VOID]
    void = len(view.record.of("DiagnosticReport")) - len(standing)
    listed = [one for one in standing if _belongs(one, view)]
    listed.sort(key=lambda one: (instant(observed_on(one)), identity(one)), reverse=True)
    listed.sort(key=lambda one: not _concludes(one))
    if view.ask.stems:
        listed.sort(key=lambda one: not view.ask.names(concept(one.get("code"))))
    most = _READ if view.ask.wants("reports") else _GLANCE
    entries = [_report(one, view, most) for one in listed]
    lists = sum(map(_only_results, standing)) if view.ask.imaging else 0
    if lists and not entries:
        unread = not_read(view.record, "DiagnosticReport")
        entries = [sentence(why) for why in unread or ("No report is recorded but lists of laboratory results.",)]
    left_out: tuple[str, ...] = (f"Reports: {void} cancelled or entered in error, not shown.",) if void else ()
    if lists and view.ask.wants("reports"):
        left_out += (f"Reports: {counted(lists, 'list')} of laboratory results, not shown.",)
    total = len(standing) if view.aside("reports") else len(listed)
    return Part("reports", entries, total, "those with a conclusion first", left_out)


def _belongs(one: Node, view: View) -> bool:
    name = concept(one.get("code"))
    if view.aside("reports"):
        return _concludes(one) and view.mentioned(joined(name, plain(one.get("conclusion"), _READ)))
    if view.ask.wants("reports"):
        return not (view.ask.imaging and _only_results(one))
    return _concludes(one) or view.ask.names(name)


def _only_results(one: Node) -> bool:
    """Its values and nothing else: neither words nor a document nor images."""
    return bool(one.get("result")) and not _concludes(one) and not one.get("presentedForm") and not one.get("media")


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
    return Part("plans", entries, len(listed), "active ones first")


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
