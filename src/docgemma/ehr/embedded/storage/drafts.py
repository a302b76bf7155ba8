"""A resource on its way into the store: what may be written, and the text it becomes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import FhirFault, Issue, Stored

_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}")
_KIND = re.compile(r"[A-Z][A-Za-z]{1,63}")
_OURS = ("versionId", "lastUpdated")


def is_name(kind: str, id_: str = "x") -> bool:
    """Whether there can be such a resource at all. What cannot never reaches the database."""
    return _KIND.fullmatch(kind) is not None and _ID.fullmatch(id_) is not None


@dataclass(frozen=True, slots=True)
class Draft:
    """A resource in the pieces around its version and time, so that it is turned into text only once."""

    kind: str
    id: str
    resource: Resource
    meta: str
    rest: str

    def body(self, version: int, updated: str) -> str:
        return (
            f'{{"resourceType":"{self.kind}","id":"{self.id}",'
            f'"meta":{{"versionId":"{version}","lastUpdated":"{updated}"{self.meta}}}{self.rest}'
        )

    def says_the_same_as(self, stored: Stored) -> bool:
        """Whether writing this would change nothing. The order of fields says nothing; the digits of a number do."""
        if self.body(stored.version, stored.updated) == stored.body:
            return True
        return _canonical(self.resource) == _canonical(fhir_json.loads(stored.body))


def draft(resource: Resource) -> Draft:
    """Refuses what has no proper kind or id, and text that cannot be kept."""
    kind, id_ = resource.get("resourceType"), resource.get("id")
    if not isinstance(kind, str) or not is_name(kind):
        raise FhirFault(400, [Issue("structure", "A resource needs a resourceType.", "Resource.resourceType")])
    # An id of dots alone leads up a path: programs take it out of an address before anybody can read it.
    if not isinstance(id_, str) or not is_name(kind, id_) or id_ in (".", ".."):
        raise FhirFault(400, [Issue("value", "An id has 1 to 64 letters, digits, dashes or dots.", f"{kind}.id")])
    meta = resource.get("meta", {})
    if not isinstance(meta, dict):
        raise FhirFault(400, [Issue("structure", "meta is an object.", f"{kind}.meta")])
    others = {name: value for name, value in meta.items() if name not in _OURS}
    rest = {name: value for name, value in resource.items() if name not in ("resourceType", "id", "meta")}
    return Draft(
        kind,
        id_,
        resource,
        meta=f",{_text(kind, others)[1:-1]}" if others else "",
        rest=f",{_text(kind, rest)[1:]}" if rest else "}",
    )


def _text(kind: str, value: dict[str, Any]) -> str:
    try:
        text = fhir_json.dumps(value)
        text.encode()
    except (ValueError, TypeError, RecursionError):  # half characters, NaN, what is no JSON, bottomless nesting
        raise FhirFault(400, [Issue("structure", "The resource holds what JSON cannot say.", kind)]) from None
    if "\\u0000" in text and _holds_nul(value):
        raise FhirFault(400, [Issue("value", "A text holds a NUL character, which FHIR does not allow.", kind)])
    return text


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(name) or _holds_nul(each) for name, each in value.items())
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value


def _canonical(resource: Resource) -> str:
    meta = {name: value for name, value in resource.get("meta", {}).items() if name not in _OURS}
    return fhir_json.dumps(_sorted({**resource, "meta": meta}))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_sorted(each) for each in value]
    return value
