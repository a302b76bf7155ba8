"""The events of one run in memory, and those who read them, each at their own speed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence

from docgemma.server.runs.model import RunEvent


class Feed:
    """Only grows. A reader is a place in it, so that a slow one costs nobody anything."""

    def __init__(self, run_id: str) -> None:
        self.id = run_id
        self.over = False
        self.readers = 0
        self._events: list[RunEvent] = []
        self._attempt = 0  # where the last attempt begins: what an earlier one told is void
        self._changed: asyncio.Future[None] | None = None

    @property
    def last_number(self) -> int:
        return next((event.number for event in reversed(self._events) if event.number is not None), 0)

    @property
    def told_last(self) -> bool:
        """Whether the last attempt has said its last word."""
        return bool(self._events) and self._events[-1].is_last

    def add(self, events: Iterable[RunEvent]) -> None:
        for event in events:
            if event.kind == "begun":
                self._attempt = len(self._events)
            self._events.append(event)
        self._wake()

    def end(self) -> None:
        """Nothing more will come."""
        self.over = True
        self._wake()

    def place_after(self, number: int) -> int:
        """Where a reader goes on who has seen the events up to this one. A number that never was is as good as none."""
        if number > self.last_number:
            return self._attempt
        seen = sum(1 for event in self._events if event.number is not None and event.number <= number)
        return max(seen, self._attempt)

    def beyond(self, place: int) -> Sequence[RunEvent]:
        return self._events[place:]

    def changed(self) -> asyncio.Future[None]:
        """Done at the next change. All who wait share it: do not cancel it."""
        if self._changed is None:
            self._changed = asyncio.get_running_loop().create_future()
        return self._changed

    def _wake(self) -> None:
        if self._changed is not None:
            self._changed.set_result(None)
            self._changed = None


class Subscription:
    """A reader of a feed."""

    def __init__(self, feed: Feed, after: int) -> None:
        self._feed = feed
        self._place = feed.place_after(after)
        self._told_last = False

    @property
    def ended(self) -> bool:
        """Whether everything was handed out, and nothing more will come."""
        return self._told_last or (self._feed.over and not self._feed.beyond(self._place))

    def take(self) -> Sequence[RunEvent]:
        """What came since the last time, without waiting."""
        news = self._feed.beyond(self._place)
        self._place += len(news)
        self._told_last = bool(news) and news[-1].is_last
        return news

    def changed(self) -> asyncio.Future[None]:
        return self._feed.changed()

    async def __aiter__(self) -> AsyncIterator[RunEvent]:
        while not self.ended:
            changed = self.changed()
            for event in self.take():
                yield event
            if not self.ended:
                await asyncio.wait({changed})
