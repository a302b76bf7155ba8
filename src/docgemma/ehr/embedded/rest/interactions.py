"""What can be done with resources, one at a time. Each runs inside a transaction that somebody else opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl

from docgemma.ehr.contract import Params, Resource
from docgemma.ehr.embedded.contract import CARRIERS, FhirFault, Issue, Stored
from docgemma.ehr.embedded.rest.exchange import Answer, Request, fault, resource_answer, saved_answer, version_of
from docgemma.ehr.embedded.rest.references import Exists, dangling, resolve
from docgemma.ehr.embedded.rest.searching import first
from docgemma.ehr.embedded.searches.query import Query, parse
from docgemma.ehr.embedded.storage.unit import Unit

Check = Callable[[Resource], Sequence[Issue]]
"""What is wrong with a resource by itself, as the validator sees it."""


def read(unit: Unit, request: Request, kind: str, id_: str) -> Answer:
    stored = live(unit, kind, id_)
    if request.if_none_match and version_of(request.if_none_match) == stored.version:
        return Answer(304, etag=stored.etag, modified=stored.updated, shown=(stored,))
    return resource_answer(stored, request)


def read_version(unit: Unit, request: Request, kind: str, id_: str, version: str) -> Answer:
    stored = unit.version(kind, id_, version_of(f'"{version}"'))
    if stored is None:
        raise fault(404, "not-found", f"There is no such version of this {kind}.")
    if stored.deleted:
        raise fault(410, "deleted", f"With this version the {kind} was deleted.")
    return resource_answer(stored, request)


def create(unit: Unit, request: Request, kind: str, check: Check) -> Answer:
    """A new resource under an id of ours; or the one that answers to the caller's condition already."""
    resource = {**body_of(request, kind)}
    resource.pop("id", None)
    if request.if_none_exist:
        found = chosen(unit, condition(kind, request.if_none_exist, request.base))
        if found is not None:
            return resource_answer(found, request)
    fit(resource, request.base, check)
    lead_somewhere(resource, unit.exists)
    return saved_answer(unit.create(resource), request)


def update(unit: Unit, request: Request, kind: str, id_: str, check: Check) -> Answer:
    """The next version; the first one under an id that the caller chose."""
    resource = body_of(request, kind)
    if resource.get("id") != id_:
        raise fault(400, "invalid", "The resource must carry the id that it is written to.", f"{kind}.id")
    if request.if_none_match == "*" and unit.exists(kind, id_):
        raise fault(412, "conflict", f"There is a {kind} with this id already; nothing was written.")
    fit(resource, request.base, check)
    saved = unit.update(resource, if_match=expected(request.if_match))
    # Looked at afterwards, because a resource may refer to itself.
    lead_somewhere(resource, unit.exists)
    return saved_answer(saved, request)


def update_where(unit: Unit, request: Request, kind: str, check: Check) -> Answer:
    """The next version of the one resource that answers to a condition; a new one when none does."""
    resource = body_of(request, kind)
    found = chosen(unit, conditional(kind, request.params, request.base))
    if found is None and "id" not in resource:
        return create(unit, request, kind, check)
    id_ = found.id if found is not None else str(resource["id"])
    if resource.setdefault("id", id_) != id_:
        raise fault(400, "invalid", "The resource carries another id than the one it would replace.", f"{kind}.id")
    return update(unit, request, kind, id_, check)


def delete(unit: Unit, request: Request, kind: str, id_: str) -> Answer:
    """Leaves the history. A patient goes last: a chart without its patient could not be found again."""
    if kind == "Patient" and len(unit.of_patient(id_)) > 1:
        raise fault(409, "conflict", "The chart of this patient still holds resources. Delete those first.")
    lived = unit.exists(kind, id_)
    gone = unit.delete(kind, id_, if_match=expected(request.if_match))
    if gone is None:
        raise fault(404, "not-found", f"There is no {kind} with this id.")
    return Answer(204, etag=gone.etag, modified=gone.updated, touched=(gone,) if lived else ())


def live(unit: Unit, kind: str, id_: str) -> Stored:
    stored = unit.read(kind, id_)
    if stored is None:
        raise fault(404, "not-found", f"There is no {kind} with this id.")
    if stored.deleted:
        raise fault(410, "deleted", f"This {kind} was deleted.")
    return stored


def body_of(request: Request, kind: str) -> Resource:
    resource = request.resource
    if resource is None:
        raise fault(400, "structure", f"The request needs a {kind} as its body.")
    if resource.get("resourceType") != kind:
        raise fault(400, "structure", f"A {kind} is expected here, as the address says.", "Resource.resourceType")
    return resource


def fit(resource: Resource, base: str, check: Check) -> None:
    """Make a resource ready to be stored, or say what is wrong with it."""
    kind = resource["resourceType"]
    if kind in CARRIERS:
        raise fault(422, "not-supported", f"A {kind} is no part of a chart, and is not stored here.")
    resolve(resource, base, {})
    issues = check(resource)
    if issues:
        raise FhirFault(400, issues)


def lead_somewhere(resource: Resource, exists: Exists) -> None:
    """Every reference to this server has something at its other end."""
    lost = dangling(resource, exists)
    if lost:
        raise FhirFault(422, lost[:20])


def expected(if_match: str) -> int | None:
    """The version that the caller saw last; a tag that was never given out matches none."""
    return version_of(if_match) if if_match else None


def condition(kind: str, text: str, base: str) -> Query:
    """The condition of a conditional write, as it stands in a header or a bundle."""
    return conditional(kind, parse_qsl(text.removeprefix(f"{kind}?").removeprefix("?"), keep_blank_values=True), base)


def chosen(unit: Unit, query: Query) -> Stored | None:
    """The one that answers; several are a question for a person."""
    found = first(unit, query, 2)
    if len(found) > 1:
        raise fault(412, "duplicate", f"Several {query.kind} resources answer to the condition; nothing was written.")
    return found[0] if found else None


def conditional(kind: str, params: Params, base: str) -> Query:
    """A search that may decide about a write: one for anything at all would hit whatever is there."""
    query = parse(kind, params, base=base)
    if not query.criteria:
        raise fault(400, "invalid", "A condition needs something to search for, such as identifier=system|value.")
    return query
