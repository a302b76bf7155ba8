"""The ledger as the desk sees it: a row before anybody is told anything, and one winner for every step.

A decision and its row of the audit log are saved together or not at all, on a store that does not lose what it has
acknowledged. Of any number of workers one holds an order at a time; what a dead one held is free at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from docgemma.audit.entries import Action, Outcome
from docgemma.audit.log import AuditLog
from docgemma.clinical import purpose
from docgemma.errors import Conflict
from docgemma.orders.ledger import rows
from docgemma.orders.ledger.rows import Beside
from docgemma.orders.ledger.seal import LedgerDamaged
from docgemma.orders.ledger.transitions import CLAIMS, DECISIONS, Verdict, settlement, told
from docgemma.orders.model import IN_CHART, UNFINISHED, Card, Decision, Receipt, Row, State
from docgemma.store.database import Cursor, Database, Value
from docgemma.store.ids import asked_id
from docgemma.store.rows import pack, stamp
from docgemma.store.sessions import Clock, utc_now

__all__ = ["HoldLost", "Ledger", "LedgerDamaged", "Place"]

_NOT_NOTED = "noted = 0 AND receipt <> 'null' AND session_id <> '\"\"'"

Step = tuple[Row, Action, Outcome]


class HoldLost(Conflict):
    """A worker comes back to an order that is no longer its own."""

    def __init__(self) -> None:
        super().__init__("This order was taken over by another process. Look at it again to see what came of it.")


class Place(NamedTuple):
    """Where an entry lies in the chart."""

    kind: str
    id: str
    version: str


class Ledger:
    """`database` is that of an open store, and that of the log: both are changed in one transaction."""

    def __init__(self, database: Database, log: AuditLog, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._log = log
        self._clock = clock

    async def propose(self, card: Card) -> Row:
        """Put a card into the ledger; the same card again is the same row."""
        reader, now = purpose.get(), self._now()

        def work(cursor: Cursor) -> Row:
            row, new = rows.insert(cursor, card, now)
            if new:
                self._log.extend(cursor, reader, (told(row, "propose", "asked"),))
            return row

        return await self._database.run(work)

    async def get(self, id_: str) -> Row:
        """UnknownId; LedgerDamaged when it is there but not as it was written."""
        known = asked_id("order", id_)
        return await self._database.run(lambda cursor: rows.read(cursor, known).row, write=False)

    async def listed(
        self,
        *,
        states: Collection[State] | None = None,
        patient: str | None = None,
        session: str | None = None,
        who: str | None = None,
        limit: int = 50,
    ) -> tuple[Row, ...]:
        """The last ones that fit, newest first. `who` proposed them. Damaged ones are left to `damaged`."""
        if states is not None and not states:
            return ()
        asked: dict[str, tuple[Value, ...]] = {"1 = 1": ()}
        if states is not None:
            asked[f"state IN ({', '.join('?' * len(states))})"] = tuple(sorted(states))
        for column, value in (("patient_id", patient), ("session_id", session), ("proposed_by", who)):
            if value is not None:
                asked[f"{column} = ?"] = (pack(value),)
        params = (*(value for values in asked.values() for value in values), limit)

        def work(cursor: Cursor) -> list[Row]:
            return rows.select(cursor, " AND ".join(asked), params, "ORDER BY orders.position DESC LIMIT ?")

        return tuple(await self._database.run(work, write=False))

    async def damaged(self) -> tuple[str, ...]:
        """The names of rows that are not what was written. Looks at every row. Unavailable when it is the table."""
        return await self._database.run(rows.damaged, write=False)

    async def beside(self, row: Row) -> Beside:
        """What was decided for this patient otherwise, and may be in the chart or come there."""
        return await self._database.run(lambda cursor: rows.beside(cursor, row), write=False)

    async def decide(
        self,
        id_: str,
        to: Verdict,
        decision: Decision,
        *,
        receipt: Receipt | None = None,
        beside: Beside | None = None,
    ) -> tuple[Row, bool]:
        """Decide what waits for a decision. The row as it is now, and whether it was this call that decided.

        With `beside`, Conflict when something else for this patient was decided or done since that was read.
        """
        action, outcome = DECISIONS[to]

        def step(row: Row, now: str, cursor: Cursor) -> Step | None:
            if row.state != "proposed":
                return None
            if beside is not None and rows.beside(cursor, row, alone=True) != beside:
                raise Conflict("Another entry for this patient was decided at the same moment. Approve this one again.")
            decided = replace(row, state=to, decision=decision, decided_at=now, receipt=receipt)
            return decided, action, outcome

        return await self._change(id_, step)

    async def claim(self, id_: str, holder: str, seconds: float) -> Row | None:
        """Take an order to carry it out. None when somebody else has it, or nothing is left to do."""
        if not holder:
            raise ValueError("a hold needs a holder: an empty one means that the order is free")
        until = stamp(self._clock() + timedelta(seconds=seconds))

        def step(row: Row, now: str, cursor: Cursor) -> Step | None:
            if row.state not in CLAIMS or not rows.hold_is_free(row, now):
                return None
            if not _audited(cursor, row):
                raise LedgerDamaged(row.id)
            taken = replace(row, state=CLAIMS[row.state], holder=holder, held_until=until, attempts=row.attempts + 1)
            return taken, "write", "asked"

        row, taken = await self._change(id_, step)
        return row if taken else None

    async def settle(
        self, id_: str, holder: str, to: State, *, receipt: Receipt | None = None, place: Place | None = None
    ) -> Row:
        """Say what came of it and let it go. HoldLost, and nothing is changed, when it is no longer this holder's."""

        def step(row: Row, now: str, _: Cursor) -> Step | None:
            if not holder or row.holder != holder:
                raise HoldLost
            outcome = settlement(row, to)
            ended = replace(row, state=to, holder="", held_until="")
            if receipt is not None:
                ended = replace(ended, receipt=receipt, noted=False)
            if place is not None:
                ended = replace(ended, resource_kind=place.kind, resource_id=place.id, resource_version=place.version)
            if row.state == "undoing" and to in IN_CHART:
                ended = replace(ended, decision=row.approval, decided_at=row.approved_at, approval=None, approved_at="")
            return ended, "write", outcome

        return (await self._change(id_, step))[0]

    async def begin_undo(self, id_: str, decision: Decision) -> tuple[Row, bool]:
        """Decide to undo what is in the chart. Attempts are counted anew, and the receipt is still to come."""

        def step(row: Row, now: str, _: Cursor) -> Step | None:
            if row.state not in IN_CHART:
                return None
            begun = replace(
                row,
                state="undoing",
                decision=decision,
                decided_at=now,
                approval=row.decision,
                approved_at=row.decided_at,
                attempts=0,
                receipt=None,
                noted=False,
            )
            return begun, "undo", "asked"

        return await self._change(id_, step)

    async def unfinished(self) -> tuple[Row, ...]:
        """What was decided, is not done, and is held by nobody; oldest first."""
        states, now = tuple(sorted(UNFINISHED)), self._now()
        where = f"state IN ({', '.join('?' * len(states))})"
        found = await self._database.run(lambda cursor: rows.select(cursor, where, states), write=False)
        return tuple(row for row in found if rows.hold_is_free(row, now))

    async def unnoted(self) -> tuple[Row, ...]:
        """Those whose receipt does not stand in their session yet; oldest first."""
        return tuple(await self._database.run(lambda cursor: rows.select(cursor, _NOT_NOTED, ()), write=False))

    async def noted(self, id_: str, *, receipt: Receipt | None = None) -> None:
        """Remember that the receipt stands in its session. One given here is the only one that is meant."""
        known = asked_id("order", id_)

        def work(cursor: Cursor) -> None:
            stored = rows.lock(cursor, known)
            row = stored.row
            if row.receipt is not None and not row.noted and receipt in (None, row.receipt):
                rows.save(cursor, stored, replace(row, noted=True))

        await self._database.run(work)

    async def _change(self, id_: str, step: Callable[[Row, str, Cursor], Step | None]) -> tuple[Row, bool]:
        """Take the row, change it or leave it, and write both the row and what the audit log says of it."""
        known, reader, now = asked_id("order", id_), purpose.get(), self._now()

        def work(cursor: Cursor) -> tuple[Row, bool]:
            stored = rows.lock(cursor, known)
            made = step(stored.row, now, cursor)
            if made is None:
                return stored.row, False
            row, action, outcome = made
            after = replace(row, updated_at=now)
            rows.save(cursor, stored, after)
            self._log.extend(cursor, reader, (told(after, action, outcome),))
            return after, True

        return await self._database.run(work)

    def _now(self) -> str:
        return stamp(self._clock())


def _audited(cursor: Cursor, row: Row) -> bool:
    """Whether the log knows of the decision. The seal has no key: a row alone is no proof that a person decided."""
    action, about = ("undo", row.resource_id) if row.state == "undoing" else ("approve", row.id)
    sql = "SELECT position FROM audit WHERE action = ? AND resource_id = ? LIMIT 1"
    return cursor.row(sql, (action, about)) is not None
