"""The table that `python -m tests.torture` prints, and what was wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.torture.counting import NaiveTally
from tests.torture.stage import Result

_HEAD = (
    "arrangement", "scenario", "orders", "kills", "dropped", "slow", "failed", "duplicates", "lost", "unapproved",
    "faults", "recovery p50 / max", "took",
)  # fmt: skip
_MOST_FAULTS = 20

Line = tuple[str, ...]


def line_of(arrangement: str, result: Result) -> Line:
    counted, took = result.tally, result.recovery_s
    numbers = (counted.orders, result.kills, result.dropped, result.slow, result.failed)
    wrong = (counted.duplicates, counted.lost, counted.unapproved, len(result.faults))
    recovery = f"{took[0]:.2f} / {took[1]:.2f} s" if took else "-"
    return (arrangement, result.scenario, *map(str, numbers + wrong), recovery, f"{result.seconds:.0f} s")


def naive_line(arrangement: str, counted: NaiveTally) -> Line:
    numbers = (str(counted.orders), str(counted.kills), "", "", "", str(counted.duplicates), str(counted.lost))
    return (arrangement, "naive client", *numbers, "", "", "", "")


def table(lines: Iterable[Line]) -> str:
    rows = [_HEAD, *lines]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    padded = (zip(row, widths, strict=True) for row in rows)
    return "\n".join("  ".join(cell.ljust(width) for cell, width in row).rstrip() for row in padded)


def faults(arrangement: str, result: Result) -> Iterator[str]:
    for fault in result.faults[:_MOST_FAULTS]:
        yield f"{arrangement}, {result.scenario}: {fault}"
    if len(result.faults) > _MOST_FAULTS:
        yield f"{arrangement}, {result.scenario}: and {len(result.faults) - _MOST_FAULTS} more"
