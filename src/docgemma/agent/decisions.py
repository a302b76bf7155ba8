"""What a person decides about a card, and its receipt in the conversation that the card came from."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable

from docgemma.agent.record import ToolCall, TurnRecord
from docgemma.clinical import Patient, Purpose, Status, TimelineStep, acting
from docgemma.errors import DocGemmaError, UnknownId
from docgemma.orders.desk import Orders
from docgemma.orders.model import Decision, Kind, Receipt, Row, State
from docgemma.orders.receipts import receipt as receipt_of
from docgemma.store.sessions import Store
from docgemma.tools.orders import arguments_of
from docgemma.tools.registry import REGISTRY, ToolName

log = logging.getLogger(__name__)

TOOLS: dict[Kind, ToolName] = {
    "prescription": "prescribe_medication",
    "allergy": "add_allergy",
    "note": "save_clinical_note",
}
_STATUS: dict[State, Status] = {"written": "written", "differs": "written", "undone": "written", "rejected": "declined"}
_SAID: dict[State, tuple[str, str]] = {"rejected": ("Reject", "Rejected"), "undone": ("Undo", "Undone")}
NO_ORDERS = "Chart entries are prepared and decided elsewhere on this installation."


Act = Callable[[Orders], Awaitable[Receipt]]


class Decisions:
    """Acts on the ledger alone, so that it does not matter which door a decision comes through."""

    def __init__(self, store: Store, orders: Orders | None) -> None:
        self.store = store
        self._desk = orders

    async def approve(self, id_: str, decision: Decision) -> Receipt:
        """Write what the card says. Saying it again gives the same receipt."""
        return await self._decided(id_, "approve", decision, lambda desk: desk.approve(id_, decision))

    async def reject(self, id_: str, decision: Decision) -> Receipt:
        return await self._decided(id_, "reject", decision, lambda desk: desk.reject(id_, decision))

    async def undo(self, id_: str, decision: Decision) -> Receipt:
        """Mark as entered in error what was written."""
        return await self._decided(id_, "undo", decision, lambda desk: desk.undo(id_, decision))

    async def settle(self, *, seconds: float = 5.0) -> tuple[Receipt, ...]:
        """After a crash: carry out or look up what was left, and note the receipts that their sessions lack."""
        if self._desk is None:
            return ()
        receipts = await self._desk.reconcile(seconds=seconds)
        for row in await self._desk.ledger.unnoted():
            await self._noted(self._desk, row.id)
        return receipts

    async def _decided(self, id_: str, why: str, decision: Decision, act: Act) -> Receipt:
        desk = self._desk
        if desk is None:
            raise UnknownId(NO_ORDERS)
        card = (await desk.get(id_)).card
        with acting(Purpose(who=decision.who, why=why, session_id=card.session_id, turn_id=card.turn_id)):
            made = await act(desk)
            await self._noted(desk, id_)
        return made

    async def _noted(self, desk: Orders, id_: str) -> None:
        """The chart has it: that its session cannot show it now keeps nobody else waiting. `settle` tries again."""
        try:
            await self._note(desk, await desk.get(id_))
        except DocGemmaError as error:
            log.warning("a receipt could not be noted in its session yet: %s", type(error).__name__)

    async def _note(self, desk: Orders, row: Row) -> None:
        """Once, under an id of its own: a second try finds it there."""
        if row.state not in ("written", "differs", "refused", "rejected", "undone") or row.noted:
            return
        told = row.receipt or receipt_of(row, row.state, row.updated_at)
        if row.card.session_id:
            turn_id = f"{row.id}-{row.state}"
            record = _record(row, told, turn_id)
            with contextlib.suppress(UnknownId):  # the session is gone, and nobody will look for it there
                await self.store.append_turn(row.card.session_id, turn_id, record.model_dump(mode="json"))
        await desk.ledger.noted(row.id, receipt=row.receipt)


def _record(row: Row, told: Receipt, turn_id: str) -> TurnRecord:
    """A turn by a person: what was decided, and what the chart shows since."""
    draft, tool = row.card.draft, TOOLS[row.card.draft.kind]
    label = REGISTRY[tool].label
    said, done = _SAID.get(row.state, ("Approve", "Approved"))
    call = ToolCall(
        tool=tool,
        label=label,
        args=arguments_of(draft),
        status=_STATUS.get(row.state, "unavailable"),
        origin="ehr",
        attempts=max(1, row.attempts),
    )
    return TurnRecord(
        id=turn_id,
        turn_id=turn_id,
        session_id=row.card.session_id,
        created_at=told.at,
        model="person",
        query=f"{said} the prepared entry {row.id}.",
        patient=Patient(id=draft.patient_id, banner=row.card.banner),
        tool_calls=(call,),
        outcome="answer",
        receipt=told.model_dump(mode="json"),
        response=told.text,
        confidence="high" if row.state in ("written", "undone", "rejected") else "low",
        timeline=(
            TimelineStep(step="decision", label=f"{done} by a person", by="person"),
            TimelineStep(step="ledger", label="What the record system shows", detail=row.state),
        ),
    )
