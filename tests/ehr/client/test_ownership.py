"""Whose a resource is, however a server writes it down."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.ehr.client.ownership import Owner

BASE = "https://fhir.example.org/R4"
OWNER = Owner("p1", frozenset({BASE}))


def about(**elements: object) -> dict[str, Any]:
    named = {name: {"reference": value} if isinstance(value, str) else value for name, value in elements.items()}
    return {"resourceType": "Condition", "id": "c1", **named}


@pytest.mark.parametrize(
    ("resource", "hers"),
    [
        (about(subject="Patient/p1"), True),
        (about(subject="Patient/p1", patient="Patient/p1"), True),
        (about(subject=f"{BASE}/Patient/p1/_history/9"), True),
        (about(subject="Patient/p1", patient="Patient/p2"), False),
        (about(subject="Patient/p2", patient="Patient/p1"), False),
        (about(subject="Patient/p1", beneficiary={"display": "somebody"}), False),
        (about(subject="Patient/p1/../p2"), False),
        (about(subject="Patient/p2/../p1"), False),
        (about(subject="http://evil.example/Patient/p1"), False),
        (about(subject=f"{BASE}.evil.example/Patient/p1"), False),
        (about(subject=f"{BASE}/x/Patient/p1"), False),
        (about(subject="patient/p1"), False),
        (about(subject="Patient/P1"), False),
        (about(subject="Patient/p1 "), False),
        (about(subject="#p1"), False),
        (about(subject=[{"reference": "Patient/p1"}]), False),
        (about(subject={"identifier": {"value": "p1"}}), False),
        (about(), False),
        ({"resourceType": "Patient", "id": "p1"}, True),
        ({"resourceType": "Patient", "id": "p2", "subject": {"reference": "Patient/p1"}}, False),
    ],
)
def test_every_word_on_whose_it_is_names_her(resource: dict[str, Any], hers: bool) -> None:
    assert OWNER.owns(resource) is hers
