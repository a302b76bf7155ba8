"""Whose chart a resource belongs to, and what it refers to outside of it."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.ehr import fhir_json
from docgemma.ehr.embedded.storage.compartment import patient_of, refs_of

ME = {"reference": "Patient/me"}
YOU = {"reference": "Patient/you"}


def homes(kind: str, id_: str) -> str:
    return {"Observation/1": "me", "Observation/2": "you"}.get(f"{kind}/{id_}", "")


@pytest.mark.parametrize(
    ("resource", "owner"),
    [
        ({"resourceType": "Patient"}, "x"),
        ({"resourceType": "Observation", "subject": ME}, "me"),
        ({"resourceType": "Observation", "subject": {"reference": "Patient/me/_history/2"}}, "me"),
        ({"resourceType": "AllergyIntolerance", "patient": ME}, "me"),
        ({"resourceType": "Coverage", "beneficiary": ME, "policyHolder": YOU}, "me"),
        ({"resourceType": "Task", "for": ME, "owner": YOU}, "me"),
        (
            {"resourceType": "Appointment", "participant": [{"actor": {"reference": "Practitioner/1"}}, {"actor": ME}]},
            "me",
        ),
        ({"resourceType": "Provenance", "target": [{"reference": "Observation/1"}]}, "me"),
        ({"resourceType": "Provenance", "target": [{"reference": "Observation/1/_history/3"}, ME]}, "me"),
        ({"resourceType": "Provenance", "target": [{"reference": "Observation/9"}]}, ""),
        (
            {"resourceType": "Provenance", "target": [{"reference": "Observation/1"}, {"reference": "Observation/2"}]},
            "",
        ),
        ({"resourceType": "Account", "subject": [ME, YOU]}, ""),
        ({"resourceType": "Account", "subject": [ME, ME]}, "me"),
        ({"resourceType": "Observation", "subject": {"reference": "Group/me"}}, ""),
        ({"resourceType": "Observation", "subject": {"reference": "https://elsewhere.example/Patient/me"}}, ""),
        ({"resourceType": "Observation", "subject": {"reference": "#Patient/me"}}, ""),
        ({"resourceType": "Observation", "subject": {"display": "Patient/me"}}, ""),
        ({"resourceType": "Observation", "subject": "Patient/me", "patient": [7, None]}, ""),
        ({"resourceType": "Observation", "focus": [ME]}, ""),
        ({"resourceType": "Practitioner"}, ""),
    ],
)
def test_the_patient_it_is_about(resource: dict[str, Any], owner: str) -> None:
    assert patient_of({**resource, "id": "x"}, homes) == owner


def test_what_it_refers_to_outside_the_chart() -> None:
    resource = {
        "performer": [{"reference": "Practitioner/1"}, {"reference": "Organization/2/_history/4"}],
        "encounter": {"reference": "Encounter/3"},
        "subject": ME,
        "medicationReference": {"display": "x", "reference": "Medication/a.b-c"},
        "again": {"deep": [{"reference": "Practitioner/1"}]},
        "device": {"reference": "#Device/5"},
        "elsewhere": {"reference": "https://elsewhere.example/Practitioner/6"},
        "longer": {"reference": "PractitionerRole/7"},
        "note": '"reference":"Practitioner/8"',
    }
    assert refs_of(fhir_json.dumps(resource)) == (
        "Practitioner/1", "Organization/2", "Medication/a.b-c", "PractitionerRole/7",
    )  # fmt: skip
