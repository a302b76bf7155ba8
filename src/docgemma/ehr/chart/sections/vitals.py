"""Vital signs: the newest of each, the course of weight and blood pressure, and the age beside a child's weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from docgemma.ehr.chart.model import Entry, Part
from docgemma.ehr.chart.recorded.observations import Series, observed_on
from docgemma.ehr.chart.recorded.shape import Node
from docgemma.ehr.chart.recorded.trends import FEW, MANY, line
from docgemma.ehr.chart.recorded.when import age_in_words, whole_date, years
from docgemma.ehr.chart.sections.lab_names import test_called
from docgemma.ehr.chart.sections.selection import Selection
from docgemma.ehr.chart.view import View

_FOLLOWED = ("blood pressure", "weight")
_GROWING = ("weight", "height", "head circumference", "BMI")
_ADULT = 18


def vitals(view: View) -> Part:
    """Newest first; blood pressure and weight with their course, everything where a trend is asked for."""
    tests = [test for test in view.ask.tests if test.vital]
    chosen = Selection(view, "vitals", tests, ("other",))
    return Part("vitals", _entries(view, chosen), chosen.total)


def _entries(view: View, chosen: Selection) -> Iterator[Entry]:
    yield from chosen.not_found()
    for series in chosen.named:
        yield _line(view, series, MANY)
    for series in sorted(chosen.rest, key=_rank):
        followed = view.ask.trend or _is_one_of(series, _FOLLOWED)
        yield _line(view, series, FEW if followed else 1)


def _line(view: View, series: Series, points: int) -> Entry:
    return line(series, view.today, points=points, note=_age(view) if _is_one_of(series, _GROWING) else None)


def _rank(series: Series) -> int:
    """Blood pressure, then weight, then the others as they come."""
    return next((rank for rank, name in enumerate(_FOLLOWED) if test_called(name).fits(series.folded)), len(_FOLLOWED))


def _is_one_of(series: Series, tests: tuple[str, ...]) -> bool:
    return any(test_called(name).fits(series.folded) for name in tests)


def _age(view: View) -> Callable[[Node], str]:
    """ "at 3 years 2 months", for as long as the patient was a child: a dose by weight rests on both."""
    born = whole_date(view.record.patient.get("birthDate"))

    def at(observation: Node) -> str:
        on = whole_date(observed_on(observation))
        if not born or not on or on < born or years(born, on) >= _ADULT:
            return ""
        return f"at {age_in_words(born, on)}"

    return at
