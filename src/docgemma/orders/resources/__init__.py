"""What is written to a chart, as FHIR R4: built from an approved card alone, and compared with what came of it."""

from __future__ import annotations

import uuid

from docgemma.ehr.contract import Change, Resource
from docgemma.orders.model import Allergy, Kind, Note, Prescription, Row
from docgemma.orders.resources.allergy_intolerance import allergy_intolerance
from docgemma.orders.resources.comparing import differences
from docgemma.orders.resources.document_reference import document_reference
from docgemma.orders.resources.medication_request import medication_request
from docgemma.orders.resources.parts import ORDER_SYSTEM
from docgemma.orders.resources.provenance import created
from docgemma.orders.resources.undoing import is_undone, undo_changes

__all__ = ["KINDS", "ORDER_SYSTEM", "changes_of", "differences", "is_undone", "resource_of", "undo_changes"]

KINDS: dict[Kind, str] = {
    "prescription": "MedicationRequest",
    "allergy": "AllergyIntolerance",
    "note": "DocumentReference",
}


def resource_of(row: Row) -> Resource:
    """The entry, complete: the same row always gives the same entry."""
    match row.card.draft:
        case Prescription() as draft:
            return medication_request(row, draft)
        case Allergy() as draft:
            return allergy_intolerance(row, draft)
        case Note() as draft:
            return document_reference(row, draft)


def changes_of(row: Row) -> tuple[Change, ...]:
    """The entry and who stands behind it, in one transaction; neither is created where it is there already."""
    full_url = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{ORDER_SYSTEM}|{row.id}')}"
    condition = f"{ORDER_SYSTEM}|{row.id}"
    return (
        Change(resource_of(row), full_url=full_url, if_none_exist=f"identifier={condition}"),
        Change(created(row, full_url), if_none_exist=f"_tag={condition}"),
    )
