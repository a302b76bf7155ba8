"""Resources inside a resource: they have no life of their own, so they are referred to, flat, and without versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import IssueCode

Report = Callable[[IssueCode, str, str], None]


def check_contained(resource: Resource, path: str, report: Report) -> None:
    """Rules dom-2 to dom-5 of a resource whose contained ones are well-formed."""
    used = set(_local_references(resource)) - {"#"}
    for index, inner in enumerate(resource["contained"]):
        where = f"{path}.contained[{index}]"
        if "contained" in inner:
            report("invariant", where, "breaks rule dom-2: a contained resource contains no other")
        if f"#{inner.get('id', '')}" not in used and "#" not in _local_references(inner):
            report("invariant", where, "breaks rule dom-3: a contained resource must be referred to by its id")
        meta = inner.get("meta", {})
        if "versionId" in meta or "lastUpdated" in meta:
            report("invariant", where, "breaks rule dom-4: a contained resource has no versionId or lastUpdated")
        if "security" in meta:
            report("invariant", where, "breaks rule dom-5: a contained resource has no security label")


def _local_references(value: Any) -> Iterator[str]:
    """Every text that starts with #, wherever it stands: references, canonicals and addresses all count."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, str) and found.startswith("#"):
            yield found
