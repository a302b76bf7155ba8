"""The orders desk over this installation's ledger, record system and drug sources."""

from __future__ import annotations

from docgemma.config import Settings
from docgemma.errors import DocGemmaError
from docgemma.orders.checks import OrderChecks
from docgemma.orders.desk import Orders
from docgemma.orders.ledger.ledger import Ledger
from docgemma.store.sessions import Store
from docgemma.tools.drugs import Drugs
from docgemma.wiring.records import Records


def build_orders(settings: Settings, store: Store, records: Records, drugs: Drugs, software: str) -> Orders:
    """`software` names program, model and prompts, as they are stamped on every entry."""

    async def about(session_id: str) -> str | None:
        try:
            patient = (await store.get_session(session_id)).patient
        except DocGemmaError:
            return None
        return patient.id if patient is not None and patient.confirmed else None

    return Orders(
        Ledger(store.database, records.log),
        records.ehr,
        records.writer,
        OrderChecks(drugs.checks),
        software=software,
        minutes=settings.card_minutes,
        about=about,
    )
