"""What a search parameter sees in a resource: the elements it looks at, as words, tokens or references.

Stored resources were checked when they were written, yet nothing here may fail on an odd one: an element of the
wrong shape is one that is not found.
"""

from __future__ import annotations

import re
from typing import Any

from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.searches.parameters import Parameter

_SPOKEN = (
    "text", "family", "given", "prefix", "suffix",
    "line", "city", "district", "state", "postalCode", "country",
)  # fmt: skip
_LOCAL = re.compile(r"([A-Z][A-Za-z]{1,63}/[A-Za-z0-9\-.]{1,64})(?:/_history/[A-Za-z0-9\-.]{1,64})?")


def values(resource: Resource, parameter: Parameter) -> list[Any]:
    """Every element that the parameter looks at."""
    found: list[Any] = []
    for path in parameter.paths:
        level: list[Any] = [resource]
        for step in path:
            level = [one for parent in level if isinstance(parent, dict) for one in _listed(parent.get(step))]
        found += level
    if parameter.only is not None:
        field, wanted = parameter.only
        found = [one for one in found if isinstance(one, dict) and one.get(field) == wanted]
    return found


def texts(value: Any) -> list[str]:
    """The plain strings of a string, a name of a person or an address."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, dict):
        return []
    return [one for field in _SPOKEN for one in _listed(value.get(field)) if isinstance(one, str)]


def tokens(value: Any) -> list[tuple[str | None, str]]:
    """System and code of a coding, a concept, an identifier, a contact, a code or a flag.

    A plain code has its system in FHIR's definition, not in the resource: it is None here and any system is right.
    """
    if isinstance(value, bool):
        return [(None, "true" if value else "false")]
    if isinstance(value, str):
        return [(None, value)]
    if not isinstance(value, dict):
        return []
    if "coding" in value:
        return [token for coding in _listed(value["coding"]) for token in tokens(coding)]
    code = value.get("code", value.get("value"))
    system = value.get("system")
    return [(system if isinstance(system, str) else "", code)] if isinstance(code, str) else []


def labels(value: Any) -> list[str]:
    """What a person reads of a token: the text of a concept, the display of its codings."""
    if not isinstance(value, dict):
        return []
    mine = [value.get("text"), value.get("display")]
    inner = [label for coding in _listed(value.get("coding")) for label in labels(coding)]
    return [label for label in (*mine, *inner) if isinstance(label, str)]


def flagged(found: list[Any]) -> bool:
    """A choice of a flag and a date: the date says yes as well."""
    return any(one is True or isinstance(one, str) for one in found)


def referred(value: Any) -> str | None:
    """Where a reference leads, as written; None for one that only names an identifier."""
    reference = value.get("reference") if isinstance(value, dict) else value
    return reference if isinstance(reference, str) else None


def local(reference: str) -> str | None:
    """`Kind/id` of a reference to this server, without a version; None for one that leads elsewhere."""
    found = _LOCAL.fullmatch(reference)
    return found[1] if found else None


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
