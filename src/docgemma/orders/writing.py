"""One worker carries out what a person decided: claim, write, read back, compare, settle.

A write is never sent again without a look: what came of it is looked up by our identifier first, and the record system
is told to create nothing where that identifier is known. What stays unclear is `unknown`, and is looked at again later.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from docgemma.ehr.contract import EhrError, OutcomeUnknown, Refused, Resource, Writer
from docgemma.errors import Unavailable
from docgemma.orders.ledger.ledger import HoldLost, Ledger, Place
from docgemma.orders.model import UNFINISHED, Receipt, Row, State
from docgemma.orders.receipts import receipt
from docgemma.orders.resources import KINDS, ORDER_SYSTEM, changes_of, differences, is_undone, resource_of, undo_changes
from docgemma.store.leases import holder_is_dead, make_holder
from docgemma.store.rows import stamp

TRIES = 3
"""Writes in one go, each after a look that found nothing."""

HOLD_S = 60.0
PATIENCE_S = 20.0
PAUSE_S = 0.05
LOOKS_S = (0.0, 0.3, 0.7, 1.5)
"""Pauses before each look after a write whose outcome is unknown: a slow server may still be at it."""

AT_ONCE = timedelta(minutes=10)
LATEST = timedelta(hours=24)
"""An approval is carried out as it is for ten minutes, then only on an unchanged chart, and not at all after a day."""

SENT = (
    "The entry was sent to the record system, but what came of it could not be noted. It is looked up at the next"
    " start; do not enter it again."
)
CHANGED = "The chart changed, or too much time passed, before it could be written. Prepare it again."
SEVERAL = "several entries carry the identifier of this order"
_PASSING = frozenset({"service_unavailable", "timeout", "rate_limit", "server_error"})


@dataclass(frozen=True, slots=True)
class Ended:
    """Where one go has led to, as the ledger notes it."""

    state: State
    why: str = ""
    found: Resource | None = None
    differences: tuple[str, ...] = ()


class Worker:
    """Carries out one decided row at a time. Any number of workers, in any number of processes, may try the same."""

    def __init__(
        self,
        ledger: Ledger,
        writer: Writer,
        unchanged: Callable[[Row], Awaitable[bool]],
        *,
        clock: Callable[[], datetime],
        looks_s: tuple[float, ...] = LOOKS_S,
    ) -> None:
        self._ledger = ledger
        self._writer = writer
        self._unchanged = unchanged
        self._clock = clock
        self._looks_s = looks_s

    async def finish(self, id_: str, *, patience_s: float = PATIENCE_S) -> Receipt:
        """Carry it out, or wait for whoever does. Everybody who asks gets the same receipt."""
        loop = asyncio.get_running_loop()
        ends_at, holder = loop.time() + patience_s, make_holder()
        waited = False
        while True:
            row = await self._ledger.get(id_)
            over = row.state not in UNFINISHED or (waited and not row.holder) or loop.time() >= ends_at
            if over:
                return self._told(row)
            if self._is_free(row) and (held := await self._ledger.claim(id_, holder, HOLD_S)) is not None:
                with contextlib.suppress(HoldLost):  # somebody else has it now: wait for them
                    return self._told(await self._carried_out(held, holder))
            waited = True
            await asyncio.sleep(PAUSE_S)

    def _is_free(self, row: Row) -> bool:
        return not row.holder or row.held_until <= stamp(self._clock()) or holder_is_dead(row.holder)

    def _told(self, row: Row) -> Receipt:
        return row.receipt or receipt(row, row.state, row.updated_at)

    async def _carried_out(self, row: Row, holder: str) -> Row:
        ended = await (self._undo(row) if row.state == "undoing" else self._write(row))
        kind = KINDS[row.card.draft.kind]
        place = None if ended.found is None else Place(kind, str(ended.found.get("id", "")), _version(ended.found))
        if ended.state in UNFINISHED:
            return await self._noted(row.id, holder, ended.state, None, place)
        final = receipt(
            row,
            ended.state,
            stamp(self._clock()),
            why=ended.why,
            resource=f"{place.kind}/{place.id}" if place else "",
            version=place.version if place else "",
            differences=ended.differences,
        )
        return await self._noted(row.id, holder, ended.state, final, place)

    async def _noted(self, id_: str, holder: str, to: State, final: Receipt | None, place: Place | None) -> Row:
        """A ledger that fails here must not sound as if nothing had been sent."""
        try:
            return await self._ledger.settle(id_, holder, to, receipt=final, place=place)
        except Unavailable as error:
            raise Unavailable(f"{SENT} {error}") from error

    async def _write(self, row: Row) -> Ended:
        """The first go writes at once; every other one looks first."""
        found: tuple[Resource, ...] = ()
        try:
            if row.attempts > 1:
                found = await self._look(row)
                if not found and not await self._may_still(row):
                    return Ended("refused", CHANGED)
            for _ in range(TRIES):
                if found:
                    return self._compared(row, found)
                try:
                    placed = await self._writer.transact(changes_of(row))
                    read = await self._writer.read(placed[0].kind, placed[0].id)
                    found = (read,) if read is not None else await self._look_patiently(row)
                    if not found:
                        return Ended("unknown")
                except OutcomeUnknown:
                    found = await self._look_patiently(row)
        except Refused as no:
            passing = no.error_type in _PASSING
            return Ended("approved") if passing else Ended("refused", str(no))
        except EhrError:
            return Ended("unknown")
        return self._compared(row, found) if found else Ended("approved")

    def _compared(self, row: Row, found: tuple[Resource, ...]) -> Ended:
        if len(found) > 1:
            return Ended("differs", found=found[0], differences=(SEVERAL,))
        told = differences(resource_of(row), found[0])
        return Ended("differs" if told else "written", found=found[0], differences=told)

    async def _look(self, row: Row) -> tuple[Resource, ...]:
        return await self._writer.identified(KINDS[row.card.draft.kind], ORDER_SYSTEM, row.id)

    async def _look_patiently(self, row: Row) -> tuple[Resource, ...]:
        """Nothing only when the last look says so: EhrError when it could not be taken."""
        found: tuple[Resource, ...] = ()
        failed: EhrError | None = None
        for pause_s in self._looks_s:
            await asyncio.sleep(pause_s)
            try:
                found, failed = await self._look(row), None
            except EhrError as error:
                failed = error
            if found:
                return found
        if failed is not None:
            raise failed
        return found

    async def _may_still(self, row: Row) -> bool:
        """Whether an approval of a while ago still holds. It is known that nothing of it is in the chart."""
        age = self._clock() - datetime.fromisoformat(row.decided_at)
        if age <= AT_ONCE:
            return True
        return age <= LATEST and await self._unchanged(row)

    async def _undo(self, row: Row) -> Ended:
        """Looks first, always: what is marked already is done."""
        try:
            for _ in range(TRIES):
                current = await self._writer.read(row.resource_kind, row.resource_id)
                if current is None:
                    return Ended("undone", "The entry is no longer in the chart.")
                if is_undone(current):
                    return Ended("undone", found=current)
                try:
                    await self._writer.transact(undo_changes(row, current))
                except (OutcomeUnknown, Refused) as error:
                    if isinstance(error, Refused) and error.status not in (409, 412):
                        raise
                    await asyncio.sleep(PAUSE_S)
        except EhrError:
            return Ended("undoing")
        return Ended("undoing")


def _version(resource: Resource) -> str:
    meta = resource.get("meta")
    version = meta.get("versionId") if isinstance(meta, dict) else None
    return version if isinstance(version, str) else ""
