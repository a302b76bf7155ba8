"""Chart entries as the tools give them: a card that waits for a person, or exactly what is still missing."""

from __future__ import annotations

from typing import Any

from docgemma.clinical import ErrorType, purpose
from docgemma.ehr.contract import EhrError
from docgemma.errors import Unavailable, UnknownId
from docgemma.orders import drafting
from docgemma.orders.desk import Orders
from docgemma.orders.drafting import Unclear
from docgemma.orders.model import Allergy, Draft, Note, Prescription, Row
from docgemma.tools import arguments as a
from docgemma.tools import results as r

NOTHING = "Nothing was prepared or written."


class Entries:
    """Proposes, and never more: what is approved is approved elsewhere, by a person."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders

    async def prescribe(self, args: a.PrescribeMedicationArgs) -> r.Proposal:
        return await self._proposed(
            drafting.prescription(args.patient_id, args.medication_name, args.dosage, args.frequency, args.notes)
        )

    async def allergy(self, args: a.AddAllergyArgs) -> r.Proposal:
        return await self._proposed(drafting.allergy(args.patient_id, args.substance, args.reaction, args.severity))

    async def note(self, args: a.ClinicalNoteCall) -> r.Proposal:
        """Of another agent's text nobody knows that a person wrote it, so it does not say that."""
        outside = purpose.get().why == "mcp"
        return await self._proposed(drafting.note(args.patient_id, args.note_type, args.note_text, by_model=outside))

    async def _proposed(self, draft: Draft | Unclear) -> r.Proposal:
        if isinstance(draft, Unclear):
            return r.Proposal(
                status="invalid",
                error_type=draft.error_type,
                message=draft.question,
                missing=draft.missing,
                suggestions=draft.suggestions,
            )
        try:
            return _card(await self._orders.propose(draft))
        except UnknownId as error:
            return r.Proposal(status="not_found", error_type="not_found", origin="ehr", message=str(error))
        except Unavailable as error:
            kind: ErrorType = error.error_type if isinstance(error, EhrError) else "service_unavailable"
            said = str(error)
            message = said if NOTHING[:20] in said else f"{said} {NOTHING}"
            return r.Proposal(status="unavailable", error_type=kind, message=message)


def _card(row: Row) -> r.Proposal:
    card = row.card
    return r.Proposal(
        status="proposed",
        origin="ehr",
        demonstration=card.demonstration,
        approval_id=row.id,
        card=card.text,
        checks=card.checks,
        expires_at=card.expires_at,
        order=arguments_of(card.draft),
    )


def arguments_of(draft: Draft) -> dict[str, Any]:
    """The draft as the arguments of its tool, in standard words."""
    match draft:
        case Prescription():
            reason = f"for {draft.reason}" if draft.reason else ""
            notes = "; ".join(part for part in (draft.route, draft.duration, reason, draft.notes) if part)
            given = {
                "patient_id": draft.patient_id,
                "medication_name": draft.medication,
                "dosage": draft.dose,
                "frequency": draft.frequency,
                "notes": notes,
            }
        case Allergy():
            given = {
                "patient_id": draft.patient_id,
                "substance": draft.substance,
                "reaction": draft.reaction,
                "severity": draft.severity,
            }
        case Note():
            given = {"patient_id": draft.patient_id, "note_type": draft.note_type, "note_text": draft.text}
    return {name: value for name, value in given.items() if value}
