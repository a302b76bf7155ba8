"""Kinds of notes and their LOINC codes, as HL7's R4 value set of document types has them.

A kind without a code of its own goes under the general one, and keeps the user's words.
"""

from __future__ import annotations

from docgemma.entities.note_types import named_kind, note_type

SYSTEM = "http://loinc.org"
GENERAL = "34109-9"

DISPLAYS = {
    GENERAL: "Note",
    "11506-3": "Provider-unspecified Progress note",
    "11488-4": "Consult note",
    "18842-5": "Discharge summary",
    "28574-2": "Discharge note",
    "34117-2": "History and physical note",
    "67851-6": "Admission evaluation note",
    "28570-0": "Provider-unspecified Procedure note",
    "11504-8": "Provider-unspecified Operation note",
    "18761-7": "Provider-unspecified Transfer summary",
    "34746-8": "Nurse Note",
    "34748-4": "Telephone encounter Note",
    "34111-5": "Emergency department Note",
    "34821-9": "Pharmacy Note",
    "34108-1": "Outpatient Note",
}
"""The names that the value set gives them."""

_CODES = {
    "progress note": "11506-3",
    "consult note": "11488-4",
    "discharge summary": "18842-5",
    "discharge note": "28574-2",
    "history and physical": "34117-2",
    "history and physical note": "34117-2",
    "admission note": "67851-6",
    "procedure note": "28570-0",
    "operative note": "11504-8",
    "transfer summary": "18761-7",
    "nursing note": "34746-8",
    "telephone note": "34748-4",
    "emergency note": "34111-5",
    "pharmacy note": "34821-9",
    "outpatient note": "34108-1",
    "clinical note": GENERAL,
    "note": GENERAL,
}
"""Which code is meant by our names is an engineering proposal, not reviewed by a clinician."""


def read_note_type(text: str) -> tuple[str, str]:
    """The kind in standard words where there are some, else as it was said; and the code it goes under."""
    plain = " ".join(text.split())
    if plain.lower() in _CODES:
        return plain.lower(), _CODES[plain.lower()]
    alone = note_type(plain)
    if plain.lower().endswith(("note", "notes", "summary", "physical")):
        named = named_kind(plain) or plain
    else:
        named = alone.value if alone is not None and alone.text.lower() == plain.lower() else plain
    code = _CODES.get(named.lower(), GENERAL)
    narrower = plain.lower().endswith(f" {named.lower()}")  # "renal consult note": the speciality is not lost
    return (plain if narrower else named), code
