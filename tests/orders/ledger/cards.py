"""Cards and decisions to put into a ledger."""

from __future__ import annotations

from typing import Any

from docgemma.orders.ledger.ledger import Ledger, Place
from docgemma.orders.model import Allergy, Card, Check, Decision, Draft, Note, Prescription, Receipt, Row, State

YES = Decision(who="dr.lee", may_prescribe=True)
NO = Decision(who="dr.lee", reason="another plan")
LIES = Place("MedicationRequest", "m1", "3")


def prescription(patient: str = "p1") -> Prescription:
    return Prescription(
        patient_id=patient,
        medication="metformin",
        ingredients=("metformin",),
        dose="500 mg",
        frequency="twice daily",
        route="by mouth",
    )


def allergy(patient: str = "p1") -> Allergy:
    return Allergy(patient_id=patient, substance="penicillin", reaction="rash", severity="mild")


def note(patient: str = "p1", text: str = "Seen today.\nWell.") -> Note:
    return Note(patient_id=patient, note_type="progress note", text=text)


def card(number: int = 0, draft: Draft | None = None, **fields: Any) -> Card:
    """Another number is another card."""
    given: dict[str, Any] = {
        "draft": draft or prescription(),
        "banner": "Ann Lee, 1950-02-03",
        "text": "Metformin 500 mg by mouth twice daily",
        "checks": (Check(name="dose", outcome="passed", detail="within 2550 mg a day", basis="rule"),),
        "version": f"v{number}",
        "created_at": "2026-03-01T12:00:00.000000+00:00",
        "expires_at": "2026-03-01T13:00:00.000000+00:00",
        "proposed_by": "dr.lee",
        "via": "turn",
        "session_id": "s1",
        "turn_id": "t1",
    }
    return Card(**(given | fields))


def receipt(row: Row, status: State = "written", text: str = "Written to the chart and read back.") -> Receipt:
    return Receipt(order_id=row.id, status=status, text=text, kind=row.card.draft.kind, by="dr.lee")


async def written(ledger: Ledger, number: int = 0) -> Row:
    """An order that has gone all the way."""
    row = await ledger.propose(card(number))
    await ledger.decide(row.id, "approved", YES)
    assert await ledger.claim(row.id, "w", 60) is not None
    return await ledger.settle(row.id, "w", "written", receipt=receipt(row), place=LIES)
