"""A prescription as a MedicationRequest: an order when the approver may prescribe, else a draft for one who may."""

from __future__ import annotations

from docgemma.drugs.rxnorm import SYSTEM as RXNORM
from docgemma.ehr.contract import Resource
from docgemma.orders.model import Prescription, Row
from docgemma.orders.resources.dosage import dispense_of, dosage_of
from docgemma.orders.resources.parts import approved, common, named, patient, person, remarks


def medication_request(row: Row, draft: Prescription) -> Resource:
    decision, when = approved(row)
    entry: Resource = {
        "resourceType": "MedicationRequest",
        **common(row),
        "status": "active" if decision.may_prescribe else "draft",
        "intent": "order",
        "medicationCodeableConcept": medicine(draft.medication, draft.ingredients, draft.rxnorm),
        "subject": patient(draft.patient_id),
        "authoredOn": when,
        "requester": person(decision.who),
        "recorder": person(decision.who),
        "dosageInstruction": [dosage_of(draft)],
    }
    if draft.reason:
        entry["reasonCode"] = [{"text": draft.reason}]
    if notes := remarks(row.card, decision, when):
        entry["note"] = notes
    if dispense := dispense_of(draft):
        entry["dispenseRequest"] = dispense
    return entry


def medicine(name: str, ingredients: tuple[str, ...], rxnorm: str) -> Resource:
    """In words, with the ingredient's code where it is verified."""
    concept: Resource = {"text": named(name, ingredients)}
    if rxnorm:
        concept["coding"] = [{"system": RXNORM, "code": rxnorm, "display": ingredients[0]}]
    return concept
