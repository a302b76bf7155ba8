"""Where runs are started, watched, stopped and asked again. One a process; the store joins them."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from docgemma.agent.events import OnEvent
from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, Sessions, check_text
from docgemma.clinical import GraphName
from docgemma.errors import BadInput, Conflict, DocGemmaError, Unavailable, UnknownId
from docgemma.server.runs.feed import Subscription
from docgemma.server.runs.following import Follower, ended_as, turn_of
from docgemma.server.runs.live import LiveRun, Play
from docgemma.server.runs.model import RunInfo, State
from docgemma.server.runs.writer import Writer
from docgemma.store.events import Events
from docgemma.store.ids import asked_id, unknown, usable_id
from docgemma.store.opened import Opened
from docgemma.store.sessions import Store

KEPT = timedelta(hours=24)
"""How long a page may come back for the events. The turn's record stays."""

LOOK_S = 0.5
FORGET_EVERY_S = 3600.0
SHARE_S = 0.0005
"""How long the event loop may keep the interpreter while the store's thread waits for it.

A statement gives the interpreter away and wants it back; at Python's own 5 ms, a hundred turns at once would leave the
store two hundred statements a second.
"""

TAKEN = "The run {id} is there already, for another question. Ask again."
STOPPING = "The server is being stopped. Ask again in a moment."
ANSWERED = "The last question of this session was answered; there is nothing to run again."


class Runs(Opened):
    """Turns that go on by themselves, and the events they tell."""

    def __init__(self, sessions: Sessions, store: Store) -> None:
        self._sessions = sessions
        self._store = store
        self._events = Events(store.database)
        self._live: dict[str, LiveRun] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closing = False

    async def open(self) -> None:
        sys.setswitchinterval(SHARE_S)
        self._writer = Writer(self._events)
        self._follower = Follower(self._events, self._store)
        self._writer.start()
        await self._forget()

    async def close(self) -> None:
        """Running turns are cut off, can be run again, and say so to whoever comes back; streams end."""
        self.leave()
        for live in list(self._live.values()):
            live.stop()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})
        await self._writer.close()
        await self._follower.close()

    def leave(self) -> None:
        """The server is going to stop: nothing new, and no stream that it would have to wait for."""
        self._closing = True
        for live in self._live.values():
            live.feed.end()

    async def start(self, question: Question) -> RunInfo:
        """Begin the turn and come back at once. Its error when it cannot begin; the same run when it is sent twice."""
        check_text(question.text)
        run_id = usable_id(question.turn_id) if question.turn_id else uuid4().hex
        asked = replace(question, turn_id=run_id, kept=True)
        if (live := self._live.get(run_id)) is None:
            live = self._opened(run_id, question.owner, asked=digest(question))
            self._keep(live, lambda heard: self._asked(asked, heard, chosen=bool(question.turn_id)))
        return await self._same(await self._begun(live), question)

    async def retry(self, session_id: str, owner: str, *, graph: GraphName | None = None) -> RunInfo:
        """Run the session's last question again, which was cut off, under its own id."""
        session = await self._store.get_session(session_id)
        if session.owner != owner:
            raise unknown("session", session_id)
        turn = await self._store.interrupted_turn(session_id)
        if turn is None:
            newest = await self._store.turns(session_id, limit=1)
            if newest and newest[0].status == "running":  # asked twice
                return await self.info(newest[0].id, owner)
            raise BadInput(ANSWERED)
        if (ending := self._live.get(turn.id)) is not None and ending.ended:
            await asyncio.wait({ending.keeper})
        number = await self._events.last_number(turn.id)
        if (live := self._live.get(turn.id)) is None:
            live = self._opened(turn.id, owner, number=number)
            self._keep(live, lambda heard: self._sessions.retry(session_id, heard, graph=graph))
        return await self._begun(live)

    async def info(self, run_id: str, owner: str) -> RunInfo:
        """What became of it so far. Another person's run is as unknown as one that never was."""
        known = await self._known(run_id)
        if known is None or known.owner != owner:
            raise unknown("run", run_id)
        return known

    async def stop(self, run_id: str, owner: str) -> RunInfo:
        """End it, here or in the process that has it. What was told stays; the question can be asked again."""
        known = await self.info(run_id, owner)
        if (live := self._live.get(run_id)) is not None:
            live.stop()
        elif known.state == "running":
            await self._events.want_stop(run_id)
        return known

    async def last_number(self, run_id: str) -> int:
        """Of the last event that was stored."""
        return await self._events.last_number(run_id)

    @asynccontextmanager
    async def watching(self, run: RunInfo, after: int = 0) -> AsyncIterator[Subscription]:
        """A reader who has seen the events up to this number. Only those of the last attempt are told."""
        live = self._live.get(run.id)
        feed = live.feed if live is not None else await self._follower.feed(run.id, run.state)
        feed.readers += 1
        try:
            yield Subscription(feed, after)
        finally:
            feed.readers -= 1

    async def _asked(self, question: Question, heard: OnEvent, *, chosen: bool) -> TurnRecord:
        """An id that was chosen elsewhere may have run before; it is not run again by being sent again."""
        if chosen and await self._known(question.turn_id) is not None:
            raise Conflict(TAKEN.format(id=question.turn_id))
        return await self._sessions.ask(question, heard)

    async def _same(self, run: RunInfo, question: Question) -> RunInfo:
        """An id that was used for something else is refused: the page would show another question's answer."""
        mine = run.owner == question.owner and question.session_id in (None, run.session_id)
        if not mine or not await self._asks(run, question):
            raise Conflict(TAKEN.format(id=run.id))
        return run

    async def _asks(self, run: RunInfo, question: Question) -> bool:
        """Whether this is its question; by the turn where the digest is not known any more."""
        if run.asked:
            return run.asked == digest(question)
        turn = await turn_of(self._store, run.id)
        return turn is None or (turn.query, turn.image_id) == (question.text.strip(), question.image_id)

    def _opened(self, run_id: str, owner: str, *, asked: str = "", number: int = 0) -> LiveRun:
        """From here on this process has it: a second request for it finds the first."""
        if self._closing:
            raise Unavailable(STOPPING)
        live = self._live[run_id] = LiveRun(run_id, owner, self._writer, asked=asked, number=number)
        return live

    def _keep(self, live: LiveRun, play: Play) -> None:
        live.keeper = asyncio.create_task(self._oversee(live, play))
        self._tasks.add(live.keeper)
        live.keeper.add_done_callback(self._tasks.discard)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_for_stops())

    async def _begun(self, live: LiveRun) -> RunInfo:
        """Once that is stored. A conflict over the same question, sent to two processes, is no conflict."""
        try:
            begun = await asyncio.shield(live.begun)
        except Conflict:
            known = await self._known(live.id)
            if known is None or known.owner != live.owner:
                raise
            return known
        return await self._known(live.id) or begun if live.feed.over else begun

    async def _oversee(self, live: LiveRun, play: Play) -> None:
        """The turn from its first event to its last word."""
        try:
            error = await live.play(play)
            if not live.session_id:
                live.refuse(error or Unavailable(STOPPING))
                return
            if live.stopped:
                await self._cut_off(live)
            elif error is not None:
                live.end_of(error)
            else:
                live.end("done", {"turn_id": live.id})
            while not live.feed.over:
                await asyncio.wait({live.feed.changed()})
        finally:
            self._live.pop(live.id, None)

    async def _cut_off(self, live: LiveRun) -> None:
        """An answer that was ready when it was stopped is an answer. A server that stops says nothing more."""
        turn = None
        with contextlib.suppress(DocGemmaError):
            turn = await turn_of(self._store, live.id)
        if turn is not None and turn.record is not None:
            live.end("done", {"turn_id": live.id})
        elif self._closing:
            live.feed.end()
        else:
            live.end("stopped", {})

    async def _known(self, run_id: str) -> RunInfo | None:
        """The run as the store has it, and by its turn where its events are gone or its process is."""
        asked_id("run", run_id)
        live = self._live.get(run_id)
        if live is not None and live.session_id and not live.feed.over:
            return live.info
        try:
            stored = await self._events.run(run_id)
            session_id, owner, state, asked = stored.session_id, stored.owner, stored.state, stored.asked
        except UnknownId:
            turn = await turn_of(self._store, run_id)
            if turn is None or turn.by != "agent":
                return None
            session_id, state, asked = turn.session_id, "running", ""
            owner = (await self._store.get_session(session_id)).owner
        found: State = state
        if state == "running" and (ended := ended_as(run_id, await turn_of(self._store, run_id))):
            found = "done" if ended.kind == "done" else "interrupted"
        return RunInfo(run_id, session_id, owner, found, asked)

    async def _forget(self) -> None:
        self._forgot = asyncio.get_running_loop().time()
        with contextlib.suppress(DocGemmaError):  # what is too old can go another time
            await self._events.prune(datetime.now(UTC) - KEPT)

    async def _look_for_stops(self) -> None:
        """Somebody who watches from another process may want to end a run of this one."""
        while self._live:
            await asyncio.sleep(LOOK_S)
            if asyncio.get_running_loop().time() - self._forgot > FORGET_EVERY_S:
                await self._forget()
            with contextlib.suppress(DocGemmaError):
                for run_id in await self._events.stops_wanted(tuple(self._live)):
                    if (live := self._live.get(run_id)) is not None:
                        live.stop()


def digest(question: Question) -> str:
    """What was asked, about whom, with what."""
    parts = (question.text.strip(), question.patient_id, question.image_id, question.role, question.language)
    chosen = (question.graph,) if question.graph else ()  # of a run that chose none, the digest is what it always was
    return hashlib.sha256(json.dumps((*parts, *chosen)).encode()).hexdigest()
