"""docs/benchmarks.md, made of what was measured last. Nothing on it is written by hand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bench import growth, report
from bench.gathering import PARTS
from bench.keeping import Kept
from bench.report import closing

PAGE = Path("docs/benchmarks.md")
OPENING = """# Benchmarks

Made by `make bench-docs` from the last `make bench` and `make bench-full`; not edited by hand. Both print the same
tables for your machine. They leave with 0 whatever comes out, and with 1 when a part could not be measured to its end.

A figure with a peer has its goal on the ratio, one without on the value. `SHORT` is a goal that is missed; `skipped`
says what was absent, and is no goal that is met. CPU is the time of the measured process alone. Everything that is
measured with is invented or public; no patient is in it.
"""
COMMANDS = """| command | what it does |
|---|---|
| `make bench` | every part at small sizes, in less than ten minutes |
| `make bench BENCH_ARGS="turns web"` | the parts that are named |
| `make bench-full` | how each figure grows, at sizes tenfold apart; an hour |
| `make bench-docs` | this page, out of what was measured last |
| `make knowledge`, `make linking`, `make load`, `make packs` | one part at its full size, with more detail |
"""
SECTIONS = ("Commands", "Parts", "Where it was measured", "Small sizes", "Growth")
PARTS_HEAD = ("part", "what is measured", "module")
MACHINE_HEAD = ("machine", "small sizes", "growth")
ROWS_HEAD = ("part", *report.HEAD)
GROWTH_HEAD = ("part", *growth.HEAD)
GROWTH_WORDS = """The exponent is the slope of a line through the logarithms of size and value: 0 stays the same, 1
grows as the size does. The goal for a look-up is 0.3, ten times as much in twice the time; for work on everything 1.1.
"""


def page(rows: list[Kept], curves: list[Kept]) -> str:
    """The whole text."""
    bodies = (
        COMMANDS,
        _table(PARTS_HEAD, ((part.name, part.about, f"`{part.module}`") for part in PARTS)),
        _table(MACHINE_HEAD, _machines(rows, curves)),
        _table(ROWS_HEAD, ((told.part, *row.cells()) for told in rows for row in told.rows()))
        + "\n"
        + "\n\n".join(closing([row for told in rows for row in told.rows()]))
        + "\n",
        GROWTH_WORDS
        + "\n"
        + _table(GROWTH_HEAD, ((told.part, *curve.cells()) for told in curves for curve in told.curves())),
    )
    parts = [f"## {title}\n\n{body}" for title, body in zip(SECTIONS, bodies, strict=True)]
    return "\n".join([OPENING, *parts])


def _machines(rows: list[Kept], curves: list[Kept]) -> Iterable[tuple[str, ...]]:
    """One line where one machine measured everything: its days beside it."""
    for machine in dict.fromkeys(told.machine for told in (*rows, *curves) if told.machine):
        yield (machine, *(_days(told.day for told in kept if told.machine == machine) for kept in (rows, curves)))


def _days(days: Iterable[str]) -> str:
    ordered = sorted(set(days))
    return " to ".join(dict.fromkeys((ordered[0], ordered[-1]))) if ordered else "–"


def _table(head: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    rows = [head, tuple("---" for _ in head), *(tuple(cell.replace("|", "/") for cell in line) for line in lines)]
    shown = [f"| {' | '.join(row)} |" for row in rows]
    shown[1] = "|" + "|".join("---" for _ in head) + "|"
    return "\n".join(shown) + "\n"
