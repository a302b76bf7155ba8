"""Sessions: one turn at a time, recorded before it runs and after it ended, so that nothing said is lost."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from docgemma.agent import graphs
from docgemma.agent.consulting import GRAPH, LOOKED_THROUGH, Consulting, Talk
from docgemma.agent.decisions import Decisions
from docgemma.agent.events import BegunEvent, OnEvent, to_listener
from docgemma.agent.question import MAX_CHARACTERS, Question, check_text
from docgemma.agent.record import Clarification, TurnRecord, versions_of
from docgemma.agent.recording import build_record, failed_record
from docgemma.agent.replay.recorder import Recorder
from docgemma.agent.session_state import first_state, patient_after, pending_after
from docgemma.agent.state import Services, State
from docgemma.agent.understanding.card_changes import CARD
from docgemma.agent.vision.album import Album
from docgemma.agent.vision.choosing import choose_images
from docgemma.clinical import GraphName, Patient, Purpose, acting, holding
from docgemma.errors import BadInput, Conflict, DocGemmaError, Unavailable, UnknownId
from docgemma.imaging import inspect
from docgemma.llm.contract import Usage, usage
from docgemma.orders.desk import Orders
from docgemma.store.ids import session_id_for, unknown
from docgemma.store.leases import make_holder
from docgemma.store.rows import Session, Turn
from docgemma.store.sessions import Store

__all__ = ["MAX_CHARACTERS", "NOT_KEPT", "NotBegun", "Question", "Sessions", "check_text"]

log = logging.getLogger(__name__)

LEASE_S = 30.0
NOT_KEPT = "This question and its answer are not kept, and nothing can be prepared or written."


class NotBegun(Unavailable):
    """The store did not take the turn, so nothing of it has happened."""

    def __init__(self, reason: Unavailable) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Sessions(Decisions):
    """Runs turns of the graph over stored sessions, and decides about the cards they end in."""

    def __init__(
        self, store: Store, services: Services, orders: Orders | None = None, consulting: Consulting | None = None
    ) -> None:
        super().__init__(store, orders)
        self._album = Album(store, services.llm.name)
        self._services = replace(services, seen=self._album)
        self._consulting = consulting

    async def ask(self, question: Question, on_event: OnEvent | None = None) -> TurnRecord:
        """One turn. Bad input is refused before anything is stored; after that the turn is always recorded."""
        text = check_text(question.text)
        graphs.known(question.graph or self._services.graph)
        talk = await self._talk(question, text)
        if question.prior is not None and not question.with_image:
            raise BadInput("An earlier image is compared with a current one: give that as well.")
        pixels = await inspect(question.image) if question.image is not None else None
        before = await inspect(question.prior) if question.prior is not None else None
        if question.image_id is not None:
            await self._album.check(question.image_id, question.session_id)
        try:
            session_id = await self._session_for(question)
        except Unavailable as error:
            return await self._unrecorded(question, text, error, on_event, talk)
        prior_id = await self._album.put(session_id, before) if before is not None else None
        image_id = await self._album.put(session_id, pixels) if pixels is not None else question.image_id
        try:
            return await self._turn(session_id, text, (image_id, prior_id), on_event, question=question, talk=talk)
        except NotBegun as error:
            return await self._unrecorded(replace(question, session_id=session_id), text, error.reason, on_event, talk)

    async def retry(
        self, session_id: str, on_event: OnEvent | None = None, *, graph: GraphName | None = None
    ) -> TurnRecord:
        """Run a turn again that was cut off, for whom it was. The graph itself writes nothing: this is always safe."""
        turn = await self.store.interrupted_turn(session_id)
        if turn is None:
            raise BadInput("The last question of this session was answered; there is nothing to run again.")
        talk = await self._talk(Question(turn.query, session_id=session_id, role=turn.role or None), turn.query)
        again = Question(turn.query, turn_id=turn.id, graph=graph)
        images = (turn.image_id, turn.prior_image_id)
        return await self._turn(session_id, turn.query, images, on_event, question=again, talk=talk)

    async def confirmed(self, patient_id: str, owner: str) -> Patient:
        """The patient of an id or record number, as the record system knows it. Unknown ids end here.

        A record system that does not answer is no reason to refuse a question: the banner stays empty, each turn says
        that the chart was not read, and no entry can be prepared.
        """
        charts = self._services.charts
        if charts is None:
            return Patient(id=patient_id)
        with acting(Purpose(who=owner, why="patient")):
            found = await charts.who(patient_id)
        if found.status == "unavailable":
            return Patient(id=patient_id)
        if len(found.matches) != 1:
            many = "Several patients have" if found.matches else "No patient in the record system has"
            raise UnknownId(f"{many} this id or record number. Look the patient up by name.")
        return Patient(id=found.matches[0].patient_id, banner=found.matches[0].banner())

    def _serving(self, question: Question, on_event: OnEvent | None) -> Services:
        """The services with the graph that this question asks for, and with who listens.

        Events go straight to the listener: LangGraph's own stream would cost a tenth of the turn's CPU time.
        """
        emit = to_listener(on_event) or self._services.emit
        return replace(self._services, graph=question.graph or self._services.graph, emit=emit)

    async def _talk(self, question: Question, text: str) -> Talk | None:
        """The consultation that this is, if it is one."""
        if question.role is not None and self._consulting is None:
            raise Unavailable("There is no knowledge base here to ask.")
        if self._consulting is None:
            return None
        if question.role is not None and question.graph is not None:
            raise BadInput("A consultation has a graph of its own. Choose one for a question without a role.")
        if question.role is not None and (question.with_image or question.patient_id):
            raise BadInput(
                "A consultation reads the knowledge base alone. Ask about a patient or an image without a role."
            )
        session = None
        if question.session_id is not None and question.role is None:
            with contextlib.suppress(Unavailable):
                session = await self.store.get_session(question.session_id)
        if question.with_image:
            return None
        return await self._consulting.talk(text, question.role, question.language, session)

    async def _session_for(self, question: Question) -> str:
        """The session to ask in, with its patient. An id that is on screen already was confirmed when it came there."""
        session = await self.store.get_session(question.session_id) if question.session_id else None
        if session is not None and question.owner and session.owner != question.owner:
            raise unknown("session", session.id)
        pinned = session.patient if session else None
        known = pinned is not None and pinned.confirmed and pinned.banner and pinned.id == question.patient_id
        if question.patient_id is None or known:
            return session.id if session else await self._opened(question, None)
        patient = await self.confirmed(question.patient_id, question.owner or (session.owner if session else ""))
        if session is None:
            return await self._opened(question, patient)
        if pinned is not None and pinned.confirmed and pinned.id != patient.id:
            raise BadInput("This session is about another patient. Start a new session for this one.")
        if pinned is None or not pinned.confirmed:
            await self.store.pin_patient(session.id, patient)
        return session.id

    async def _opened(self, question: Question, patient: Patient | None) -> str:
        """A new session. A question that has an id of its own and is sent twice opens one, not two."""
        chosen = session_id_for(question.owner, question.turn_id) if question.turn_id else None
        with contextlib.suppress(Conflict):
            return (await self.store.create_session(question.owner, patient=patient, session_id=chosen)).id
        known = await self.store.get_session(chosen or "")
        if known.owner == question.owner and (known.patient and known.patient.id) == (patient and patient.id):
            return known.id
        return (await self.store.create_session(question.owner, patient=patient)).id

    async def _turn(
        self,
        session_id: str,
        text: str,
        images: tuple[str | None, str | None],
        on_event: OnEvent | None,
        *,
        question: Question,
        talk: Talk | None = None,
    ) -> TurnRecord:
        """`images`: the ids of the current one and of one to compare it with."""
        turn_id, holder = question.turn_id or uuid4().hex, make_holder()
        try:
            begun = await self.store.begin_turn(
                session_id,
                turn_id,
                text,
                image_id=images[0],
                prior_image_id=images[1],
                role=talk.role.id if talk else "",
                holder=holder,
                lease_seconds=LEASE_S,
            )
        except Unavailable as error:
            raise NotBegun(error) from error
        if on_event is not None:
            on_event(BegunEvent(session_id, turn_id))
        turn = _RunningTurn(question, text, turn_id, begun.session, self._serving(question, on_event), talk)
        recorder = Recorder(turn.services)
        try:
            with holding(usage, turn.spent), acting(turn.purpose):
                async with self._lease(session_id, holder):
                    pending = await self._waited_for(begun.session)
                    if talk is not None:
                        record = await turn.consult(await self.store.turns(session_id, limit=LOOKED_THROUGH))
                        pin, waits = begun.session.patient, pending
                    else:
                        shown = await choose_images(self._album, self._services.reader, begun.session, text, *images)
                        first = recorder.begin(first_state(text, begun.session, pending, begun.history, shown))
                        record, state = await turn.run(first, recorder.services)
                        await self._withdraw_replaced(record)
                        await self._withdraw_others(state, begun.session)
                        pin, waits = patient_after(state, begun.session), pending_after(record, state, pending)
                await self._finish(record, begun.session, holder, recorder.trace(), pin=pin, waits=waits)
        except DocGemmaError as error:
            record, recorded = turn.failed(error), False
            with contextlib.suppress(DocGemmaError):
                trace = recorder.trace()
                await self._finish(record, begun.session, holder, trace, pin=begun.session.patient, failed=True)
                recorded = True
            if not (recorded and isinstance(error, Unavailable)):
                raise
        except BaseException:  # stopped by the user, or a bug: the session is free at once and the turn can run again
            with contextlib.suppress(DocGemmaError):
                await asyncio.shield(self.store.interrupt_turn(session_id, turn_id, holder=holder))
            raise
        return record

    async def _unrecorded(
        self, question: Question, text: str, reason: Unavailable, on_event: OnEvent | None, talk: Talk | None
    ) -> TurnRecord:
        """Where nothing can be stored, what needs no storing goes on: labels are read, charts are not.

        Not with an image, which a turn only has as a stored one.
        """
        if question.with_image or question.kept:
            raise reason
        known, turns = await self._kept(question)
        turn = _RunningTurn(question, text, uuid4().hex, known, self._serving(question, on_event), talk)
        with holding(usage, turn.spent), acting(turn.purpose):
            if talk is not None:
                record = await turn.consult(turns)
            else:
                record, _ = await turn.run(first_state(text, known, None, turns), turn.services)
        return record.model_copy(update={"notices": (f"{NOT_KEPT} {reason}", *record.notices)})

    async def _kept(self, question: Question) -> tuple[Session, tuple[Turn, ...]]:
        """The session as far as it can still be read; else an empty one of this owner."""
        try:
            if question.session_id is not None:
                found = await self.store.get_session(question.session_id)
                return found, await self.store.turns(found.id, limit=4)
        except Unavailable as error:
            log.warning("a session cannot be read: %s", type(error).__name__)
        now = datetime.now(UTC).isoformat()
        patient = Patient(id=question.patient_id) if question.patient_id else None
        return Session("", question.owner, "", patient, None, now, now, 0), ()

    async def _waited_for(self, session: Session) -> Clarification | None:
        """The open question, or the card that still stands. One that was decided meanwhile waits for nothing."""
        pending = Clarification.model_validate(session.pending) if session.pending else None
        if pending is None or pending.reason != CARD or pending.pending is None or self._desk is None:
            return pending
        try:
            row = await self._desk.get(pending.pending.card)
        except DocGemmaError:
            return None
        return pending if row.state == "proposed" else None

    async def _withdraw_replaced(self, record: TurnRecord) -> None:
        """A changed entry is a new card; the old one must not be approved beside it."""
        if self._desk is None or not record.approvals:
            return
        await self._desk.withdraw_of_turn(
            record.session_id, record.turn_id, keep={card.id for card in record.approvals}
        )
        for card in record.approvals:
            if card.replaces:
                await self._desk.withdraw(card.replaces, f"replaced by {card.id}")

    async def _withdraw_others(self, state: State, session: Session) -> None:
        """When the patient is switched, the cards of the one before end; switching back does not revive them."""
        here, before = patient_after(state, session), session.patient
        if self._desk is None or here is None or not here.confirmed or (before is not None and before.id == here.id):
            return
        await self._desk.withdraw_others(session.id, here.id)

    async def _finish(
        self,
        record: TurnRecord,
        session: Session,
        holder: str,
        trace: bytes | None,
        *,
        pin: Patient | None,
        waits: Clarification | None = None,
        failed: bool = False,
    ) -> None:
        """By now the banner of the patient may be known."""
        pending = waits.model_dump(mode="json") if waits else None
        if pin is not None and record.patient is not None and record.patient.id == pin.id:
            pin = record.patient.model_copy(update={"confirmed": pin.confirmed})
        await self.store.finish_turn(
            session.id,
            record.turn_id,
            holder=holder,
            record=record.model_dump(mode="json"),
            pending=pending,
            patient=pin,
            status="failed" if failed else "done",
            trace=trace,
        )

    @asynccontextmanager
    async def _lease(self, session_id: str, holder: str) -> AsyncIterator[None]:
        """Hold the session while the turn runs, however long the model takes."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(LEASE_S / 3)
                with contextlib.suppress(DocGemmaError):  # a store that is away now may be back at the end of the turn
                    await self.store.renew_lease(session_id, holder, LEASE_S)

        task = asyncio.create_task(renew())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


class _RunningTurn:
    """One turn while it runs: who asks, which model and graph answer, what it costs, and its record in the end."""

    def __init__(
        self, question: Question, text: str, turn_id: str, session: Session, services: Services, talk: Talk | None
    ) -> None:
        self.services = services
        self.spent = Usage()
        self._text = text
        self._talk = talk
        self._started = time.perf_counter()
        self.purpose = Purpose(
            who=session.owner, why=question.why, session_id=session.id, turn_id=turn_id, graph=services.graph
        )
        model, graph = services.llm.name, GRAPH if talk else services.graph
        self._stamp: dict[str, Any] = {
            "id": question.id or turn_id,
            "turn_id": turn_id,
            "session_id": session.id,
            "created_at": datetime.now(UTC).isoformat(),
            "graph": graph,
            "model": model,
            "versions": versions_of(model, graph),
            "query": text,
        }

    async def run(self, first: State, services: Services) -> tuple[TurnRecord, State]:
        """Through the graph: the record, and the state that it was made of."""
        state = await graphs.run(first, services)
        return build_record(state, self.spent, self._stamp, self._ms()), state

    async def consult(self, turns: Sequence[Turn]) -> TurnRecord:
        """As a consultation, which may look back on these turns."""
        assert self._talk is not None
        return await self._talk.record(self._text, turns, self._stamp, self.spent, self.services.emit)

    def failed(self, error: DocGemmaError) -> TurnRecord:
        """The question is kept, the reason is said."""
        return failed_record(str(error), self.spent, self._stamp, self._ms())

    def _ms(self) -> float:
        return (time.perf_counter() - self._started) * 1000
