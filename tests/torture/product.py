"""The desk under torture: the program as it ships, with steps put around what it does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from docgemma.audit.log import AuditLog
from docgemma.clinical import Purpose, acting
from docgemma.config import Settings
from docgemma.ehr.client.client import FhirClient
from docgemma.errors import Conflict
from docgemma.orders import drafting
from docgemma.orders.ledger.ledger import Ledger
from docgemma.orders.model import Decision, Draft, Receipt
from docgemma.store.sessions import Store
from docgemma.wiring.app import App, open_app
from tests.torture.killing import Killer, install
from tests.torture.messages import Desk, Job, Order, Work

WHO = "torture"
STEPS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (Ledger, ("propose", "decide", "claim", "settle", "begin_undo", "noted")),
    (FhirClient, ("transact", "identified", "read", "record")),
    (AuditLog, ("extend",)),
    (Store, ("append_turn",)),
)
"""`extend` is inside the ledger's own transaction: a death there must leave neither the change nor its audit row."""

_DECISION = Decision(
    who=WHO,
    may_prescribe=True,
    acknowledged=True,
    override="benefit outweighs the risk here",
    reason="entered for the wrong visit",
)


@asynccontextmanager
async def product(work: Work, killer: Killer) -> AsyncIterator[Desk]:
    """The program as it ships, with steps at which it can die."""
    install(killer, STEPS)
    async with open_app(Settings(**work.settings)) as app:
        yield _Product(app)


class _Product:
    def __init__(self, app: App) -> None:
        self._app = app

    async def settle(self) -> str:
        settled = await self._app.sessions.settle()
        return str(len(settled))

    async def do(self, job: Job) -> Receipt | str:
        sessions, id_ = self._app.sessions, job.order.id
        match job.verb:
            case "propose":
                return await self._propose(job.order)
            case "approve":
                return await sessions.approve(id_, _DECISION)
            case "reject":
                return await sessions.reject(id_, _DECISION)
            case "undo":
                return await sessions.undo(id_, _DECISION)

    async def _propose(self, order: Order) -> str:
        with suppress(Conflict):  # from an attempt that died
            await self._app.store.create_session(WHO, session_id=order.session)
        with acting(Purpose(who=WHO, why="turn", session_id=order.session)):
            return (await self._app.orders.propose(draft_of(order))).id


def draft_of(order: Order) -> Draft:
    """What is asked for; no two are alike."""
    draft: Draft | drafting.Unclear
    match order.kind:
        case "prescription":
            draft = drafting.prescription(order.patient, "metformin", "500 mg", "twice daily", f"case {order.number}")
        case "allergy":
            draft = drafting.allergy(order.patient, "penicillin", f"rash after {order.number} days", "mild")
        case "note":
            draft = drafting.note(order.patient, "progress note", f"Seen in room {order.number}. Feels better.")
    if isinstance(draft, drafting.Unclear):
        raise ValueError(draft.question)
    return draft
