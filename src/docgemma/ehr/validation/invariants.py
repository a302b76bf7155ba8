"""R4's invariants that are errors and matter for a chart, by type, under the names the specification gives them.

`ref-2` is a sentence in R4's page on references that became a named invariant in R5.

A rule is asked only about an object whose elements are all well-formed, so that it need not doubt their shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from docgemma.ehr.contract import Resource

_TERMINOLOGY = "http://terminology.hl7.org/CodeSystem/"
_UCUM = "http://unitsofmeasure.org"
_MEALS = {"C", "CM", "CD", "CV"}


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    sentence: str
    holds: Callable[[Resource], bool]


def has(node: Resource, name: str) -> bool:
    """Whether the element is there, be it only with an extension in place of its value."""
    return name in node or f"_{name}" in node


def has_any(node: Resource, choice: str) -> bool:
    """Whether a `choice[x]` is there with any type."""
    return any(key.removeprefix("_").startswith(choice) and _typed(key, choice) for key in node)


def _typed(key: str, choice: str) -> bool:
    return key.removeprefix("_")[len(choice) :][:1].isupper()


def in_order(start: Any, end: Any) -> bool:
    """Whether a moment is not after another, as far as both were recorded to the same precision."""
    if not isinstance(start, str) or not isinstance(end, str):
        return True
    if "T" in start and "T" in end:
        try:
            return datetime.fromisoformat(start) <= datetime.fromisoformat(end)
        except ValueError:  # a leap second
            return start[:10] <= end[:10]
    shared = min(len(start), len(end), 10)
    return start[:shared] <= end[:shared]


def _coded(node: Resource, element: str, system: str, *codes: str) -> bool:
    codings = node.get(element, {}).get("coding", ())
    return any(one.get("system") == _TERMINOLOGY + system and one.get("code") in codes for one in codings)


def _one_of(*names: str) -> Callable[[Resource], bool]:
    return lambda node: any(has(node, name) for name in names)


def _needs(name: str, needed: str) -> Callable[[Resource], bool]:
    return lambda node: not has(node, name) or has(node, needed)


def _not_both(one: str, other: str) -> Callable[[Resource], bool]:
    return lambda node: not (has(node, one) and has(node, other))


def _entries(node: Resource) -> Iterable[Resource]:
    entries: Iterable[Resource] = node.get("entry", ())
    return entries


def _measured_in(node: Resource, system: str) -> bool:
    return (has(node, "code") or not has(node, "value")) and node.get("system", system) == system


def _not_negative(name: str) -> Callable[[Resource], bool]:
    return lambda node: bool(node.get(name, 0) >= 0)


def _range_in_order(node: Resource) -> bool:
    low, high = node.get("low", {}), node.get("high", {})
    if any(low.get(name) != high.get(name) for name in ("unit", "system", "code")):
        return True
    return "value" not in low or "value" not in high or bool(low["value"] <= high["value"])


def _ratio(node: Resource) -> bool:
    top, bottom = has(node, "numerator"), has(node, "denominator")
    return top == bottom and (top or "extension" in node)


def _value_is_not_in_a_component(node: Resource) -> bool:
    own = set(_codings(node["code"]))
    parts = node.get("component", ())
    return not has_any(node, "value") or not any(own.intersection(_codings(part["code"])) for part in parts)


def _codings(concept: Resource) -> Iterable[tuple[Any, ...]]:
    parts = ("system", "version", "code", "display", "userSelected")
    return (tuple(coding.get(part) for part in parts) for coding in concept.get("coding", ()))


def _one_content(node: Resource) -> bool:
    return has_any(node, "value") + has(node, "resource") + has(node, "part") == 1


def _unique_addresses(node: Resource) -> bool:
    seen = [
        (one["fullUrl"], one.get("resource", {}).get("meta", {}).get("versionId"))
        for one in _entries(node)
        if "fullUrl" in one
    ]
    return node.get("type") == "history" or len(seen) == len(set(seen))


def _exactly_in(element: str, *types: str) -> Callable[[Resource], bool]:
    return lambda node: all(has(one, element) == (node.get("type") in types) for one in _entries(node))


def _starts_with(type_: str, kind: str) -> Callable[[Resource], bool]:
    def holds(node: Resource) -> bool:
        first = next(iter(_entries(node)), {})
        return node.get("type") != type_ or first.get("resource", {}).get("resourceType") == kind

    return holds


def _away_from_home(element: str) -> Callable[[Resource], bool]:
    return lambda node: all(one.get("use") != "home" for one in node.get(element, ()))


_REPEAT = (
    Rule("tim-1", "a duration needs its unit", _needs("duration", "durationUnit")),
    Rule("tim-2", "a period needs its unit", _needs("period", "periodUnit")),
    Rule("tim-4", "a duration is not negative", _not_negative("duration")),
    Rule("tim-5", "a period is not negative", _not_negative("period")),
    Rule("tim-6", "a longest period needs a period", _needs("periodMax", "period")),
    Rule("tim-7", "a longest duration needs a duration", _needs("durationMax", "duration")),
    Rule("tim-8", "a largest count needs a count", _needs("countMax", "count")),
    Rule("tim-9", "an offset needs a `when` that is not a meal itself",
         lambda node: not has(node, "offset") or (has(node, "when") and not _MEALS & set(node.get("when", ())))),
    Rule("tim-10", "a time of day and a `when` exclude each other", _not_both("timeOfDay", "when")),
)  # fmt: skip

_ALLERGY = (
    Rule("ait-1", "clinicalStatus must be there unless verificationStatus is entered-in-error",
         lambda node: has(node, "clinicalStatus")
         or _coded(node, "verificationStatus", "allergyintolerance-verification", "entered-in-error")),
    Rule("ait-2", "clinicalStatus must not be there when verificationStatus is entered-in-error",
         lambda node: not has(node, "clinicalStatus")
         or not _coded(node, "verificationStatus", "allergyintolerance-verification", "entered-in-error")),
)  # fmt: skip

_CONDITION = (
    Rule("con-4", "with an abatement, clinicalStatus must be inactive, resolved or remission",
         lambda node: not has_any(node, "abatement")
         or _coded(node, "clinicalStatus", "condition-clinical", "resolved", "remission", "inactive")),
    Rule("con-5", "clinicalStatus must not be there when verificationStatus is entered-in-error",
         lambda node: not has(node, "clinicalStatus")
         or not _coded(node, "verificationStatus", "condition-ver-status", "entered-in-error")),
)  # fmt: skip

_OBSERVATION = (
    Rule("obs-6", "dataAbsentReason must not be there beside a value",
         lambda node: not has(node, "dataAbsentReason") or not has_any(node, "value")),
    Rule("obs-7", "a value must not stand beside a component with the same code", _value_is_not_in_a_component),
)  # fmt: skip

_BUNDLE = (
    Rule("bdl-1", "total is for search results and histories alone",
         lambda node: not has(node, "total") or node.get("type") in ("searchset", "history")),
    Rule("bdl-2", "entry.search is for search results alone",
         lambda node: node.get("type") == "searchset" or not any(has(one, "search") for one in _entries(node))),
    Rule("bdl-3", "every entry of a batch, transaction or history has a request, and no other has one",
         _exactly_in("request", "batch", "transaction", "history")),
    Rule("bdl-4", "every entry of a response or history has a response, and no other has one",
         _exactly_in("response", "batch-response", "transaction-response", "history")),
    Rule("bdl-7", "a fullUrl must not come twice for the same version", _unique_addresses),
    Rule("bdl-9", "a document needs an identifier with system and value",
         lambda node: node.get("type") != "document" or {"system", "value"} <= node.get("identifier", {}).keys()),
    Rule("bdl-10", "a document needs a timestamp",
         lambda node: node.get("type") != "document" or "timestamp" in node),
    Rule("bdl-11", "a document starts with a Composition", _starts_with("document", "Composition")),
    Rule("bdl-12", "a message starts with a MessageHeader", _starts_with("message", "MessageHeader")),
)  # fmt: skip

_ENTRY = (
    Rule("bdl-5", "an entry needs a resource, a request or a response", _one_of("resource", "request", "response")),
    Rule("bdl-8", "fullUrl must not name a version", lambda node: "/_history/" not in node.get("fullUrl", "")),
)

_LIST = (
    Rule("lst-1", "emptyReason is for an empty list alone", _not_both("emptyReason", "entry")),
    Rule("lst-2", "entry.deleted is for a list of changes alone",
         lambda node: node.get("mode") == "changes" or not any(has(one, "deleted") for one in _entries(node))),
    Rule("lst-3", "entry.date is for a working list alone",
         lambda node: node.get("mode") == "working" or not any(has(one, "date") for one in _entries(node))),
)  # fmt: skip

RULES: Mapping[str, tuple[Rule, ...]] = {
    "AllergyIntolerance": _ALLERGY,
    "Condition": _CONDITION,
    "Observation": _OBSERVATION,
    "Bundle": _BUNDLE,
    "Bundle.entry": _ENTRY,
    "List": _LIST,
    "Timing.repeat": _REPEAT,
    "Age": (
        Rule("age-1", "an age with a value needs a UCUM code of time, and is above 0",
             lambda node: _measured_in(node, _UCUM) and node.get("value", 1) > 0),
    ),
    "Attachment": (Rule("att-1", "data needs its contentType", _needs("data", "contentType")),),
    "AuditEvent.entity": (Rule("sev-1", "name and query exclude each other", _not_both("name", "query")),),
    "CarePlan.activity": (Rule("cpl-3", "detail and reference exclude each other", _not_both("detail", "reference")),),
    "Composition.section": (
        Rule("cmp-1", "a section needs a text, an entry or a section", _one_of("text", "entry", "section")),
        Rule("cmp-2", "emptyReason is for a section without entries alone", _not_both("emptyReason", "entry")),
    ),
    "Condition.evidence": (Rule("con-2", "evidence needs a code or a detail", _one_of("code", "detail")),),
    "Condition.stage": (Rule("con-1", "a stage needs a summary or an assessment", _one_of("summary", "assessment")),),
    "Consent": (Rule("ppc-1", "a consent needs a policy or a policyRule", _one_of("policy", "policyRule")),),
    "ContactPoint": (Rule("cpt-2", "a value needs its system", _needs("value", "system")),),
    "Count": (
        Rule("cnt-3", "a count with a value is a whole number with the UCUM code 1",
             lambda node: _measured_in(node, _UCUM) and node.get("code", "1") == "1"
             and node.get("value", 0) == int(node.get("value", 0))),
    ),
    "Distance": (Rule("dis-1", "a distance with a value needs a UCUM code", lambda node: _measured_in(node, _UCUM)),),
    "Duration": (
        Rule("drt-1", "a duration with a code needs a value and the system UCUM",
             lambda node: not has(node, "code") or (node.get("system") == _UCUM and has(node, "value"))),
    ),
    "Expression": (Rule("exp-1", "an expression or a reference must be there", _one_of("expression", "reference")),),
    "Extension": (
        Rule("ext-1", "an extension has either a value or extensions",
             lambda node: ("extension" in node) != has_any(node, "value")),
    ),
    "FamilyMemberHistory": (
        Rule("fhs-1", "age and born exclude each other",
             lambda node: not (has_any(node, "age") and has_any(node, "born"))),
        Rule("fhs-2", "estimatedAge needs an age",
             lambda node: not has(node, "estimatedAge") or has_any(node, "age")),
    ),
    "Goal.target": (
        Rule("gol-1", "a detail needs its measure", lambda node: not has_any(node, "detail") or has(node, "measure")),
    ),
    "Immunization.education": (
        Rule("imm-1", "education needs a documentType or a reference", _one_of("documentType", "reference")),
    ),
    "MedicationAdministration.dosage": (
        Rule("mad-1", "a dosage needs a dose or a rate", lambda node: has(node, "dose") or has_any(node, "rate")),
    ),
    "MedicationDispense": (
        Rule("mdd-1", "whenHandedOver must not be before whenPrepared",
             lambda node: in_order(node.get("whenPrepared"), node.get("whenHandedOver"))),
    ),
    "MoneyQuantity": (
        Rule("mqty-1", "an amount of money needs a currency code of ISO 4217",
             lambda node: _measured_in(node, "urn:iso:std:iso:4217")),
    ),
    "Observation.referenceRange": (
        Rule("obs-3", "a reference range needs a low, a high or a text", _one_of("low", "high", "text")),
    ),
    "Organization": (
        Rule("org-1", "an organization needs a name or an identifier", _one_of("name", "identifier")),
        Rule("org-2", "no address of an organization is of use home", _away_from_home("address")),
        Rule("org-3", "no telecom of an organization is of use home", _away_from_home("telecom")),
    ),
    "Parameters.parameter": (
        Rule("inv-1", "a parameter has exactly one of value, resource and part", _one_content),
    ),
    "Patient.contact": (
        Rule("pat-1", "a contact needs a name, a telecom, an address or an organization",
             _one_of("name", "telecom", "address", "organization")),
    ),
    "Period": (
        Rule("per-1", "start must not be after end", lambda node: in_order(node.get("start"), node.get("end"))),
    ),
    "Quantity": (Rule("qty-3", "a code for the unit needs its system", _needs("code", "system")),),
    "Range": (Rule("rng-2", "low must not be above high", _range_in_order),),
    "Ratio": (Rule("rat-1", "numerator and denominator must both be there, or neither and an extension", _ratio),),
    "Reference": (
        Rule("ref-2", "a reference needs a reference, an identifier or a display",
             lambda node: "extension" in node or any(has(node, one) for one in ("reference", "identifier", "display"))),
    ),
    "ServiceRequest": (Rule("prr-1", "orderDetail needs a code", _needs("orderDetail", "code")),),
}  # fmt: skip
