"""References: where one may point to. A reading of the chart follows them, so a wrong kind is refused at the door."""

from __future__ import annotations

import re

from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import IssueCode
from docgemma.ehr.validation.definitions import is_kind

_ID = r"[A-Za-z0-9\-.]{1,64}"
_LITERAL = re.compile(rf"(?P<base>https?://\S+/)?(?P<kind>[A-Z][A-Za-z]+)/{_ID}(?:/_history/{_ID})?")
_CONDITIONAL = re.compile(r"(?P<kind>[A-Z][A-Za-z]+)\?\S+")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:\S+")

Fault = tuple[IssueCode, str]


def fault_of(node: Resource, targets: frozenset[str] | None, local_ids: frozenset[str]) -> Fault | None:
    """What is wrong with a well-formed Reference: its form, or the kind of resource it points to."""
    reference = node.get("reference")
    if reference is None:
        return _kind_fault(node.get("type"), targets)
    if reference.startswith("#"):
        if reference == "#" or reference[1:] in local_ids:
            return None
        return "invariant", "breaks rule ref-1: a reference that starts with # must name a contained resource"
    found = _LITERAL.fullmatch(reference) or _CONDITIONAL.fullmatch(reference)
    if found is not None and (is_kind(found["kind"]) or not found.groupdict().get("base")):
        return _kind_fault(found["kind"], targets) or _type_fault(node.get("type"), found["kind"])
    if _ABSOLUTE.fullmatch(reference) is None:
        return "value", "must point to Kind/id, an absolute address, a urn or #id of a contained resource"
    return None


def _kind_fault(kind: str | None, targets: frozenset[str] | None) -> Fault | None:
    """A `type` may also be the address of a logical model, about which nothing is known."""
    if kind is None or ":" in kind:
        return None
    if not is_kind(kind):
        return "value", "must point to a resource type of FHIR R4"
    if targets is not None and kind not in targets and "Resource" not in targets:
        return "value", f"must point to one of: {', '.join(sorted(targets))}"
    return None


def _type_fault(stated: str | None, kind: str) -> Fault | None:
    if stated is not None and stated.rsplit("/", 1)[-1] != kind:
        return "value", "must state the same type as it points to"
    return None
