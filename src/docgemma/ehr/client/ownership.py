"""Whose a resource is. Servers have been seen to ignore a search's patient and to answer with everybody's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docgemma.ehr.contract import Resource

SUPPORTING = frozenset({"Medication", "Practitioner", "PractitionerRole", "Organization", "Location"})
"""Kinds that belong to no patient. One is part of a record only when something of the patient refers to it."""

_OWNERS = ("subject", "patient", "beneficiary")
_REFERENCE = re.compile(
    r"(?:(?P<base>.+)/)?(?P<kind>[A-Z][A-Za-z]{1,63})/(?P<id>[A-Za-z0-9\-.]{1,64})(?:/_history/[A-Za-z0-9\-.]{1,64})?"
)


class Owner:
    """One patient, as resources refer to them: relative, absolute on this server, by version, or by urn."""

    def __init__(self, patient_id: str, bases: frozenset[str]) -> None:
        self.patient_id = patient_id
        self._bases = bases
        self._urn = f"urn:uuid:{patient_id}"

    def owns(self, resource: Resource) -> bool:
        """Every word on whose it is must name this patient, and there must be one: a guess is no owner."""
        if resource.get("resourceType") == "Patient":
            return resource.get("id") == self.patient_id
        named = [resource[name] for name in _OWNERS if name in resource]
        return bool(named) and all(self._is_me(one) for one in named)

    def is_about_another(self, resource: Resource) -> bool:
        """Says whose it is, and it is not this patient's. A resource of no patient is no stranger."""
        if resource.get("resourceType") == "Patient":
            return not self.owns(resource)
        return any(name in resource for name in _OWNERS) and not self.owns(resource)

    def _is_me(self, value: object) -> bool:
        reference = value.get("reference") if isinstance(value, dict) else None
        if not isinstance(reference, str):
            return False
        return reference == self._urn or local(reference, self._bases) == ("Patient", self.patient_id)


def local(reference: str, bases: frozenset[str]) -> tuple[str, str] | None:
    """Kind and id of what a reference means on this server; None when it is contained, a urn, or elsewhere."""
    match = _REFERENCE.fullmatch(reference)
    if match is None or (match["base"] is not None and match["base"] not in bases):
        return None
    return match["kind"], match["id"]


def references(value: object) -> Iterator[str]:
    """All references inside a resource, however deep."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            reference = one.get("reference")
            if isinstance(reference, str):
                yield reference
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def medications(resource: dict[str, Any]) -> Iterator[str]:
    """The drugs a resource names by reference instead of by code, and those a drug is made of."""
    named = [resource.get("medicationReference")]
    ingredients = resource.get("ingredient") if resource.get("resourceType") == "Medication" else None
    if isinstance(ingredients, list):
        named += [one.get("itemReference") for one in ingredients if isinstance(one, dict)]
    for one in named:
        if isinstance(one, dict) and isinstance(one.get("reference"), str):
            yield one["reference"]
