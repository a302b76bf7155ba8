"""Runs of other processes, read from the store: one reader a process for all of them, however many watch."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import cast

from docgemma.errors import DocGemmaError, UnknownId
from docgemma.server.runs.feed import Feed
from docgemma.server.runs.model import Kind, RunEvent
from docgemma.store.events import Entry, Events
from docgemma.store.rows import Turn
from docgemma.store.sessions import Store

log = logging.getLogger(__name__)

SOONEST_S = 0.2
LATEST_S = 1.0
SILENT_S = 1.0
"""How long after the turn's own end its last event may still be on its way."""


@dataclass(slots=True)
class _Followed:
    feed: Feed
    due: float
    pause: float = SOONEST_S
    silent_since: float | None = None


def as_event(entry: Entry) -> RunEvent:
    return RunEvent(entry.number, cast(Kind, entry.kind), entry.body)


def ended_as(run_id: str, turn: Turn | None) -> RunEvent | None:
    """What a run without a last event came to, by its turn; None while the turn runs."""
    if turn is not None and turn.status == "running":
        return None
    if turn is not None and turn.status in ("done", "failed") and turn.record is not None:
        return RunEvent(None, "done", {"turn_id": run_id})
    return RunEvent(None, "interrupted")


async def turn_of(store: Store, run_id: str) -> Turn | None:
    try:
        return await store.get_turn(run_id)
    except UnknownId:
        return None


class Follower:
    """Feeds of runs that are not of this process, kept up to date while anybody reads them."""

    def __init__(self, events: Events, store: Store) -> None:
        self._events = events
        self._store = store
        self._followed: dict[str, _Followed] = {}
        self._task: asyncio.Task[None] | None = None

    async def feed(self, run_id: str, state: str) -> Feed:
        """The run's feed, up to date. `state` is what the store says of the run."""
        if (known := self._followed.get(run_id)) is not None:
            return known.feed
        feed = Feed(run_id)
        feed.add(as_event(entry) for entry in await self._events.since(run_id))
        if state != "running" and not feed.last_number and (ended := ended_as(run_id, await self._turn(run_id))):
            feed.add((ended,))  # its events were too old to be kept
        if feed.told_last:
            feed.end()
            return feed
        if (known := self._followed.get(run_id)) is not None:
            return known.feed
        self._followed[run_id] = _Followed(feed, due=_now() + SOONEST_S)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._follow())
        return feed

    async def _turn(self, run_id: str) -> Turn | None:
        return await turn_of(self._store, run_id)

    async def close(self) -> None:
        """No reader waits any longer."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        for each in self._followed.values():
            each.feed.end()
        self._followed.clear()

    async def _follow(self) -> None:
        """Until nobody reads any of them."""
        while self._followed:
            await asyncio.sleep(max(0.0, min(each.due for each in self._followed.values()) - _now()))
            for run_id in [run_id for run_id, each in self._followed.items() if each.feed.readers == 0]:
                del self._followed[run_id]
            due = [each for each in self._followed.values() if each.due <= _now()]
            try:
                await self._read(due)
            except DocGemmaError as error:
                log.warning("runs elsewhere cannot be followed: %s", type(error).__name__)
                for each in due:
                    each.due = _now() + LATEST_S

    async def _read(self, due: list[_Followed]) -> None:
        news = await self._events.since_each({each.feed.id: each.feed.last_number for each in due})
        for each in due:
            told = [as_event(entry) for entry in news.get(each.feed.id, ())]
            each.feed.add(told)
            each.pause = SOONEST_S if told else min(each.pause * 1.5, LATEST_S)
            each.due = _now() + each.pause
            last = told[-1] if told else await self._silent(each)
            if last is not None and last.is_last:
                if not told:
                    each.feed.add((last,))
                each.feed.end()
                self._followed.pop(each.feed.id, None)

    async def _silent(self, each: _Followed) -> RunEvent | None:
        """A run that tells nothing may be over: its process died, or could not say the last word."""
        ended = ended_as(each.feed.id, await self._turn(each.feed.id))
        if ended is None:
            each.silent_since = None
        elif each.silent_since is None:
            each.silent_since = _now()
        elif _now() - each.silent_since >= SILENT_S:
            return ended
        return None


def _now() -> float:
    return asyncio.get_running_loop().time()
