"""R4's invariants that are errors and matter for a chart: data/invariants.tsv, and the checks that it names.

A rule is asked only about an object whose elements are all well-formed, so that it need not doubt their shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from docgemma.ehr.contract import Resource
from docgemma.entities.tables import rows

_TERMINOLOGY = "http://terminology.hl7.org/CodeSystem/"
_UCUM = "http://unitsofmeasure.org"
_MEALS = {"C", "CM", "CD", "CV"}


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    sentence: str
    holds: Callable[[Resource], bool]


@cache
def rules() -> Mapping[str, Sequence[Rule]]:
    """The table by type."""
    found: dict[str, list[Rule]] = {}
    for type_, name, check, sentence in rows("docgemma.ehr", "invariants.tsv"):
        asked, *about = check.split()
        found.setdefault(type_, []).append(Rule(name, sentence, _bound(_CHECKS[asked], about)))
    return found


def _bound(check: Callable[..., bool], about: Sequence[str]) -> Callable[[Resource], bool]:
    return lambda node: check(node, *about)


def _has(node: Resource, name: str) -> bool:
    """Whether the element is there, be it only with an extension in place of its value. `age[x]` is one of any type."""
    if name.endswith("[x]"):
        return _has_any(node, name.removesuffix("[x]"))
    return name in node or f"_{name}" in node


def _has_any(node: Resource, choice: str) -> bool:
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


def needs(node: Resource, name: str, needed: str) -> bool:
    return not _has(node, name) or _has(node, needed)


def one_of(node: Resource, *names: str) -> bool:
    return any(_has(node, name) for name in names)


def exactly_one_of(node: Resource, *names: str) -> bool:
    return sum(_has(node, name) for name in names) == 1


def not_both(node: Resource, one: str, other: str) -> bool:
    return not (_has(node, one) and _has(node, other))


def not_negative(node: Resource, name: str) -> bool:
    return bool(node.get(name, 0) >= 0)


def ordered(node: Resource, start: str, end: str) -> bool:
    return in_order(node.get(start), node.get(end))


def away_from_home(node: Resource, element: str) -> bool:
    return all(one.get("use") != "home" for one in node.get(element, ()))


def coded_with(node: Resource, name: str, *coding: str) -> bool:
    return not _has(node, name) or _coded(node, *coding)


def coded_unless(node: Resource, name: str, *coding: str) -> bool:
    return _has(node, name) or _coded(node, *coding)


def not_coded_with(node: Resource, name: str, *coding: str) -> bool:
    return not _has(node, name) or not _coded(node, *coding)


def measured_in(node: Resource, system: str) -> bool:
    """A value needs a code, and the unit's system is this one if it says any."""
    return (_has(node, "code") or not _has(node, "value")) and node.get("system", system) == system


def positive_age(node: Resource) -> bool:
    return measured_in(node, _UCUM) and bool(node.get("value", 1) > 0)


def whole_count(node: Resource) -> bool:
    value = node.get("value", 0)
    return measured_in(node, _UCUM) and node.get("code", "1") == "1" and bool(value == int(value))


def coded_duration(node: Resource) -> bool:
    return not _has(node, "code") or (node.get("system") == _UCUM and _has(node, "value"))


def offset_of_no_meal(node: Resource) -> bool:
    return not _has(node, "offset") or (_has(node, "when") and not _MEALS & set(node.get("when", ())))


def range_in_order(node: Resource) -> bool:
    low, high = node.get("low", {}), node.get("high", {})
    if any(low.get(name) != high.get(name) for name in ("unit", "system", "code")):
        return True
    return "value" not in low or "value" not in high or bool(low["value"] <= high["value"])


def whole_ratio(node: Resource) -> bool:
    top, bottom = _has(node, "numerator"), _has(node, "denominator")
    return top == bottom and (top or "extension" in node)


def value_not_in_a_component(node: Resource) -> bool:
    own = set(_codings(node["code"]))
    parts = node.get("component", ())
    return not _has_any(node, "value") or not any(own.intersection(_codings(part["code"])) for part in parts)


def _codings(concept: Resource) -> Iterable[tuple[Any, ...]]:
    parts = ("system", "version", "code", "display", "userSelected")
    return (tuple(coding.get(part) for part in parts) for coding in concept.get("coding", ()))


def _entries(node: Resource) -> Iterable[Resource]:
    entries: Iterable[Resource] = node.get("entry", ())
    return entries


def unique_addresses(node: Resource) -> bool:
    seen = [
        (one["fullUrl"], one.get("resource", {}).get("meta", {}).get("versionId"))
        for one in _entries(node)
        if "fullUrl" in one
    ]
    return node.get("type") == "history" or len(seen) == len(set(seen))


def only_in(node: Resource, element: str, *types: str) -> bool:
    return not _has(node, element) or node.get("type") in types


def entries_only_in(node: Resource, element: str, field: str, value: str) -> bool:
    return node.get(field) == value or not any(_has(one, element) for one in _entries(node))


def entries_exactly_in(node: Resource, element: str, *types: str) -> bool:
    return all(_has(one, element) == (node.get("type") in types) for one in _entries(node))


def starts_with(node: Resource, type_: str, kind: str) -> bool:
    first = next(iter(_entries(node)), {})
    return node.get("type") != type_ or first.get("resource", {}).get("resourceType") == kind


def document_identified(node: Resource) -> bool:
    return node.get("type") != "document" or {"system", "value"} <= node.get("identifier", {}).keys()


def document_timed(node: Resource) -> bool:
    return node.get("type") != "document" or "timestamp" in node


def address_without_version(node: Resource) -> bool:
    return "/_history/" not in node.get("fullUrl", "")


_CHECKS: Mapping[str, Callable[..., bool]] = {
    check.__name__: check
    for check in (
        needs, one_of, exactly_one_of, not_both, not_negative, ordered, away_from_home, coded_with,
        coded_unless, not_coded_with, measured_in, positive_age, whole_count, coded_duration,
        offset_of_no_meal, range_in_order, whole_ratio, value_not_in_a_component, unique_addresses, only_in,
        entries_only_in, entries_exactly_in, starts_with, document_identified, document_timed,
        address_without_version
    )
}  # fmt: skip
