"""Charts to measure with: invented, each of 190 resources in about the mix and size of a Synthea patient's."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHART = 190
_SYLLABLES = ("ba", "cor", "dan", "el", "fir", "gol", "hu", "is", "jo", "kem", "lar", "mo", "nis", "or", "pa", "rin")
_EACH = {"Encounter": 28, "Procedure": 15, "Immunization": 12, "Condition": 7, "MedicationRequest": 5}
_SYSTEM = "urn:bench:codes"


def write(folder: Path, resources: int) -> list[str]:
    """One bundle a patient, until there are that many resources; the patients' names."""
    draw = random.Random(11)
    people = []
    for number in range(max(1, resources // CHART)):
        family = "".join(draw.choice(_SYLLABLES) for _ in range(4)).capitalize()
        given = draw.choice(_SYLLABLES).capitalize()
        entries = [{"resource": resource} for resource in _chart(number, given, family, draw)]
        bundle = {"resourceType": "Bundle", "type": "collection", "entry": entries}
        (folder / f"{number:06}.json").write_text(json.dumps(bundle))
        people.append(f"{given} {family}")
    return people


def patient_id(number: int) -> str:
    return f"bench-{number}"


def _chart(number: int, given: str, family: str, draw: random.Random) -> Iterator[dict[str, Any]]:
    patient, place = patient_id(number), f"Patient/{patient_id(number)}"
    yield {
        "resourceType": "Patient",
        "id": patient,
        "identifier": [{"system": "urn:bench:mrn", "value": f"MRN-{number:06}"}],
        "name": [{"use": "official", "family": family, "given": [given]}],
        "gender": draw.choice(("female", "male")),
        "birthDate": f"19{draw.randint(30, 99)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
    }
    count = 1
    for kind, many in _EACH.items():
        for _ in range(many):
            yield _entry(kind, f"{patient}-{count}", place, draw)
            count += 1
    for _ in range(CHART - count):
        yield _observation(f"{patient}-{count}", place, draw)
        count += 1


def _entry(kind: str, id_: str, place: str, draw: random.Random) -> dict[str, Any]:
    """What each kind needs to be valid R4, with a coded text around it."""
    about, code, day = {"reference": place}, _code(draw), _moment(draw)
    active = {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}]}
    visit = {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB"}
    own: dict[str, dict[str, Any]] = {
        "Encounter": {"status": "finished", "class": visit, "type": [code], "subject": about, "period": {"start": day}},
        "Procedure": {"status": "completed", "code": code, "subject": about, "performedDateTime": day},
        "Immunization": {"status": "completed", "vaccineCode": code, "patient": about, "occurrenceDateTime": day},
        "Condition": {"clinicalStatus": active, "code": code, "subject": about, "onsetDateTime": day},
        "MedicationRequest": {
            "status": "active", "intent": "order", "medicationCodeableConcept": code, "subject": about,
            "authoredOn": day,
        },
    }  # fmt: skip
    return {"resourceType": kind, "id": id_, **own[kind]}


def _observation(id_: str, place: str, draw: random.Random) -> dict[str, Any]:
    category = "http://terminology.hl7.org/CodeSystem/observation-category"
    return {
        "resourceType": "Observation",
        "id": id_,
        "status": "final",
        "category": [{"coding": [{"system": category, "code": "laboratory", "display": "laboratory"}]}],
        "code": _code(draw),
        "subject": {"reference": place},
        "effectiveDateTime": _moment(draw),
        "issued": _moment(draw),
        "valueQuantity": {"value": draw.randint(10, 999) / 10, "unit": "mmol/L"},
    }


def _code(draw: random.Random) -> dict[str, Any]:
    code = draw.randint(1000, 1400)
    text = f"What the bench calls finding number {code}, in words of about the usual length"
    return {"coding": [{"system": _SYSTEM, "code": str(code), "display": text}], "text": text}


def _moment(draw: random.Random) -> str:
    return f"20{draw.randint(10, 25)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}T09:30:00+01:00"
