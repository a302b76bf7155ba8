"""The desk where orders are prepared, decided and carried out: the only way from a request to a chart."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from docgemma.clinical import Purpose, acting, ends_at, purpose
from docgemma.ehr.contract import Ehr, EhrError, Record, Writer
from docgemma.errors import BadInput, Conflict, DocGemmaError, HardStop, UnknownId
from docgemma.orders.carding import called, card_text, rests_on_tables
from docgemma.orders.checks import OrderChecks
from docgemma.orders.facts import NEEDED, Facts, facts_of, version_for
from docgemma.orders.ledger.ledger import Ledger
from docgemma.orders.ledger.rows import Beside
from docgemma.orders.ledger.transitions import Verdict
from docgemma.orders.model import (
    IN_CHART,
    UNFINISHED,
    Allergy,
    Card,
    Check,
    Decision,
    Draft,
    Note,
    Prescription,
    Receipt,
    Row,
    State,
)
from docgemma.orders.receipts import receipt
from docgemma.orders.resources import KINDS, is_undone
from docgemma.orders.writing import Worker, hindrance
from docgemma.store.rows import stamp

SHARE = 0.7
"""Of the time that the caller waits: the rest is for the chart and the ledger."""

DEADLINE_S = 8.0
MINUTES = 60
ABOUT = ("AllergyIntolerance", "MedicationRequest", "MedicationStatement")
READ_FOR: dict[str, tuple[str, ...]] = {"prescription": NEEDED, "allergy": ABOUT, "note": ()}
STANDING: tuple[State, ...] = ("proposed",)
ANOTHER = "the conversation moved on to another patient"
_WORDS = re.compile(r"[^\W\d_]{2,}")
_LEAST = 10

About = Callable[[str], Awaitable[str | None]]
"""The patient a session is about now, by the session's id; None where it is about nobody, or is gone."""


def utc_now() -> datetime:
    return datetime.now(UTC)


async def _nobody(_: str) -> str | None:
    return None


class Orders:
    """One per app. `ehr` reads charts with the audit in front; `writer` is used for what a person approved alone."""

    def __init__(
        self,
        ledger: Ledger,
        ehr: Ehr,
        writer: Writer,
        checks: OrderChecks,
        *,
        software: str,
        minutes: int = MINUTES,
        about: About = _nobody,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.ledger = ledger
        self._ehr = ehr
        self._writer = writer
        self._checks = checks
        self._software = software
        self._valid = timedelta(minutes=minutes)
        self._about = about
        self._clock = clock
        self._worker = Worker(ledger, writer, self._unchanged, clock=clock)

    async def propose(self, draft: Draft) -> Row:
        """Check the draft against the chart and put its card into the ledger. Nothing is in the chart yet."""
        asking, now = purpose.get(), self._clock()
        facts = await self._facts(draft)
        checks = await self._checked(draft, facts)
        banner = facts.person.banner()
        card = Card(
            draft=draft,
            banner=banner,
            text=card_text(draft, banner),
            checks=checks,
            version=version_for(draft, facts),
            created_at=stamp(now),
            expires_at=stamp(now + self._valid),
            proposed_by=asking.who,
            via=asking.why,
            session_id=asking.session_id,
            turn_id=asking.turn_id,
            software=f"{self._software}; graph {asking.graph}" if asking.graph else self._software,
            demonstration=facts.person.fictional or rests_on_tables(checks),
        )
        return await self.ledger.propose(card)

    async def approve(self, id_: str, decision: Decision) -> Receipt:
        """Decide for it and carry it out. Saying it again gives the same receipt."""
        row = await self.ledger.get(id_)
        if row.state == "proposed":
            beside = await self._beside(row)
            row = await self._standing(row)
        if row.state == "proposed":
            _permits(row.card, decision)
            row, _ = await self.ledger.decide(id_, "approved", decision, beside=beside)
        if row.state in ("rejected", "expired", "withdrawn", "undoing", "undone"):
            raise Conflict(f"This entry cannot be approved any more: it is {row.state}. Prepare it again.")
        return await self._worker.finish(id_)

    async def reject(self, id_: str, decision: Decision) -> Receipt:
        """Decide against it. What was decided before stays."""
        now = stamp(self._clock())
        against = replace(await self.ledger.get(id_), decision=decision, decided_at=now)
        told = receipt(against, "rejected", now, why=f"Reason: {decision.reason}" if decision.reason else "")
        row, made = await self.ledger.decide(id_, "rejected", decision, receipt=told)
        if not made and row.state != "rejected":
            raise Conflict(f"This entry was decided before: it is {row.state}.")
        return row.receipt or told

    async def withdraw(self, id_: str, why: str) -> bool:
        """Take back a card that a newer one replaces; whether it still stood."""
        _, made = await self.ledger.decide(id_, "withdrawn", Decision(who=purpose.get().who, reason=why))
        return made

    async def withdraw_of_turn(self, session_id: str, turn_id: str, *, keep: Collection[str]) -> None:
        """A turn that was cut off and ran again made its cards anew: those before must not stand beside them."""
        for row in await self.ledger.listed(states=STANDING, session=session_id):
            if row.card.turn_id == turn_id and row.id not in keep:
                await self.withdraw(row.id, "its turn ran again")

    async def withdraw_others(self, session_id: str, patient_id: str) -> None:
        """The session is about this patient from now on: its cards for anybody else do not come back to life."""
        for row in await self.ledger.listed(states=STANDING, session=session_id):
            if row.card.draft.patient_id != patient_id:
                await self.withdraw(row.id, ANOTHER)

    async def undo(self, id_: str, decision: Decision) -> Receipt:
        """Mark a written entry as entered in error. It is never deleted."""
        row = await self.ledger.get(id_)
        if row.state in IN_CHART:
            _real_reason(decision.reason, "Undoing needs a reason")
            row = await self._to_undo(row, decision)
        if row.state not in ("undoing", "undone"):
            raise Conflict(f"There is nothing in the chart to undo: this entry is {row.state}.")
        return await self._worker.finish(id_)

    async def get(self, id_: str) -> Row:
        return await self.ledger.get(id_)

    async def listed(
        self,
        *,
        states: Collection[State] | None = None,
        patient: str | None = None,
        session: str | None = None,
        limit: int = 50,
    ) -> tuple[Row, ...]:
        return await self.ledger.listed(states=states, patient=patient, session=session, limit=limit)

    async def reconcile(self, *, seconds: float = 20.0) -> tuple[Receipt, ...]:
        """Carry out, or look up, whatever a crash or a silent record system left unfinished."""
        receipts: list[Receipt] = []
        ends = asyncio.get_running_loop().time() + seconds
        for row in await self.ledger.unfinished():
            left = ends - asyncio.get_running_loop().time()
            if left <= 0:
                break
            with acting(_on_behalf(row, "reconcile")):
                try:
                    receipts.append(await self._worker.finish(row.id, patience_s=min(left, 5.0)))
                except DocGemmaError:
                    continue  # the others may fare better; this one stays unfinished and is tried again
        return tuple(receipts)

    async def _facts(self, draft: Draft) -> Facts:
        """What the chart says that this entry has to be weighed against."""
        record = await self._record(draft)
        if record is None:
            raise UnknownId("No patient has this id, so nothing was prepared.")
        return facts_of(record, today=self._today())

    async def _record(self, draft: Draft) -> Record | None:
        kinds = READ_FOR[draft.kind]
        if kinds:
            return await self._ehr.record(draft.patient_id, kinds)
        patient = await self._ehr.read("Patient", draft.patient_id)
        return None if patient is None else Record(patient)

    async def _checked(self, draft: Draft, facts: Facts) -> tuple[Check, ...]:
        match draft:
            case Prescription():
                if facts.unread:
                    what = "; ".join(facts.unread)
                    raise EhrError(
                        "service_unavailable",
                        f"Cannot prescribe while the chart cannot be read: {what}. Nothing was prepared; try again.",
                    )
                loop = asyncio.get_running_loop()
                left = ends_at.get(loop.time() + DEADLINE_S) - loop.time()
                return await self._checks.prescription(draft, facts, ends_at=loop.time() + left * SHARE)
            case Allergy():
                return self._checks.allergy(draft, facts)
            case Note():
                return self._checks.note(draft, facts)

    async def _standing(self, row: Row) -> Row:
        """The row, when the card still stands. What no longer holds ends it; unless it was decided meanwhile: a second
        click finds the chart changed by the first.
        """
        ended = await self._outdated(row)
        if ended is None:
            return row
        to, why, sentence = ended
        decided, made = await self.ledger.decide(row.id, to, Decision(who=purpose.get().who, reason=why))
        if made:
            raise Conflict(sentence)
        return decided

    async def _beside(self, row: Row) -> Beside | None:
        """What the chart may hold by now, read before the chart is: while one of them is open, nobody knows."""
        if row.card.draft.kind == "note":
            return None
        others = await self.ledger.beside(row)
        if any(state in UNFINISHED for _, state in others):
            raise Conflict(
                "Another entry for this patient is not finished yet, so this one cannot be checked against it. "
                "`docgemma orders reconcile` finishes it; then approve this one again."
            )
        return others

    async def _outdated(self, row: Row) -> tuple[Verdict, str, str] | None:
        """A card is bound to its time, its session's patient and the chart: what of these does not hold any more."""
        card = row.card
        if card.via == "batch":
            raise Conflict("This card comes from a batch run and is for reading only. Ask for it in a session.")
        if self._clock() >= datetime.fromisoformat(card.expires_at):
            return "expired", "its time is over", "This card has expired. Ask for the entry again."
        here = await self._about(card.session_id) if card.session_id else None
        if here is not None and here != card.draft.patient_id:
            return "withdrawn", ANOTHER, "The conversation is about another patient now, so this card no longer stands."
        if not await self._unchanged(row):
            sentence = "The chart has changed since this card was made. Ask for the entry again."
            return "withdrawn", "the chart changed", sentence
        return None

    async def _unchanged(self, row: Row) -> bool:
        """Whether the chart still is what the checks rested on. Where it cannot be read, that is an error."""
        facts = await self._facts(row.card.draft)
        if facts.unread and row.card.draft.kind == "prescription":
            raise EhrError("service_unavailable", "The chart cannot be read, so nothing was approved. Try again.")
        same = version_for(row.card.draft, facts) == row.card.version
        if not same and row.card.draft.kind == "allergy" and "AllergyIntolerance" in facts.gaps:
            raise EhrError("service_unavailable", "The allergies cannot be read, so nothing was approved. Try again.")
        return same

    async def _to_undo(self, row: Row, decision: Decision) -> Row:
        """Somebody else's later change is not ours to undo. A second click finds the mark of the first one's."""
        current = await self._writer.read(KINDS[row.card.draft.kind], row.resource_id)
        why = "The entry is no longer in the chart." if current is None else hindrance(row, current)
        if not why and current is not None and is_undone(current):
            why = "The entry is marked as entered in error already."
        if not why:
            return (await self.ledger.begin_undo(row.id, decision))[0]
        now = await self.ledger.get(row.id)
        if now.state in IN_CHART:
            raise Conflict(why)
        return now

    def _today(self) -> date:
        return self._clock().date()


def _permits(card: Card, decision: Decision) -> None:
    """A stop needs a reason in words; what was not checked needs to have been seen."""
    if card.hard_stops:
        if not decision.override:
            first = card.hard_stops[0]
            raise HardStop(f"Stopped: {called(first)}. Only a typed reason releases it: --override REASON.")
        _real_reason(decision.override, "Going against a stop needs a reason")
    if card.not_checked and not decision.acknowledged:
        names = ", ".join(dict.fromkeys(called(check) for check in card.not_checked))
        raise BadInput(f"Not checked: {names}. Approving needs to acknowledge that: --acknowledge.")


def _real_reason(reason: str, needs: str) -> None:
    if len(reason.strip()) < _LEAST or not _WORDS.search(reason):
        raise BadInput(f"{needs} in words, at least {_LEAST} characters.")


def _on_behalf(row: Row, why: str) -> Purpose:
    who = row.decision.who if row.decision else row.card.proposed_by
    return Purpose(who=who, why=why, session_id=row.card.session_id, turn_id=row.card.turn_id)
