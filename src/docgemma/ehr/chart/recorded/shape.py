"""Fields of a resource as they should be, whatever a server sent: a wrong shape reads as nothing and never raises."""

from __future__ import annotations

import re
from typing import Any

Node = dict[str, Any]
_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")


def node(value: object) -> Node:
    """One object. Where a server sent a list of one kind, its first object counts."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return next((part for part in value if isinstance(part, dict)), {})
    return {}


def nodes(value: object) -> list[Node]:
    """Several objects; a lone one where several belong counts as one."""
    if isinstance(value, list):
        return [part for part in value if isinstance(part, dict)]
    return [value] if isinstance(value, dict) else []


def listed(value: object) -> list[object]:
    """A list as it is; anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def code(value: object) -> str:
    """A code in lower case; empty for anything that is none."""
    return value.strip().lower() if isinstance(value, str) else ""


def codes(value: object) -> list[str]:
    """Several codes, or one where several belong."""
    return [known for known in map(code, listed(value)) if known]


def identity(resource: Node) -> str:
    """`Kind/id`, which may stand in any text: it names no person. Empty for an id that FHIR does not allow."""
    kind, id_ = resource.get("resourceType"), resource.get("id")
    return f"{kind}/{id_}" if isinstance(id_, str) and _ID.fullmatch(id_) else ""
