"""Invented charts, small and many: enough to fill several pages of a database file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Resource = dict[str, Any]

_FAMILIES = ("Adeyemi", "Brandt", "Castañeda", "Duarte", "Eriksen", "Fofana", "Nguyễn", "Okafor", "Petrović", "Smith")
_GIVENS = ("Ana", "Binh", "Chidi", "Dagny", "Emre", "Freya", "Márta")


def patient(id_: str, family: str, given: str, *, mrn: str = "") -> Resource:
    return {
        "resourceType": "Patient",
        "id": id_,
        "identifier": [{"system": "urn:test:mrn", "value": mrn or f"MRN-{id_}"}],
        "name": [{"family": family, "given": [given]}],
        "gender": "unknown",
        "birthDate": "1970-01-01",
    }


def allergy(id_: str, patient_id: str, text: str) -> Resource:
    return {
        "resourceType": "AllergyIntolerance",
        "id": id_,
        "clinicalStatus": {"coding": [{"code": "active"}]},
        "code": {"text": text},
        "patient": {"reference": f"Patient/{patient_id}"},
        "recorder": {"reference": "Practitioner/doc-1"},
    }


def note(id_: str, patient_id: str, text: str) -> Resource:
    return {
        "resourceType": "ClinicalImpression",
        "id": id_,
        "status": "completed",
        "subject": {"reference": f"Patient/{patient_id}"},
        "assessor": {"reference": f"Practitioner/doc-{len(text) % 3}"},
        "summary": text,
    }


def chart(number: int) -> Iterator[Resource]:
    """One patient with allergies, observations and notes; every seventh note is longer than a page of the file."""
    id_ = f"p-{number:03}"
    yield patient(id_, _FAMILIES[number % len(_FAMILIES)], _GIVENS[number % len(_GIVENS)])
    for count in range(number % 3):
        yield allergy(f"{id_}-a{count}", id_, f"substance {number}.{count}")
    for count in range(6):
        yield {
            "resourceType": "Observation",
            "id": f"{id_}-o{count}",
            "status": "final",
            "code": {"text": "potassium"},
            "subject": {"reference": f"Patient/{id_}"},
            "valueQuantity": {"value": 3 + count, "unit": "mmol/L"},
        }
    yield note(f"{id_}-n", id_, f"seen on day {number}. " * (400 if number % 7 == 0 else 6))


def charts(count: int) -> Iterator[Resource]:
    for number in range(3):
        yield {"resourceType": "Practitioner", "id": f"doc-{number}", "name": [{"family": "Haddad"}]}
    for number in range(count):
        yield from chart(number)
