"""What a page shows beside a conversation: the lists that are never cut, and the course of what was measured.

Each list says how it is known. An empty one means "nothing recorded" only where its `state` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from docgemma.clinical import Frozen
from docgemma.ehr.chart.gaps import not_read, record_warnings
from docgemma.ehr.chart.model import Entry, Part
from docgemma.ehr.chart.panel_series import Trend, trends
from docgemma.ehr.chart.recorded.fields import counted
from docgemma.ehr.chart.recorded.observations import Series
from docgemma.ehr.chart.recorded.values import line
from docgemma.ehr.chart.recorded.when import age_in_words, whole_date
from docgemma.ehr.chart.sections.allergies import allergies, sorted_out
from docgemma.ehr.chart.sections.computed import computed
from docgemma.ehr.chart.sections.lab_names import NamedTest, test_called
from docgemma.ehr.chart.sections.medications import medications
from docgemma.ehr.chart.sections.problems import problems
from docgemma.ehr.chart.view import View
from docgemma.ehr.contract import VITAL, Record

Known = Literal["listed", "none_known", "none_recorded", "partly_read", "not_read"]
"""`none_known`: somebody recorded that there are none. `none_recorded`: nobody recorded anything."""

READ = (*VITAL, "Observation", "DiagnosticReport")
"""The reports only tell which observations came from a laboratory."""

MOST_LABS, MOST_VITALS, MOST_IN_WORDS = 12, 8, 8
_MOST_NAMES = 25
_TESTS = (
    "potassium", "creatinine", "urea", "eGFR", "sodium", "hemoglobin", "INR", "platelets", "white cell count",
    "troponin", "lactate", "glucose", "HbA1c", "CRP", "bilirubin", "ALT", "BNP", "calcium", "magnesium", "digoxin",
    "lithium", "bicarbonate", "urine albumin-creatinine ratio", "TSH", "LDL", "albumin",
)  # fmt: skip
_SIGNS = ("blood pressure", "heart rate", "oxygen saturation", "respiratory rate", "temperature", "weight")
"""In the order in which a clinician looks for them. Written by hand and not reviewed by a clinician."""


class Line(Frozen):
    """One entry as the chart shows it; `short` is the same in few words."""

    text: str
    short: str = ""
    date: str = ""
    reference: str = ""


class Listed(Frozen):
    """A list that is never cut. `notes` are sentences of ours about it, always to be shown with it."""

    state: Known = "not_read"
    notes: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()


class Measured(Frozen):
    """Rows of measured values, the important ones first. `notes`: what is not among them, and why."""

    state: Known = "not_read"
    notes: tuple[str, ...] = ()
    trends: tuple[Trend, ...] = ()
    in_words: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """Everything beside who it is."""

    age: str
    allergies: Listed
    medications: Listed
    problems: Listed
    labs: Measured
    vitals: Measured
    computed: tuple[Line, ...]
    not_checked: tuple[str, ...]
    warnings: tuple[str, ...]
    data_date: str | None


def panel(record: Record, *, today: date) -> Panel:
    """Of a record that was read with the kinds of `READ`. The same record and day always give the same panel."""
    view = View(record, today)
    parts = (allergies(view), medications(view), problems(view))
    labs, vitals = _labs(view), _vitals(view)
    days = [trend.latest_on[:10] for trend in (*labs.trends, *vitals.trends)]
    return Panel(
        age=age_of(record, today),
        allergies=_listed(parts[0], view, ("AllergyIntolerance",), none_known=_stated_none(view)),
        medications=_listed(parts[1], view, ("MedicationRequest", "MedicationStatement")),
        problems=_listed(parts[2], view, ("Condition",)),
        labs=labs,
        vitals=vitals,
        computed=tuple(_line(entry) for entry in computed(view).entries if not entry.text.startswith("Age")),
        not_checked=not_read(record, *READ),
        warnings=(*record_warnings(record), *(warning for part in parts for warning in part.warnings)),
        data_date=max((one for one in days if one <= today.isoformat() and one[:1].isdigit()), default=None),
    )


def age_of(record: Record, today: date) -> str:
    """ "55 years", of a dead one "81 years at death"; empty where the record does not tell."""
    patient = record.patient
    born, died = whole_date(patient.get("birthDate")), whole_date(patient.get("deceasedDateTime"))
    if born is None or (died is None and (patient.get("deceasedBoolean") or patient.get("deceasedDateTime"))):
        return ""
    said = age_in_words(born, died or today)
    return f"{said} at death" if said and died else said


def _line(entry: Entry) -> Line:
    return Line(text=entry.text, short=entry.short or entry.text, date=entry.date, reference=entry.reference)


def _listed(part: Part, view: View, kinds: Sequence[str], *, none_known: bool = False) -> Listed:
    entries = tuple(part.entries)
    lines = tuple(_line(entry) for entry in entries if not entry.own_words)
    state = _state(view, kinds, filled=bool(lines))
    return Listed(
        state="none_known" if state == "listed" and none_known else state,
        notes=(*(entry.text for entry in entries if entry.own_words), *part.left_out),
        lines=lines,
    )


def _state(view: View, kinds: Sequence[str], *, filled: bool) -> Known:
    if view.record.missing(*kinds):
        return "partly_read" if any(map(view.record.of, kinds)) else "not_read"
    return "listed" if filled else "none_recorded"


def _stated_none(view: View) -> bool:
    """Whether the record states "no known allergies" of everything, and holds nothing else that one should read."""
    standing = [one for one in sorted_out(view)[0] if not (one.scope and one.over)]
    return bool(standing) and all(one.scope for one in standing) and any(one.scope == "all" for one in standing)


def _labs(view: View) -> Measured:
    tests = tuple(map(test_called, _TESTS))
    own = view.findings.of("labs")
    own += [one for one in view.findings.of("other") if _rank(one.folded, tests) < len(tests)]
    void = view.findings.void
    withdrawn = (f"{counted(void, 'observation')} cancelled or entered in error, not shown.",) if void else ()
    return _measured(view, own, tests, MOST_LABS, "No laboratory result is recorded.", withdrawn)


def _vitals(view: View) -> Measured:
    tests = tuple(map(test_called, _SIGNS))
    return _measured(view, view.findings.of("vitals"), tests, MOST_VITALS, "No vital sign is recorded.")


def _measured(
    view: View, own: list[Series], tests: Sequence[NamedTest], most: int, nothing: str, notes: tuple[str, ...] = ()
) -> Measured:
    """By importance, what is old last. Where rows must be cut, one outside its range stays before one that is not."""
    rows: list[tuple[tuple[bool, int], Trend]] = []
    worded: list[Series] = []
    for series in own:
        found = trends(series, view.today)
        rank = _rank(series.folded, tests)
        rows += [((trend.stale, rank), trend) for trend in found]
        worded += [] if found else [series]
    rows.sort(key=lambda row: row[1].since, reverse=True)
    rows.sort(key=lambda row: row[0])
    order = sorted(range(len(rows)), key=lambda place: (rows[place][0][0], not rows[place][1].unusual))
    chosen = set(order[:most])
    cut = [trend.label for place, (_, trend) in enumerate(rows) if place not in chosen]
    unread = not_read(view.record, "Observation")
    return Measured(
        state=_state(view, ("Observation",), filled=bool(own)),
        notes=(
            *(unread or (() if own else (nothing,))),
            *_left_out(cut, len(rows)),
            *_left_out([one.name for one in worded[MOST_IN_WORDS:]], len(worded)),
            *notes,
        ),
        trends=tuple(trend for place, (_, trend) in enumerate(rows) if place in chosen),
        in_words=tuple(_line(line(one, view.today, points=1)) for one in worded[:MOST_IN_WORDS]),
    )


def _left_out(names: Sequence[str], of: int) -> Iterable[str]:
    if names:
        listed = list(dict.fromkeys(names))
        more = len(listed) - _MOST_NAMES
        said = "; ".join(listed[:_MOST_NAMES]) + (f"; and {more} more" if more > 0 else "")
        yield f"{len(names)} of {of} not shown here, ask for them by name: {said}."


def _rank(folded: str, tests: Sequence[NamedTest]) -> int:
    return next((rank for rank, test in enumerate(tests) if test.fits(folded)), len(tests))
