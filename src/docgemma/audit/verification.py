"""Whether the stored rows still are one chain that ends where the head says: the end of it, or all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from docgemma.audit.chain import Fault, Head, Walk
from docgemma.errors import Unavailable
from docgemma.store.database import Cursor, Database, Row

_PAGE = 1_000

Progress = Callable[[int, int], None]
"""Told after each page how many rows it had, and how many there are in all."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verification found. `head` is worth noting elsewhere: it stands for every row up to now."""

    rows: int
    head: str
    first_bad: int | None = None
    problem: str = ""

    @property
    def ok(self) -> bool:
        return not self.problem


async def verify(database: Database, from_position: int, expect_head: str | None, progress: Progress | None) -> Verdict:
    """A page at a time, up to the head as it is at the start: appending may go on meanwhile."""
    head = await database.run(_ends, write=False)
    if isinstance(head, Fault):
        return Verdict(0, "", head.position, head.problem)
    first = min(max(from_position, 1), head.count + 1)
    walk = Walk(first)
    expected = expect_head in (None, head.hash)
    fault: Fault | None = None
    while walk.position <= head.count and fault is None:
        rows = await _page(database, walk.position, head.count)
        if not rows:
            break
        fault = rows if isinstance(rows, Fault) else walk.take(rows)
        if isinstance(rows, list):
            expected = expected or any(row["hash"] == expect_head for row in rows)
            if progress:
                progress(len(rows), head.count - first + 1)
    fault = fault or walk.end(head)
    if fault is None and not expected:
        fault = Fault(None, "No row has the expected hash: rows were removed or written anew since it was noted.")
    checked = walk.position - first
    return Verdict(checked, head.hash, fault.position, fault.problem) if fault else Verdict(checked, head.hash)


def end_of_chain(cursor: Cursor, most: int) -> Head | Fault:
    """The head, once the last rows, `most` of them, were found to lead up to it."""
    head = _head(cursor)
    if isinstance(head, Fault):
        return head
    rows = cursor.rows("SELECT * FROM audit ORDER BY position DESC LIMIT ?", (most,))
    walk = Walk(max(1, head.count - most + 1))
    return walk.take(reversed(rows)) or walk.end(head) or head


def _head(cursor: Cursor) -> Head | Fault:
    rows = cursor.rows("SELECT count, hash FROM audit_head LIMIT 2")
    if len(rows) != 1 or not isinstance(rows[0]["count"], int) or rows[0]["count"] < 0:
        return Fault(None, "The head of the log is missing or makes no sense.")
    return Head(rows[0]["count"], str(rows[0]["hash"]))


def _ends(cursor: Cursor) -> Head | Fault:
    """The head, unless rows lie outside of what it counts."""
    head = _head(cursor)
    ends = cursor.row("SELECT MIN(position) AS first, MAX(position) AS last FROM audit")
    if isinstance(head, Fault) or ends is None or ends["first"] is None:
        return head
    if ends["first"] < 1:
        return Fault(ends["first"], f"Row {ends['first']} lies before the beginning.")
    if ends["last"] > head.count:
        return Fault(head.count + 1, f"There are rows behind row {head.count}, where the head says the log ends.")
    return head


async def _page(database: Database, first: int, last: int) -> list[Row] | Fault:
    """The next rows. Where a page cannot be read, one row at a time, up to the one that cannot."""
    for most in (_PAGE, 1, 1):
        try:
            return await _rows(database, first, last, most)
        except Unavailable:
            await database.run(_head, write=False)  # a database that is gone does not make this row a bad one
    return Fault(first, f"Row {first} cannot be read.")


async def _rows(database: Database, first: int, last: int, most: int) -> list[Row]:
    sql = "SELECT * FROM audit WHERE position >= ? AND position <= ? ORDER BY position LIMIT ?"
    return await database.run(lambda cursor: cursor.rows(sql, (first, last, most)), write=False)
