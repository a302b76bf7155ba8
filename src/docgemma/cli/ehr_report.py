"""What `docgemma ehr` shows: how far an import has come, what it did, and who is in the store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from docgemma.cli.progress import TERMINAL_S, span
from docgemma.cli.render import one_line

if TYPE_CHECKING:
    from docgemma.ehr.transfer.importing import Report, Step
    from docgemma.ehr.transfer.listing import Listed

_MOST_REFUSED = 20
_HEADINGS = ("id", "name", "born", "sex", "MRN", "entries", "")
_WIDEST = 40


class ImportProgress:
    """One line that renews itself, on a terminal only."""

    def __init__(self, out: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._out, self._clock = out, clock
        self._shown = False
        self._started = self._told = clock()

    def __call__(self, step: Step) -> None:
        now = self._clock()
        if self._out.isatty() and now - self._told >= TERMINAL_S:
            self._told, self._shown = now, True
            self._out.write(f"\r\x1b[K{self.text(step, now)}")
            self._out.flush()

    def text(self, step: Step, now: float) -> str:
        """For example: 12,400 resources, 3,100 a second, 8 s left."""
        spent = max(now - self._started, 1e-9)
        parts = [f"{step.resources:,} resources", f"{step.resources / spent:,.0f} a second"]
        if 0 < step.done < step.total:
            parts.append(f"{span(spent * (step.total - step.done) / step.done)} left")
        return ", ".join(parts)

    def finish(self) -> None:
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()


def report_lines(report: Report, fictional: int) -> Iterator[str]:
    """What was done first, then everything that somebody should look at."""
    taken = report.created + report.updated + report.unchanged
    yield (
        f"{_of(taken, 'resource')} of {_of(report.patients, 'patient')} from {_of(report.files, 'file')}: "
        f"{report.created:,} new, {report.updated:,} changed, {report.unchanged:,} there before."
    )
    if report.orphans:
        verb = "is" if report.orphans == 1 else "are"
        yield f"{report.orphans:,} of them {verb} about no patient of the store, and in nobody's chart."
    if report.dangling:
        verb = "leads" if report.dangling == 1 else "lead"
        yield f"{_of(report.dangling, 'reference')} {verb} to something that is not in the store."
    if report.refused:
        yield f"Refused: {len(report.refused):,}. These are NOT in the charts:"
        for each in report.refused[:_MOST_REFUSED]:
            where = f"{each.file}, {each.place}" if each.place else each.file
            yield f"  {one_line(where)}: {one_line(each.reason)}"
        if len(report.refused) > _MOST_REFUSED:
            yield f"  and {len(report.refused) - _MOST_REFUSED:,} more; --json lists them all."
    if fictional:
        yield f"The store also holds {fictional} fictional patients; `docgemma ehr demo --remove` takes them out."


def patient_lines(found: Sequence[Listed]) -> Iterator[str]:
    """A table in plain text. What a chart says is cleaned of anything a terminal would obey."""
    if not found:
        yield "The embedded store has no patients. `docgemma ehr import` or `docgemma ehr demo` brings some."
        return
    rows = [_HEADINGS, *(_row(one) for one in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _of(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _row(one: Listed) -> tuple[str, ...]:
    tail = f"…{one_line(one.mrn_tail)}" if one.mrn_tail else ""
    mark = "fictional" if one.fictional else ""
    return (one.id, one_line(one.name, _WIDEST), one.born, one.sex, tail, f"{one.resources:,}", mark)
