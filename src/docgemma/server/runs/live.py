"""A run of this process: its turn's task, and what the turn tells on its way to store and readers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from docgemma.agent.events import BegunEvent, OnEvent, StepEvent, TurnEvent
from docgemma.errors import DocGemmaError
from docgemma.server.runs.feed import Feed
from docgemma.server.runs.model import Kind, RunEvent, RunInfo
from docgemma.server.runs.writer import Told, Writer
from docgemma.store.events import Closing, EndState, Entry, Opening, Write

log = logging.getLogger(__name__)

Play = Callable[[OnEvent], Awaitable[object]]

BUG = "An unexpected error ended this answer. Nothing was written to a chart; ask again, and tell your administrator."


class LiveRun:
    """`begun` is done once the turn is taken and that is stored, or holds the reason why it was not."""

    def __init__(self, run_id: str, owner: str, writer: Writer, *, asked: str = "", number: int = 0) -> None:
        self.id = run_id
        self.asked = asked
        self.owner = owner
        self.session_id = ""
        self.feed = Feed(run_id)
        self.begun: asyncio.Future[RunInfo] = asyncio.get_running_loop().create_future()
        self._writer = writer
        self._number = number
        self._lost = False
        self._task: asyncio.Task[object] | None = None
        self.keeper: asyncio.Task[None]

    @property
    def ended(self) -> bool:
        """Whether the turn is over; its last word may still be on its way."""
        return self._task is not None and self._task.done()

    @property
    def info(self) -> RunInfo:
        return RunInfo(self.id, self.session_id, self.owner, "running", self.asked)

    @property
    def stopped(self) -> bool:
        return self._task is not None and self._task.cancelled()

    async def play(self, play: Play) -> BaseException | None:
        """Run the turn to its end, which no reader and no request hastens. What it raised."""

        async def turn() -> object:
            return await play(self._heard)

        self._task = asyncio.create_task(turn())
        await asyncio.wait({self._task})
        return None if self._task.cancelled() else _unwrapped(self._task.exception())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def refuse(self, error: BaseException) -> None:
        """It never began."""
        self.feed.end()
        if not self.begun.done():
            self.begun.set_exception(error)
            self.begun.exception()  # whoever asked may have gone

    def end(self, state: EndState, body: dict[str, Any]) -> None:
        """The last word. After a loss it has been said already."""
        self._tell(state, body, Closing(self.id, state))

    def end_of(self, error: BaseException) -> None:
        if isinstance(error, DocGemmaError):
            self.end("failed", {"error": str(error)})
            return
        log.error("a turn failed: %s", type(error).__name__)  # its words may be about a patient
        self.end("failed", {"error": BUG})

    def _heard(self, event: TurnEvent) -> None:
        if isinstance(event, BegunEvent):
            self.session_id = event.session_id
            opening = Opening(self.id, event.session_id, self.owner, self.asked)
            self._tell("begun", {"session_id": event.session_id, "turn_id": event.turn_id}, opening)
        elif isinstance(event, StepEvent):
            self._tell("step", event.step.model_dump(mode="json"))
        else:
            self._tell("text", {"text": event.text})

    def _tell(self, kind: Kind, body: dict[str, Any], *also: Write) -> None:
        if self._lost:
            return
        self._number += 1
        event = RunEvent(self._number, kind, body)

        def stored() -> None:
            self.feed.add((event,))
            if not self.begun.done():
                self.begun.set_result(self.info)
            if event.is_last:
                self.feed.end()

        entry = Entry(self.id, event.number or 0, kind, body)
        self._writer.put(Told(self.id, (*also, entry), stored, self._give_up))

    def _give_up(self, error: DocGemmaError) -> None:
        """What cannot be stored is not told; so the turn ends, and those who watch hear why."""
        self._lost = True
        self.stop()
        if not self.begun.done():
            self.refuse(error)
        elif not self.feed.over:
            self.feed.add((RunEvent(None, "failed", {"error": str(error)}),))
            self.feed.end()


def _unwrapped(error: BaseException | None) -> BaseException | None:
    """What was really raised: task groups wrap it, once for each that it passed."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
