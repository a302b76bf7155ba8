"""Where a resource points to: made relative before it is stored, and checked to lead somewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import Issue
from docgemma.ehr.embedded.searches.elements import local

Exists = Callable[[str, str], bool]


def holders(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a resource that holds a reference."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if isinstance(one.get("reference"), str):
                yield one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def resolve(resource: Resource, base: str, known: Mapping[str, str]) -> None:
    """Replace, in place, addresses that are known under another name, and those under our own base."""
    for holder in holders(resource):
        written = holder["reference"]
        if written in known:
            holder["reference"] = known[written]
        elif base and written.startswith(f"{base}/"):
            holder["reference"] = written[len(base) + 1 :]


def dangling(resource: Resource, exists: Exists) -> list[Issue]:
    """References that lead nowhere. What lies on another server cannot be known from here, and is let through."""
    lost = [holder for holder in holders(resource) if not _leads(holder["reference"], exists)]
    kind = str(resource.get("resourceType"))
    return [Issue("not-found", "This reference leads to nothing here.", _where(resource, one, kind)) for one in lost]


def _leads(reference: str, exists: Exists) -> bool:
    if reference.startswith(("#", "http://", "https://", "urn:oid:")):
        return True
    place = local(reference)
    if place is None:
        return False
    kind, _, id_ = place.partition("/")
    return exists(kind, id_)


def _where(value: Any, holder: dict[str, Any], path: str) -> str:
    """The path to this very object; built only for one that is at fault."""
    if value is holder:
        return path
    inner: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inner = [(f"{path}.{name}", one) for name, one in value.items()]
    elif isinstance(value, list):
        inner = [(f"{path}[{index}]", one) for index, one in enumerate(value)]
    return next((found for name, one in inner if (found := _where(one, holder, name))), "")
