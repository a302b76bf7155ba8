"""The report of an eval as lines for a terminal: the table, what it cost, and every miss."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.cli.render import Line, one_line
from docgemma.evals.turns.cases import Split
from docgemma.evals.report import Miss, Report, Row, Score
from docgemma.evals.turns.scoring import COLUMNS

_FIRST, _CASES, _COLUMN = 16, 6, 18
_SAID, _SHOWN, _TOGETHER = 300, 400, 90
_SPLITS: dict[Split, str] = {"dev": "dev", "held": "held out"}


def lines(report: Report, *, misses: bool) -> Iterator[Line]:
    """Everything there is to say about a run."""
    yield Line(f"Turns with the model {one_line(report.model, 80)}: {_counted(report.totals.cases)}", "strong")
    yield Line()
    yield from _table(report)
    yield Line()
    yield from _costs(report)
    if misses and report.misses:
        yield Line()
        yield Line(f"Misses: {len(report.misses)} of {_counted(report.totals.cases)}", "strong")
        for miss in report.misses:
            yield from _miss(miss)


def _table(report: Report) -> Iterator[Line]:
    yield Line(_cells("kind", "cases", COLUMNS), "strong")
    for kind, row in report.kinds.items():
        yield _row(kind, row)
    yield Line("-" * (_FIRST + _CASES + _COLUMN * len(COLUMNS)), "dim")
    if len(report.splits) > 1:
        for split, row in report.splits.items():
            yield _row(_SPLITS[split], row)
    yield _row("all" if len(report.splits) > 1 else next(_SPLITS[split] for split in report.splits), report.totals)
    yield Line(_cells("95 % interval", "", [_interval(report.totals.scores[column]) for column in COLUMNS]), "dim")


def _costs(report: Report) -> Iterator[Line]:
    writes = report.totals.unasked_writes
    yield Line(f"Unasked writes: {writes}", "warning" if writes else "plain")
    if report.errors:
        yield Line(f"Without a record: {report.errors}", "warning")
    if report.rule_instead:
        yield Line(f"The model failed and a rule answered in its place: {report.rule_instead} of the turns", "warning")
    yield Line(
        f"Model calls a turn: {report.model_calls_per_turn:.2f}. CPU a turn: {report.cpu_ms_per_turn:.1f} ms "
        f"({report.turns} turns in {report.seconds:.1f} s)."
    )


def _miss(miss: Miss) -> Iterator[Line]:
    screen = f", {one_line(miss.patient, 64)} on screen" if miss.patient else ""
    yield Line()
    yield Line(f"{miss.id} ({miss.kind}, {_SPLITS[miss.split]}{screen})", "strong")
    for message in miss.before:
        yield Line(f"  before: {one_line(message, _SAID)}", "dim", hang=10)
    yield Line(f"  said: {one_line(miss.say, _SAID)}", hang=8)
    for one in miss.differences:
        expected, got = one_line(one.expected, _SHOWN), one_line(one.got, _SHOWN)
        if len(expected) + len(got) <= _TOGETHER:
            yield Line(f"  {one.column}: expected {expected}, got {got}", hang=4)
        else:
            yield Line(f"  {one.column}: expected {expected}", hang=4)
            yield Line(f"  {'got':>{len(one.column) + 10}} {got}", hang=len(one.column) + 13)
    for write in miss.unasked_writes:
        yield Line(f"  unasked write: {one_line(write, _SHOWN)}", "warning", hang=4)


def _row(name: str, row: Row) -> Line:
    return Line(_cells(name, str(row.cases), [_share(row.scores[column]) for column in COLUMNS]))


def _counted(cases: int) -> str:
    return f"{cases} case{'' if cases == 1 else 's'}"


def _cells(first: str, cases: str, columns: list[str] | tuple[str, ...]) -> str:
    return (f"{first:<{_FIRST}}{cases:>{_CASES}}" + "".join(f"{cell:>{_COLUMN}}" for cell in columns)).rstrip()


def _share(score: Score) -> str:
    return "–" if score.percent is None else f"{score.passed}/{score.scored} {score.percent:5.1f} %"


def _interval(score: Score) -> str:
    return "–" if score.low is None or score.high is None else f"{score.low:.1f}–{score.high:.1f} %"
