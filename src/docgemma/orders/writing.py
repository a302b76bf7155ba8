"""One worker carries out what a person decided: claim, write, read back, compare, settle.

A write is never sent again without a look: what came of it is looked up by our identifier first, and the record system
is told to create nothing where that identifier is known. What stays unclear is `unknown`, and is looked at again later.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from docgemma.ehr.contract import EhrError, OutcomeUnknown, Refused, Resource, Writer
from docgemma.errors import Unavailable, UnknownId
from docgemma.orders.ledger.ledger import HoldLost, Ledger, Place
from docgemma.orders.ledger.rows import hold_is_free
from docgemma.orders.model import IN_CHART, UNFINISHED, Receipt, Row, State
from docgemma.orders.receipts import receipt
from docgemma.orders.resources import KINDS, ORDER_SYSTEM, changes_of, differences, is_undone, resource_of, undo_changes
from docgemma.store.leases import make_holder
from docgemma.store.rows import stamp

TRIES = 3
"""Writes in one go, each after a look that found nothing."""

HOLD_S = 60.0
SEND = timedelta(seconds=12)
"""What has to be left of a hold before a write is sent: more than a record system is waited for."""

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
_TAKEN = frozenset({409, 412})
"""Somebody else was faster, or is at it."""

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
            if (
                hold_is_free(row, stamp(self._clock()))
                and (held := await self._ledger.claim(id_, holder, HOLD_S)) is not None
            ):
                with contextlib.suppress(HoldLost):  # somebody else has it now: wait for them
                    return self._told(await self._carried_out(held, holder))
            waited = True
            await asyncio.sleep(PAUSE_S)

    def _told(self, row: Row) -> Receipt:
        return row.receipt or receipt(row, row.state, row.updated_at)

    async def _carried_out(self, row: Row, holder: str) -> Row:
        ended = await (self._undo(row) if row.state == "undoing" else self._write(row))
        kind = KINDS[row.card.draft.kind]
        place = None if ended.found is None else Place(kind, str(ended.found.get("id", "")), _version(ended.found))
        if ended.state in UNFINISHED:
            return await self._noted(row.id, holder, ended.state, None, place)
        final = receipt(
            _as_approved(row) if ended.state in IN_CHART else row,
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
        unsure = False  # whether this go has sent something that may still come about
        try:
            if row.attempts > 1:
                found = await self._look(row)
            if not found and not await self._may_still(row):
                return Ended("refused", CHANGED)
            for _ in range(TRIES):
                if found or not self._has_time(row):
                    break
                try:
                    found = await self._sent(row)
                    if not found:
                        return Ended("unknown")
                except OutcomeUnknown:
                    unsure = True
                    found = await self._look_patiently(row)
            if found and unsure:
                found = await self._look(row) or found  # the one before may have come about after all
        except Refused as no:
            return await self._turned_away(row, no, unsure=unsure)
        except EhrError:
            return Ended("unknown")
        return self._compared(row, found) if found else Ended("unknown")

    async def _sent(self, row: Row) -> tuple[Resource, ...]:
        """What the chart shows after a write that the record system says it has done."""
        placed = await self._writer.transact(changes_of(row))
        read = await self._writer.read(placed[0].kind, placed[0].id)
        return (read,) if read is not None else await self._look_patiently(row)

    async def _turned_away(self, row: Row, no: Refused, *, unsure: bool) -> Ended:
        """That it is not in the chart is said after a look: the no may be due to another worker's write of the same."""
        if no.error_type in _PASSING:
            return Ended("unknown" if unsure else "approved")
        try:
            found = await self._look(row)
        except EhrError:
            unsure = unsure or no.status in _TAKEN
            found = ()
        if found:
            return self._compared(row, found)
        return Ended("unknown") if unsure else Ended("refused", str(no))

    def _has_time(self, row: Row) -> bool:
        """Whether the hold outlasts one more write: a worker that was asleep, or has a slow server, sends no more."""
        return self._clock() + SEND < datetime.fromisoformat(row.held_until)

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
        """Whether an approval of a while ago still holds; of one from the future nobody knows how old it is."""
        age = self._clock() - datetime.fromisoformat(row.decided_at)
        if abs(age) <= AT_ONCE:
            return True
        try:
            return age <= LATEST and await self._unchanged(row)
        except UnknownId:
            return False

    async def _undo(self, row: Row) -> Ended:
        """Looks first, always: what is marked already is done."""
        try:
            for _ in range(TRIES):
                current = await self._to_mark(row)
                if current is None:
                    return Ended("undone", "The entry is no longer in the chart.")
                if why := hindrance(row, current):
                    return _still_there(row, current, why)
                if is_undone(current):
                    return Ended("undone", found=current)
                no = await self._marked(row, current)
                if no is not None and no.status not in _TAKEN:
                    break
                await asyncio.sleep(PAUSE_S)
        except EhrError:
            return Ended("undoing")
        if current is None or no is None or no.error_type in _PASSING:
            return Ended("undoing")
        return _still_there(row, current, f"The record system refused that (status {no.status}). Mark it there.")

    async def _marked(self, row: Row, current: Resource) -> Refused | None:
        """Whether it is, only the next look tells; that it certainly is not comes back."""
        try:
            await self._writer.transact(undo_changes(row, current))
        except Refused as no:
            return no
        except OutcomeUnknown:
            return None
        return None

    async def _to_mark(self, row: Row) -> Resource | None:
        """The entry; once it is marked, another one of this order, where the chart holds it twice."""
        current = await self._writer.read(row.resource_kind, row.resource_id)
        if current is None or not is_undone(current):
            return current
        others = [one for one in await self._look(row) if one.get("id") != row.resource_id and not is_undone(one)]
        return others[0] if others else current


def hindrance(row: Row, current: Resource) -> str:
    """Why this entry is not ours to mark as entered in error, in a sentence; empty when it is."""
    if {"system": ORDER_SYSTEM, "value": row.id} not in _identifiers(current):
        return "The entry there does not carry the identifier of this order, so it is left alone. Correct it there."
    if is_undone(current):
        return ""
    if not _version(current):
        return "The record system counts no versions of the entry, so it cannot be marked safely. Mark it there."
    if differences(resource_of(row), current) and _version(current) != row.resource_version:
        return "The entry was changed in the record system since. Correct it there."
    return ""


def _identifiers(resource: Resource) -> list[Resource]:
    """Ours alone, without what a server may have added to them."""
    listed = resource.get("identifier")
    kept = ("system", "value")
    return [
        {name: one[name] for name in kept if name in one}
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict)
    ]


def _still_there(row: Row, current: Resource, why: str) -> Ended:
    told = differences(resource_of(row), current)
    return Ended("differs" if told else "written", f"NOT marked as entered in error. {why}", current, told)


def _as_approved(row: Row) -> Row:
    """Without the decision to undo it, where that came to nothing."""
    if row.approval is None:
        return row
    return replace(row, decision=row.approval, decided_at=row.approved_at, approval=None, approved_at="")


def _version(resource: Resource) -> str:
    meta = resource.get("meta")
    version = meta.get("versionId") if isinstance(meta, dict) else None
    return version if isinstance(version, str) else ""
