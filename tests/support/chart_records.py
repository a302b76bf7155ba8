"""Small records for chart tests: resources with as much in them as a test needs, and a way to read one section."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from docgemma.ehr.chart.model import Projection, Topic, headings
from docgemma.ehr.chart.projection import project
from docgemma.ehr.contract import Gap, Record, Resource

TODAY = date(2026, 10, 1)
SNOMED = "http://snomed.info/sct"
_PLENTY = 100_000


def record(*resources: Resource, gaps: tuple[Gap, ...] = (), strangers: int = 0, **patient: Any) -> Record:
    """The patient is a woman born in 1971, unless told otherwise."""
    kinds: dict[str, list[Resource]] = {}
    for number, resource in enumerate(resources):
        resource.setdefault("id", f"r{number}")
        kinds.setdefault(resource["resourceType"], []).append(resource)
    person = {"resourceType": "Patient", "id": "p1", "gender": "female", "birthDate": "1971-03-05", **patient}
    return Record(person, {kind: tuple(listed) for kind, listed in kinds.items()}, gaps, strangers)


def lines(
    what: Record | Resource, topic: Topic, question: str = "", *, today: date = TODAY, budget: int = _PLENTY
) -> tuple[str, ...]:
    """The lines of one section; none when it is not there."""
    chart = project(what if isinstance(what, Record) else record(what), question, today=today, budget=budget)
    return lines_of(chart, topic)


def lines_of(chart: Projection, topic: Topic) -> tuple[str, ...]:
    return next((section.entries for section in chart.sections if section.title == headings()[topic].title), ())


def concept(text: str = "", *, code: str = "", system: str = SNOMED, display: str = "") -> Resource:
    coding = [{"system": system, "code": code, **({"display": display} if display else {})}] if code else []
    return {**({"text": text} if text else {}), **({"coding": coding} if coding else {})}


def status(code: str) -> Resource:
    return {"coding": [{"code": code}]}


def allergy(
    name: str | Resource = "Penicillin", clinical: str = "active", verified: str = "confirmed", **more: Any
) -> Resource:
    return {
        "resourceType": "AllergyIntolerance",
        "clinicalStatus": status(clinical),
        "verificationStatus": status(verified),
        "code": concept(name) if isinstance(name, str) else name,
        **more,
    }


def order(drug: str = "Metformin 500 mg tablet", state: str = "active", **more: Any) -> Resource:
    return {
        "resourceType": "MedicationRequest",
        "status": state,
        "intent": "order",
        "medicationCodeableConcept": concept(drug),
        "authoredOn": "2026-02-03",
        **more,
    }


def condition(name: str = "Asthma", clinical: str = "active", verified: str = "confirmed", **more: Any) -> Resource:
    return {
        "resourceType": "Condition",
        "clinicalStatus": status(clinical),
        "verificationStatus": status(verified),
        "code": concept(name),
        "onsetDateTime": "2011-05-06",
        **more,
    }


def quantity(value: str, unit: str = "", comparator: str = "") -> Resource:
    return {
        "value": Decimal(value),
        **({"unit": unit, "code": unit} if unit else {}),
        **({"comparator": comparator} if comparator else {}),
    }


def observation(name: str, on: str, category: str = "laboratory", state: str = "final", **more: Any) -> Resource:
    return {
        "resourceType": "Observation",
        "status": state,
        "category": [{"coding": [{"code": category}]}],
        "code": concept(name),
        "effectiveDateTime": on,
        **more,
    }


def lab(name: str, value: str, unit: str, on: str, **more: Any) -> Resource:
    return observation(name, on, valueQuantity=quantity(value, unit), **more)


def vital(name: str, value: str, unit: str, on: str, **more: Any) -> Resource:
    return observation(name, on, "vital-signs", valueQuantity=quantity(value, unit), **more)
