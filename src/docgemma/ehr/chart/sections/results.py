"""The sections of observations: laboratory results, vital signs, social history and others.

Those asked for by name come first, with a word where there is none; then the newest of each with its course.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from docgemma.ehr.chart.gaps import not_read
from docgemma.ehr.chart.model import Entry, Part, sentence
from docgemma.ehr.chart.recorded.codeable import concept
from docgemma.ehr.chart.recorded.fields import Node, counted, node, nodes
from docgemma.ehr.chart.recorded.observations import Bucket, Series, observed_on
from docgemma.ehr.chart.recorded.values import FEW, MANY, line
from docgemma.ehr.chart.recorded.when import age_in_words, whole_date, years
from docgemma.ehr.chart.sections.lab_names import NamedTest, test_called
from docgemma.ehr.chart.view import View

_MOST_NAMES = 25


class Selection:
    """`named` answer the question. `rest` follow where nothing was asked for by name."""

    def __init__(self, view: View, own: Bucket, tests: Iterable[NamedTest], elsewhere: tuple[Bucket, ...] = ()) -> None:
        self._view = view
        listed = view.findings.of(own)
        self.total = len(listed)
        self.missing: list[NamedTest] = []
        chosen: dict[str, Series] = {}
        asked = list(tests)
        for test in asked:
            hits = view.findings.called(test, own, *elsewhere)
            chosen |= {series.key: series for series in hits}
            if not hits:
                self.missing.append(test)
        if not asked and view.ask.stems:
            chosen = {series.key: series for series in listed if view.ask.names(series.name)}
        self.named = list(chosen.values())
        self._listed = listed
        self.rest = [] if asked else [series for series in listed if series.key not in chosen]

    def not_found(self) -> Iterator[Entry]:
        """For each test that was asked for and is not there. Not read is another thing than not there.

        What there is instead is named: it may be the same test under a name that we do not know.
        """
        unread = not_read(self._view.record, "Observation")
        for test in self.missing:
            if unread:
                yield sentence(f"No {test.name} was found, and observations were not read completely: it is not known.")
            else:
                read = counted(self._view.findings.total, "observation")
                yield sentence(f"No {test.name} is recorded among the observations ({read} read).")
        if self.missing and self._listed:
            names = "; ".join(series.name for series in self._listed[:_MOST_NAMES])
            more = len(self._listed) - _MOST_NAMES
            yield sentence(f"Recorded are: {names}{f'; and {more} more' if more > 0 else ''}.")


def labs(view: View) -> Part:
    """Newest first. Asked for by name, a test is found also where nobody called it a laboratory result."""
    tests = [test for test in view.ask.tests if not test.vital]
    chosen = Selection(view, "labs", tests, ("other", "social"))
    void = view.findings.void
    left_out = (
        (f"Observations: {counted(void, 'one', 'ones')} cancelled or entered in error, not shown.",) if void else ()
    )
    return Part("labs", _lab_lines(view, chosen), chosen.total, "newest first; ask for one by name", left_out)


def _lab_lines(view: View, chosen: Selection) -> Iterator[Entry]:
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


_FOLLOWED = ("blood pressure", "weight")
_GROWING = ("weight", "height", "head circumference", "BMI")
_ADULT = 18


def vitals(view: View) -> Part:
    """Newest first; blood pressure and weight with their course, everything where a trend is asked for."""
    tests = [test for test in view.ask.tests if test.vital]
    chosen = Selection(view, "vitals", tests, ("other",))
    return Part("vitals", _vital_lines(view, chosen), chosen.total)


def _vital_lines(view: View, chosen: Selection) -> Iterator[Entry]:
    yield from chosen.not_found()
    for series in chosen.named:
        yield _vital_line(view, series, MANY)
    for series in sorted(chosen.rest, key=_rank):
        followed = view.ask.trend or _is_one_of(series, _FOLLOWED)
        yield _vital_line(view, series, FEW if followed else 1)


def _vital_line(view: View, series: Series, points: int) -> Entry:
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
