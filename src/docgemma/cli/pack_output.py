"""What `docgemma pack` shows: how far it has come, what it made, what is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, TextIO

from docgemma.cli.progress import LOG_S, TERMINAL_S, span

if TYPE_CHECKING:
    from docgemma.sources.pack.build import Built
    from docgemma.sources.pack.intake import Step
    from docgemma.sources.pack.kinds import Kind
    from docgemma.sources.pack.verify import Listed, Verdict

_HEADINGS = ("name", "data of", "age", "holds", "size", "")
_MANY = {"openfda": "labels", "europepmc": "articles", "ctgov": "trials"}
_DROPPED = {"openfda": "left out for better labels of the same drug", "europepmc": "retracted or deleted"}


class _Line:
    """One line that renews itself on a terminal; in a log, a line now and then."""

    def __init__(self, out: TextIO, clock: Callable[[], float]) -> None:
        self._out, self._clock = out, clock
        self._terminal = out.isatty()
        self._shown = False
        self._told = clock()

    def due(self) -> bool:
        return self._clock() - self._told >= (TERMINAL_S if self._terminal else LOG_S)

    def say(self, text: str) -> None:
        self._told, self._shown = self._clock(), self._terminal
        self._out.write(f"\r\x1b[K{text}" if self._terminal else f"{text}\n")
        self._out.flush()

    def clear(self) -> None:
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()


class BuildProgress:
    """What an interrupted build had done does not count for the speed."""

    def __init__(self, out: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._line, self._clock = _Line(out, clock), clock
        self._started = clock()

    def __call__(self, step: Step) -> None:
        if self._line.due():
            self._line.say(self.text(step, self._clock()))

    def text(self, step: Step, now: float) -> str:
        """For example: 310 of 1,640 MB, 42,000 records read, 38.5 MB/s, 35 s left."""
        if step.writing:
            return f"Writing the pack: {step.records:,} records"
        spent = max(now - self._started, 1e-9)
        rate = (step.done - step.before) / spent
        parts = [
            f"{step.done / 1e6:,.0f} of {step.total / 1e6:,.0f} MB",
            f"{step.records:,} records read",
            f"{rate / 1e6:.1f} MB/s",
        ]
        if rate and step.done < step.total:
            parts.append(f"{span((step.total - step.done) / rate)} left")
        return ", ".join(parts)

    def finish(self) -> None:
        self._line.clear()


class VerifyProgress:
    def __init__(self, out: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._line = _Line(out, clock)

    def __call__(self, name: str, rows: int, total: int) -> None:
        if self._line.due():
            self._line.say(f"{name}: {rows:,} of {total:,} rows")

    def finish(self) -> None:
        self._line.clear()


def build_lines(built: Built) -> Iterator[str]:
    """What there is now first, then everything that somebody should look at."""
    manifest, counts = built.manifest, built.manifest.counts
    verb = "was there already, from the same files" if built.start == "there_before" else "is built"
    size = (manifest.database_size + manifest.index_size) / 1e6
    holds = _counted(counts.kept, manifest.kind, counts.drugs)
    yield f"{built.place.name} {verb}: {holds}, data of {manifest.data_date}, {size:,.1f} MB."
    went = [
        f"{counts.kept:,} kept",
        *([f"{counts.dropped:,} {_DROPPED[manifest.kind]}"] if manifest.kind in _DROPPED else []),
        f"{counts.replaced:,} older versions",
        f"{sum(counts.skipped.values()):,} skipped",
    ]
    yield f"{counts.records:,} records read: {', '.join(went)}."
    for reason, many in counts.skipped.items():
        yield f"  skipped, {reason}: {many:,}"
    if built.start == "resumed":
        yield "An interrupted build was carried on."
    if built.start == "restarted":
        yield "An interrupted build had begun with other files or options, and was not used."
    if built.replaces:
        yield f"It replaces {', '.join(built.replaces)}."
    if manifest.missing_parts:
        yield f"NOT given: part {', '.join(manifest.missing_parts)}. What is in them is missing from this pack."


def starter(today: date) -> list[Listed]:
    """The pack that ships with DocGemma, which is always there and always last."""
    from docgemma.sources.pack.verify import Listed, age_days
    from docgemma.sources.starter import STARTER_DATE, STARTER_NAME, medicines

    many = len(medicines())
    return [
        Listed(
            STARTER_NAME,
            STARTER_DATE,
            age_days(STARTER_DATE, today),
            records=many,
            labels=many,
            drugs=many,
            demonstration=True,
        )
    ]


def list_lines(found: Sequence[Listed], interrupted: Mapping[Kind, int]) -> Iterator[str]:
    rows = [_HEADINGS, *(_cells(one) for one in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    there = {one.kind for one in found if one.in_use}
    if "openfda" not in there:
        yield "No pack of drug labels is built: without internet only the starter pack answers for drugs."
    missing = [many for kind, many in _MANY.items() if kind != "openfda" and kind not in there]
    if missing:
        yield f"No pack of {' or of '.join(missing)} is built: without internet they are not searched."
    if len(there) < len(_MANY):
        yield "See `docgemma pack build --help`."
    for kind, size in interrupted.items():
        name = f"A build of {_MANY[kind]} is not finished ({size / 1e6:,.1f} MB)"
        yield f"{name}. Unless it is running, the same command carries it on."


def _cells(one: Listed) -> tuple[str, ...]:
    from docgemma.sources.starter import MARK

    age = "unknown" if one.age_days is None else f"{one.age_days} day{'' if one.age_days == 1 else 's'}"
    notes = [
        f"demonstration, {MARK}" if one.demonstration else "in use" if one.in_use else "older, not used",
        f"part {', '.join(one.missing_parts)} missing" if one.missing_parts else "",
        one.problem,
    ]
    if one.problem:
        return (one.name, one.data_date, age, "", "", "; ".join(filter(None, notes)))
    holds = _counted(one.records, one.kind, one.drugs)
    size = "" if one.demonstration else f"{one.bytes / 1e6:,.1f} MB"
    return (one.name, one.data_date, age, holds, size, "; ".join(filter(None, notes)))


def _counted(many: int, kind: Kind, drugs: int = 0) -> str:
    """For example: 1 article; 12,000 labels of 900 drugs."""
    things = _MANY[kind] if many != 1 else _MANY[kind].removesuffix("s")
    return f"{many:,} {things}" + (f" of {drugs:,} drugs" if drugs else "")


def verdict_lines(verdicts: Sequence[Verdict]) -> Iterator[str]:
    if not verdicts:
        yield "There is no built pack to verify."
    for verdict in verdicts:
        if verdict.ok:
            yield f"{verdict.name}: sound, {_counted(verdict.records, verdict.kind)}."
        else:
            yield f"{verdict.name}: NOT sound. {verdict.problem}"
