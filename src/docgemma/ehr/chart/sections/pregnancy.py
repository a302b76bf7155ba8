"""Whether the record speaks of a pregnancy. What it does not say is said to be unknown."""

from __future__ import annotations

import re

from docgemma.ehr.chart.gaps import not_read
from docgemma.ehr.chart.model import Entry, Part, sentence
from docgemma.ehr.chart.recorded.fields import identity, joined
from docgemma.ehr.chart.recorded.observations import Series, observed_on
from docgemma.ehr.chart.recorded.values import FEW, line, value_of
from docgemma.ehr.chart.recorded.when import day, instant, whole_date
from docgemma.ehr.chart.sections.problems import Problem, standing
from docgemma.ehr.chart.view import View

NOT_RECORDED = "No entry about a pregnancy was found. That is not the same as not pregnant."
_NOT_KNOWN = "No entry about a pregnancy was found, and the record was not read completely: it is not known."
_NOT_NOW_RECORDED = "No entry speaks of a pregnancy at present. That is not the same as not pregnant."
_ABOUT = re.compile(
    r"pregnan|gravid|gestation|delivery date|menstrual|choriogonadotropin|\bhcg\b|trimester|antenatal", re.I
)
_NOT_NOW = re.compile(r"history of|not pregnant|negative|contracept|\bno\b|post-?partum|delivered", re.I)
_ASKED = re.compile(r"pregnancy (?:status|test)|choriogonadotropin|\bhcg\b", re.I)
_DENIED = re.compile(r"^(?:not pregnant|negative|not detected)\b", re.I)
_FRESH = 28
"""Days that a "not pregnant" holds. Engineering proposal, not reviewed by a clinician."""

_LONGEST = 300
"""Days after which an observation says nothing about the present."""


def pregnancy(view: View) -> Part:
    """Every entry that speaks of one, those of the present first."""
    entries = [_problem(problem) for problem in _problems(view)]
    entries += [line(series, view.today, points=FEW) for series in _series(view)]
    if entries and not may_be_pregnant(view):
        entries = [sentence(_NOT_NOW_RECORDED), *entries]
    if not entries:
        unread = not_read(view.record, "Condition", "Observation")
        entries = [sentence(_NOT_KNOWN if unread else NOT_RECORDED)]
    return Part("pregnancy", entries, sum(not entry.own_words for entry in entries))


def may_be_pregnant(view: View) -> bool:
    """Whether something recorded speaks for a pregnancy now: a reason for care, not a finding."""
    return bool(signs(view))


def signs(view: View, *, measured: bool = True) -> list[Entry]:
    """What speaks for it. Without what was `measured` only diagnoses: in a man a hormone level means something else."""
    found = [_problem(each) for each in _problems(view) if not each.over and not _NOT_NOW.search(each.name)]
    series = [one for one in _series(view) if _speaks_for_it(one, view)] if measured else []
    return [*found, *(line(one, view.today, points=1) for one in series)]


def ruled_out(view: View) -> Entry | None:
    """A test or a statement of the last weeks that says not pregnant. An older one says nothing about today."""
    for series in _series(view):
        on = whole_date(observed_on(series.newest))
        recent = on is not None and 0 <= (view.today - on).days <= _FRESH
        if recent and _ASKED.search(series.name) and _DENIED.search(value_of(series.newest).text):
            return line(series, view.today, points=1)
    return None


def _problems(view: View) -> list[Problem]:
    found = [problem for problem in standing(view) if _ABOUT.search(problem.name)]
    found.sort(key=lambda problem: instant(problem.since), reverse=True)
    return sorted(found, key=lambda problem: problem.over)


def _problem(problem: Problem) -> Entry:
    began = day(problem.since)
    text = joined(problem.name, problem.marks or "active", f"since {began}" if began else "undated")
    return Entry(text, began, identity(problem.resource))


def _series(view: View) -> list[Series]:
    return [one for one in view.findings.of("labs", "vitals", "social", "other") if _ABOUT.search(one.name)]


def _speaks_for_it(series: Series, view: View) -> bool:
    on = whole_date(observed_on(series.newest))
    recent = on is not None and 0 <= (view.today - on).days <= _LONGEST
    value = value_of(series.newest).text
    return recent and not _NOT_NOW.search(value) and not value.startswith("no value")
