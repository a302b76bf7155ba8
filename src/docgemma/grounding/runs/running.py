"""One run over a file of criteria: what is stored is not grounded again, the rest goes through an engine, in order.

Killed at any moment, a run has lost nothing but the batches that were being worked on: a result is in the store before
its line is written, and the next run writes from the store.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.engines.contract import Batch, Engine
from docgemma.grounding.reading.contract import Problem
from docgemma.grounding.review.applying import Decisions, applied
from docgemma.grounding.runs.batching import Group, groups
from docgemma.grounding.runs.formats import Format
from docgemma.grounding.runs.holding import Held, Outage
from docgemma.grounding.runs.keys import Basis, content_of
from docgemma.grounding.runs.output import Output
from docgemma.grounding.runs.rows import Met
from docgemma.grounding.runs.store import GroundingStore, line_of
from docgemma.grounding.runs.tally import Tally

_MOST_PENDING = 400
"""Groups that may wait behind one that is being grounded."""
_MOST_MET = 1_000
_LEAST_IN_A_ROW = 10


@dataclass(frozen=True, slots=True)
class Job:
    """What a run works on and with. `told` hears of the tally after every group; `source` names the input."""

    entries: Iterator[Criterion | Problem]
    source: str
    store: GroundingStore
    engine: Engine
    basis: Basis
    output: Output
    format: Format
    batch_size: int = 20
    limit: int | None = None
    told: Callable[[Tally], None] = lambda tally: None


@dataclass(slots=True)
class _Slot:
    """A group on its way: what is known of it, and which of its criteria are being grounded."""

    entries: tuple[Met | Problem, ...]
    batch_id: str
    known: dict[str, str]

    @property
    def met(self) -> list[Met]:
        return [each for each in self.entries if isinstance(each, Met)]

    @property
    def missing(self) -> list[Met]:
        return [each for each in self.met if each.key not in self.known]


class Run:
    """For one job, once."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._groups = groups(job.entries, job.batch_size, limit=job.limit)
        self._held = Held(job.output, most=max(_LEAST_IN_A_ROW, job.batch_size + 1))
        self._decisions: Decisions = {}
        self._met: list[Met] = []
        self._name = secrets.token_hex(8)
        self._over = False
        self._taken = 0
        self._alone = threading.Lock()
        self.tally = Tally()

    async def run(self) -> Tally:
        """To the end of the input. Outage when nothing can be grounded any more; what was done until then stays."""
        self._decisions = await self._job.store.decisions()
        self._job.output.write(self._job.format.header)
        try:
            while not self._over:
                await self._stretch()
        finally:
            if self._met:
                await self._save({})
        self._held.finish(any_grounded=self.tally.done > 0)
        return self.tally

    async def count_all(self) -> int:
        """How many criteria there are: those that the run took, also those still at work, and those behind them."""

        def count() -> int:
            while self._take() is not None:
                pass
            return self._taken

        return await asyncio.to_thread(count)

    def _take(self) -> Group | None:
        """The next group. A run that was stopped may have left a thread in here."""
        with self._alone:
            group = next(self._groups, None)
            self._taken += len(group.criteria) if group else 0
            return group

    async def _stretch(self) -> None:
        """As far as one feeding of the engine goes.

        An engine may ask for the next batch before it gives a finished one away. So nothing waits in here: when too
        many known groups have piled up behind a batch at work, the feeding ends, the engine gives away all that it has,
        and a new stretch begins.
        """
        pending: deque[_Slot] = deque()
        async with aclosing(self._job.engine.run(self._feed(pending))) as results:  # type: ignore[type-var]
            async for done in results:
                await self._finish(pending[0], done.lines)
                pending.popleft()  # only now: while it is there, nobody else writes
                while pending and not pending[0].missing:
                    await self._finish(pending[0], ())
                    pending.popleft()

    async def _feed(self, pending: deque[_Slot]) -> AsyncIterator[Batch]:
        while (slot := await self._next()) is not None:
            if missing := slot.missing:
                pending.append(slot)
                yield Batch(slot.batch_id, tuple(each.criterion for each in missing))
            elif pending:
                pending.append(slot)
                if len(pending) >= _MOST_PENDING:
                    return
            else:
                await self._finish(slot, ())
        self._over = True

    async def _next(self) -> _Slot | None:
        group = await asyncio.to_thread(self._take)  # a pipe may keep us waiting
        if group is None:
            return None
        batch_id = group.batch_id
        entries = tuple(
            self._meet(each, position, batch_id) if isinstance(each, Criterion) else each
            for position, each in enumerate(group.entries, group.position)
        )
        slot = _Slot(entries, batch_id, {})
        slot.known = await self._job.store.records([each.key for each in slot.met])
        return slot

    def _meet(self, criterion: Criterion, position: int, batch_id: str) -> Met:
        content = content_of(criterion)
        protocol = criterion.protocol_id or self._job.source
        return Met(protocol, position, batch_id, content, self._job.basis.key(content), criterion)

    async def _finish(self, slot: _Slot, lines: Sequence[Grounded]) -> None:
        """Into the store, then into the output."""
        self._met += slot.met
        made: dict[str, tuple[str, Grounded]] = {}
        failed: dict[str, str] = {}
        for each, line in zip(slot.missing, lines, strict=True):
            if line.error is None:
                made[each.key] = (each.content, line)
            else:
                failed[each.key] = line.error
        stored = slot.known | (await self._save(made) if made or len(self._met) >= _MOST_MET else {})
        for entry in slot.entries:
            if not isinstance(entry, Met):
                self._broken(entry)
            elif (record := stored.get(entry.key)) is not None:
                self._written(record, entry, before=entry.key in slot.known)
            else:
                self._failed(entry, failed[entry.key])
        self._job.told(self.tally)

    async def _save(self, made: dict[str, tuple[str, Grounded]]) -> dict[str, str]:
        met, self._met = self._met, []
        return await self._job.store.save(made, met, run=self._name, source=self._job.source)

    def _written(self, record: str, met: Met, *, before: bool) -> None:
        line = applied(line_of(record, met.criterion, met.batch_id), self._decisions)
        self.tally.grounded(line, before=before)
        write = self._held.other if before else self._held.grounded
        write(self._job.format.line(line))

    def _failed(self, met: Met, reason: str) -> None:
        self.tally.failed += 1
        ids = met.criterion.model_dump(exclude={"context"})
        self._held.failed(self._job.format.line(Grounded(**ids, batch_id=met.batch_id, error=reason)), reason)

    def _broken(self, problem: Problem) -> None:
        self.tally.broken += 1
        name = ":".join(part for part in (problem.file, f"line-{problem.row}") if part)
        self._held.other(self._job.format.line(Grounded(criterion_id=name, text="", error=problem.text)))


__all__ = ["Job", "Outage", "Run", "Tally"]
