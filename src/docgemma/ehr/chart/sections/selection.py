"""Which series of observations a section shows: those asked for by name first, and a word where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docgemma.ehr.chart.gaps import not_read
from docgemma.ehr.chart.model import Entry, sentence
from docgemma.ehr.chart.recorded.observations import Bucket, Series
from docgemma.ehr.chart.recorded.plain import counted
from docgemma.ehr.chart.sections.lab_names import NamedTest
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
