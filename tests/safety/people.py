"""People for orders: as healthy as can be, or with the one thing in their chart that a test is about."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from zlib import crc32

Resource = dict[str, Any]


def days_ago(days: int) -> str:
    return (date.today() - timedelta(days=days)).isoformat()


def person(id_: str, given: str, family: str, *, sex: str = "male", age: int = 45) -> Resource:
    born = f"{date.today().year - age}-01-01"
    number = {"type": {"coding": [{"code": "MR"}]}, "system": "urn:test:mrn", "value": f"9{crc32(id_.encode())}"}
    return {
        "resourceType": "Patient",
        "id": id_,
        "active": True,
        "identifier": [number],
        "name": [{"use": "official", "given": [given], "family": family}],
        "gender": sex,
        "birthDate": born,
    }


def no_allergies(who: str) -> Resource:
    return allergy(who, "No known allergy")


def allergy(who: str, text: str, id_: str = "a1", **more: Any) -> Resource:
    known = {"No known allergy": {"coding": [{"system": "http://snomed.info/sct", "code": "716186003"}]}}.get(text, {})
    return {
        "resourceType": "AllergyIntolerance",
        "id": f"{who}-{id_}",
        "clinicalStatus": {
            "coding": [
                {"system": "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical", "code": "active"}
            ]
        },
        "verificationStatus": {
            "coding": [
                {"system": "http://terminology.hl7.org/CodeSystem/allergyintolerance-verification", "code": "confirmed"}
            ]
        },
        "patient": {"reference": f"Patient/{who}"},
        "code": {**known, "text": text},
        **more,
    }


def medicine(who: str, text: str, id_: str = "m1") -> Resource:
    return {
        "resourceType": "MedicationRequest",
        "id": f"{who}-{id_}",
        "status": "active",
        "intent": "order",
        "subject": {"reference": f"Patient/{who}"},
        "medicationCodeableConcept": {"text": text},
        "authoredOn": days_ago(30),
    }


def measured(who: str, loinc: str, name: str, value: float, unit: str, *, days: int = 3) -> Resource:
    return {
        "resourceType": "Observation",
        "id": f"{who}-{loinc}",
        "status": "final",
        "code": {"coding": [{"system": "http://loinc.org", "code": loinc}], "text": name},
        "subject": {"reference": f"Patient/{who}"},
        "effectiveDateTime": days_ago(days),
        "valueQuantity": {
            "value": value,
            "unit": unit,
            "system": "http://unitsofmeasure.org",
            "code": unit,
        },
    }


def creatinine(who: str, value: float) -> Resource:
    return measured(who, "2160-0", "Creatinine", value, "mg/dL")


def weight(who: str, value: float) -> Resource:
    return measured(who, "29463-7", "Body weight", value, "kg")


ANN, BEN = "ann-101", "ben-202"


def adults() -> list[Resource]:
    """Two people without anything that an ordinary order would be stopped by."""
    found = [person(ANN, "Ann", "Leeway", sex="female", age=58), person(BEN, "Ben", "Ashdown", age=47)]
    for who in (ANN, BEN):
        found += [no_allergies(who), creatinine(who, 0.9), weight(who, 72)]
    return found
