"""An allergy as an AllergyIntolerance: active, and unconfirmed, because a record of what was said confirms nothing."""

from __future__ import annotations

from docgemma.ehr.contract import Resource
from docgemma.orders.model import Allergy, Row
from docgemma.orders.resources.medication_request import medicine
from docgemma.orders.resources.parts import HL7, approved, coded, common, patient, person, remarks

CLINICAL = f"{HL7}allergyintolerance-clinical"
VERIFICATION = f"{HL7}allergyintolerance-verification"


def allergy_intolerance(row: Row, draft: Allergy) -> Resource:
    """Whether it is an allergy or an intolerance is left open: `type` is not stated."""
    decision, when = approved(row)
    entry: Resource = {
        "resourceType": "AllergyIntolerance",
        **common(row),
        "clinicalStatus": coded(CLINICAL, "active"),
        "verificationStatus": coded(VERIFICATION, "unconfirmed"),
        "code": medicine(draft.substance, draft.ingredients, draft.rxnorm),
        "patient": patient(draft.patient_id),
        "recordedDate": when,
        "recorder": person(decision.who),
    }
    if draft.category:
        entry["category"] = [draft.category]
    if draft.criticality:
        entry["criticality"] = draft.criticality
    notes = remarks(row.card, decision, when)
    if draft.reaction == "unknown":
        notes.insert(0, {"authorString": decision.who, "time": when, "text": _unknown(draft)})
    else:
        entry["reaction"] = [_reaction(draft)]
    if notes:
        entry["note"] = notes
    return entry


def _reaction(draft: Allergy) -> Resource:
    grade = {"severity": draft.severity} if draft.severity else {}
    return {"manifestation": [{"text": draft.reaction}], **grade}


def _unknown(draft: Allergy) -> str:
    """Without a manifestation FHIR has no place for the severity."""
    return "Reaction: unknown." + (f" Severity as stated: {draft.severity}." if draft.severity else "")
