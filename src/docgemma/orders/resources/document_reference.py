"""A note as a DocumentReference with its text inside, in the words that were approved."""

from __future__ import annotations

import base64

from docgemma.ehr.contract import Resource
from docgemma.orders.model import Note, Row
from docgemma.orders.note_types import DISPLAYS
from docgemma.orders.note_types import SYSTEM as LOINC
from docgemma.orders.resources.parts import approved, common, patient, person, remarks

CATEGORY: Resource = {
    "coding": [
        {
            "system": "http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category",
            "code": "clinical-note",
            "display": "Clinical Note",
        }
    ]
}
CONTENT_TYPE = "text/plain; charset=utf-8"


def document_reference(row: Row, draft: Note) -> Resource:
    """Final when the approver may sign for it, else preliminary."""
    decision, when = approved(row)
    said = [note["text"] for note in remarks(row.card, decision, when)]
    if draft.by_model:
        said.insert(0, f"Drafted by a language model, read and approved by {decision.who}.")
    entry: Resource = {
        "resourceType": "DocumentReference",
        **common(row),
        "status": "current",
        "docStatus": "final" if decision.may_prescribe else "preliminary",
        "type": _type(draft),
        "category": [CATEGORY],
        "subject": patient(draft.patient_id),
        "date": when,
        "author": [person(decision.who)],
        "content": [{"attachment": _attachment(draft, when)}],
    }
    if said:
        entry["description"] = " ".join(said)
    return entry


def _type(draft: Note) -> Resource:
    concept: Resource = {"text": draft.note_type}
    if draft.loinc:
        concept["coding"] = [{"system": LOINC, "code": draft.loinc, "display": DISPLAYS[draft.loinc]}]
    return concept


def _attachment(draft: Note, when: str) -> Resource:
    data = base64.b64encode(draft.text.encode()).decode()
    return {"contentType": CONTENT_TYPE, "data": data, "title": draft.note_type, "creation": when}
