"""Taking entries in: what is told on the way, what may be wrong with them, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from docgemma.errors import BadInput
from docgemma.knowledge.library.library import Imported
from docgemma.knowledge.reading.contract import Problem, Row

_SHOWN = 20
_EVERY = 1_000

Told = Callable[[str, int, int | None], None]
"""How far a long work is: what it does, how many are done, how many there are if that is known."""


def untold(_phase: str, _done: int, _of: int | None) -> None:
    """Nobody listens."""


class BadRows(BadInput):
    """Rows that cannot be taken. `problems` are the first of them."""

    def __init__(self, problems: Sequence[Problem], count: int) -> None:
        super().__init__(f"{count:,} row{'s' if count > 1 else ''} cannot be taken, and nothing was changed.")
        self.problems = tuple(problems)
        self.count = count


@dataclass(frozen=True, slots=True)
class Ingested:
    """What an ingest did. `demonstration_out`: demonstration entries that gave way to own knowledge."""

    rows: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    brought_back: int = 0
    withdrawn: int = 0
    skipped: int = 0
    demonstration_out: int = 0


def checked(rows: Iterable[Row | Problem], on_progress: Told) -> tuple[int, tuple[list[Problem], int] | None]:
    """How many rows are good, and the first that are not with how many there are of them."""
    good, bad, problems = 0, 0, list[Problem]()
    for row in rows:
        if isinstance(row, Problem):
            bad += 1
            problems += [row] if bad <= _SHOWN else []
        else:
            good += 1
        if (good + bad) % _EVERY == 0:
            on_progress("reading", good + bad, None)
    on_progress("reading", good + bad, None)
    if not good + bad:
        raise BadInput("There is nothing to take in: the files hold no rows.")
    return good, (problems, bad) if bad else None


def ingested(counts: Imported, rows: int, skipped: int) -> Ingested:
    return Ingested(
        rows=rows,
        new=counts.new,
        changed=counts.changed,
        unchanged=counts.unchanged,
        brought_back=counts.brought_back,
        withdrawn=counts.withdrawn,
        skipped=skipped,
        demonstration_out=counts.demonstration,
    )
