"""The chain: each row carries a hash over itself and over the hash of the row before it. Pure.

What is hashed are the columns as they are stored, byte for byte: two texts that mean the same are still two texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docgemma.seal import RECORD

GENESIS = ""
"""What the first row follows, and the head of an empty log."""

COLUMNS = (
    "position", "at", "who", "why", "session_id", "turn_id", "action", "kind", "resource_id", "patients", "count",
    "outcome", "previous",
)  # fmt: skip
"""What the hash covers: every column but the hash itself. Another column needs another way to seal."""


@dataclass(frozen=True, slots=True)
class Head:
    """How many rows there are, and the hash of the last one."""

    count: int
    hash: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Where the chain is broken. `position` is None when it is the head itself that cannot be right."""

    position: int | None
    problem: str


def seal(row: Mapping[str, object]) -> str:
    """The row's hash: over its columns, the hash of the row before among them."""
    return RECORD.of(_sealed(row))


def intact(row: Mapping[str, object]) -> bool:
    """Whether the row still is what was sealed. A float, a blob or a NULL was never written by us."""
    return RECORD.fits(row["hash"], _sealed(row))


def _sealed(row: Mapping[str, object]) -> dict[str, object]:
    return {name: row[name] for name in COLUMNS}


class Walk:
    """Follows the chain from one row to the next, in pages of any size, up to the first row that is not right."""

    def __init__(self, position: int = 1) -> None:
        """Begins at the row of this position; what a row in the middle says it follows is taken for granted."""
        self.position = position
        self._previous = GENESIS if position == 1 else None

    def take(self, rows: Iterable[Mapping[str, object]]) -> Fault | None:
        """Go on over the next rows, lowest position first."""
        for row in rows:
            problem = self._problem(row)
            if problem:
                return Fault(self.position, problem)
            self._previous = str(row["hash"])
            self.position += 1
        return None

    def end(self, head: Head) -> Fault | None:
        """After the last row: whether the head says the same."""
        if self.position <= head.count:
            return Fault(self.position, f"Row {self.position} is missing.")
        if self.position > head.count + 1:
            return Fault(head.count + 1, f"Row {head.count + 1} lies behind the end that the head gives.")
        if self._previous not in (None, head.hash):
            return Fault(head.count or None, f"The head does not match the last row, {head.count}.")
        return None

    def _problem(self, row: Mapping[str, object]) -> str:
        if row["position"] != self.position:
            return f"Row {self.position} is missing."
        if not intact(row):
            return f"Row {self.position} was changed."
        if self._previous is not None and row["previous"] != self._previous:
            return f"Row {self.position} does not follow the row before it."
        return ""
