"""Whose chart a resource belongs to, and what it refers to outside of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from docgemma.ehr.contract import Resource

_USUAL = ("subject", "patient")
_SPECIAL = {
    "Account": ("subject",),
    "Appointment": ("participant.actor",),
    "AuditEvent": ("agent.who", "entity.what"),
    "Coverage": ("beneficiary",),
    "CoverageEligibilityRequest": ("patient",),
    "EnrollmentRequest": ("candidate",),
    "ResearchSubject": ("individual",),
    "Schedule": ("actor",),
    "Task": ("for",),
}
_ABOUT_PATIENT = re.compile(r"Patient/([A-Za-z0-9\-.]{1,64})(?:/_history/[A-Za-z0-9\-.]{1,64})?")
_TARGET = re.compile(r"([A-Z][A-Za-z]{1,63})/([A-Za-z0-9\-.]{1,64})(?:/_history/[A-Za-z0-9\-.]{1,64})?")

_OUTSIDE = (
    "Practitioner", "PractitionerRole", "Organization", "OrganizationAffiliation", "Location", "HealthcareService",
    "Medication", "Device", "Substance", "Endpoint", "Questionnaire", "PlanDefinition", "ActivityDefinition", "Binary",
)  # fmt: skip
_OUTWARD = re.compile(rf'"reference":"((?:{"|".join(_OUTSIDE)})/[A-Za-z0-9\-.]{{1,64}})[/"]')

HomeOf = Callable[[str, str], str]
"""The patient of a resource that is already stored, by kind and id; empty when it has none."""


def patient_of(resource: Resource, home_of: HomeOf) -> str:
    """The id of the patient this is about, or nothing.

    What names several patients belongs to none of their charts: shown in one of them it would disclose the others.
    """
    kind = resource["resourceType"]
    if kind == "Patient":
        return str(resource["id"])
    if kind == "Provenance":
        return _only(_homes(resource, home_of))
    return _only(_named(resource, _SPECIAL.get(kind, _USUAL)))


def refs_of(text: str) -> tuple[str, ...]:
    """What a resource refers to outside its patient's chart, each once, from its JSON text.

    The text is written by us without spaces, and a quote inside a string is escaped there: the pattern cannot match
    anything but a real reference.
    """
    return tuple(dict.fromkeys(_OUTWARD.findall(text)))


def _named(resource: Resource, paths: tuple[str, ...]) -> Iterator[str]:
    for path in paths:
        for reference in _references(resource, path.split(".")):
            match = _ABOUT_PATIENT.fullmatch(reference)
            if match:
                yield match[1]


def _homes(provenance: Resource, home_of: HomeOf) -> Iterator[str]:
    for reference in _references(provenance, ["target"]):
        match = _TARGET.fullmatch(reference)
        if match:
            yield match[2] if match[1] == "Patient" else home_of(match[1], match[2])


def _references(value: Any, path: list[str]) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _references(each, path)
    elif isinstance(value, dict):
        if path:
            yield from _references(value.get(path[0]), path[1:])
        elif isinstance(value.get("reference"), str):
            yield value["reference"]


def _only(patients: Iterator[str]) -> str:
    distinct = {patient for patient in patients if patient}
    return distinct.pop() if len(distinct) == 1 else ""
