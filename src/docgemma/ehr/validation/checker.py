"""One pass over a resource, along R4's structures. What is wrong is told by place and rule, never with the value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import Issue, IssueCode
from docgemma.ehr.validation.definitions import Element, Structure, is_kind, structure
from docgemma.ehr.validation.invariants import rules
from docgemma.ehr.validation.primitives import expected

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


MOST_ISSUES = 20
DEEPEST = 40

_NAME = re.compile(r"_?[A-Za-z][A-Za-z0-9]{0,60}")
_LISTED_CODES = 12
_IDENTITY = {"id"}


def check(resource: Any) -> list[Issue]:
    """Everything that R4 calls an error, in the order of the resource; at most 20. An empty list: it is valid."""
    walk = _Walk()
    with suppress(_Enough):
        walk.check_resource(resource, None)
    return walk.issues


class _Enough(Exception):
    """Twenty issues are as good as a thousand."""


class _Walk:
    """One check under way: what was found, how deep it stands, and which ids the resource around it contains."""

    def __init__(self) -> None:
        self.issues: list[Issue] = []
        self.depth = 0
        self.local_ids: frozenset[str] = frozenset()

    def check_resource(self, value: Any, path: str | None, *, contained: bool = False) -> None:
        """A resource at the top, in a bundle or parameter (a root of its own), or contained in another."""
        where = path or "Resource"
        if not isinstance(value, dict):
            return self.report("structure", where, "must be a resource: a JSON object")
        kind = value.get("resourceType")
        if not is_kind(kind):
            return self.report("structure", f"{where}.resourceType", "must name a resource type of FHIR R4")
        outer = self.local_ids
        if not contained:
            self.local_ids = _ids_in(value.get("contained"))
        sound = self.check_object(value, structure(kind), path or kind)
        if sound and "contained" in value and not contained:
            check_contained(value, path or kind, self.report)
        self.local_ids = outer
        return None

    def check_object(self, node: Resource, shape: Structure, path: str) -> bool:
        """Check the elements, then what must be there, then the invariants of a well-formed object."""
        before = len(self.issues)
        if not node or (shape.lineage[-1] == "Element" and node.keys() <= _IDENTITY):
            self.report("structure", path, "must not be empty")
        elif self.depth >= DEEPEST:
            self.report("too-costly", path, f"is nested more than {DEEPEST} levels deep")
        else:
            self.depth += 1
            chosen = self._elements(node, shape, path)
            self.depth -= 1
            for name in shape.required:
                if name not in node and name not in chosen and f"_{name}" not in node:
                    self.report("required", f"{path}.{name}", "must be there")
        if len(self.issues) > before:
            return False
        for owner in shape.lineage:
            for rule in rules().get(owner, ()):
                if not rule.holds(node):
                    self.report("invariant", path, f"breaks rule {rule.name}: {rule.sentence}")
        return len(self.issues) == before

    def _elements(self, node: Resource, shape: Structure, path: str) -> Mapping[str, Element]:
        """Check what is there. Returns which type was taken for each choice."""
        chosen: dict[str, Element] = {}
        elements = shape.elements
        for name, value in node.items():
            element = elements.get(name)
            if element is None:
                element = self._beside(name, value, node, shape, path)
                if element is None:
                    continue
            elif element.many:
                self._list(element, value, node, path)
            elif element.fits is None:
                self._complex(element, value, f"{path}.{name}")
            elif not element.fits(value) or (element.codes is not None and value not in element.codes):
                self._misfit(element, value, f"{path}.{name}")
            choice = element.choice
            if choice is not None and chosen.setdefault(choice, element) is not element:
                self.report("structure", f"{path}.{choice}", "must be there with one type only")
        return chosen

    def report(self, code: IssueCode, where: str, must: str) -> None:
        self.issues.append(Issue(code, f"{where} {must}.", where))
        if len(self.issues) >= MOST_ISSUES:
            raise _Enough

    def _list(self, element: Element, value: Any, node: Resource, path: str) -> None:
        path = f"{path}.{element.name}"
        if not isinstance(value, list):
            return self.report("structure", path, "must be a list")
        if not value:
            return self.report("structure", path, "must not be an empty list")
        fits, codes = element.fits, element.codes
        if fits is None:
            for index, item in enumerate(value):
                self._complex(element, item, f"{path}[{index}]")
            return None
        for index, item in enumerate(value):
            if item is None and _stands_in(node, element.name, index):
                continue
            if not fits(item) or (codes is not None and item not in codes):
                self._misfit(element, item, f"{path}[{index}]")
        return None

    def _complex(self, element: Element, value: Any, path: str) -> None:
        if element.type == "Resource":
            return self.check_resource(value, path, contained=element.name == "contained")
        if not isinstance(value, dict):
            return self.report("structure", path, f"must be a JSON object ({element.type})")
        sound = self.check_object(value, structure(element.type), path)
        if not sound:
            return None
        if element.type == "Reference":
            fault = fault_of(value, element.targets, self.local_ids)
            if fault is not None:
                self.report(fault[0], path, fault[1])
        elif element.codes is not None and not _is_coded(value, element.codes):
            self.report("code-invalid", path, f"must hold a code of its value set: {_listed(element.codes)}")
        return None

    def _misfit(self, element: Element, value: Any, path: str) -> None:
        assert element.fits is not None
        if element.codes is not None and element.fits(value):
            self.report("code-invalid", path, f"must be one of its closed codes: {_listed(element.codes)}")
        else:
            self.report("value", path, f"must be {expected()[element.type]}")

    def _beside(self, name: str, value: Any, node: Resource, shape: Structure, path: str) -> Element | None:
        """`_name` holds the extensions of a primitive; `resourceType` belongs to resources; all else is unknown."""
        if name == "resourceType" and shape.lineage[-1] == "Resource":
            return None
        element = shape.elements.get(name[1:]) if name.startswith("_") else None
        if element is None or element.fits is None:
            shown = name if _NAME.fullmatch(name) else "a name that no element has"
            self.report("structure", path, f"has no element of this name in FHIR R4: {shown}")
            return None
        where = f"{path}.{element.name}"
        if not element.many:
            self._primitive_element(value, where)
            return element
        values = node.get(element.name)
        if not isinstance(value, list) or not value or all(item is None for item in value):
            self.report("structure", where, "must have its extensions in a list that is not empty")
        elif isinstance(values, list) and len(values) != len(value):
            self.report("structure", where, "must have as many extension entries as values")
        else:
            for index, item in enumerate(value):
                if item is not None:
                    self._primitive_element(item, f"{where}[{index}]")
                elif not isinstance(values, list):
                    self.report("structure", f"{where}[{index}]", "must have a value or an extension")
        return element

    def _primitive_element(self, value: Any, path: str) -> None:
        if isinstance(value, dict):
            self.check_object(value, structure("Element"), path)
        else:
            self.report("structure", path, "must have its extensions in a JSON object")


def _stands_in(node: Resource, name: str, index: int) -> bool:
    """Whether a null in a list of primitives has an extension in its place."""
    beside = node.get(f"_{name}")
    return isinstance(beside, list) and index < len(beside) and isinstance(beside[index], dict)


def _ids_in(contained: Any) -> frozenset[str]:
    if not isinstance(contained, list):
        return frozenset()
    ids = (one.get("id") for one in contained if isinstance(one, dict))
    return frozenset(one for one in ids if isinstance(one, str))


def _is_coded(concept: Resource, codes: frozenset[str]) -> bool:
    return any(f"{one.get('system')}|{one.get('code')}" in codes for one in concept.get("coding", ()))


def _listed(codes: frozenset[str]) -> str:
    names = sorted(code.rpartition("|")[2] for code in codes)
    return ", ".join(names) if len(names) <= _LISTED_CODES else f"{', '.join(names[:_LISTED_CODES])}, …"
