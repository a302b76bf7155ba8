"""Many requests in one. A transaction happens as a whole or not at all; the entries of a batch each for themselves."""

from __future__ import annotations

import re
import uuid
from collections import ChainMap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import FhirFault, Issue
from docgemma.ehr.embedded.rest.exchange import Answer, Request, fault, resource_answer, saved_answer, steps_of
from docgemma.ehr.embedded.rest.interactions import (
    Check,
    body_of,
    chosen,
    condition,
    conditional,
    expected,
    fit,
    lead_somewhere,
)
from docgemma.ehr.embedded.rest.references import holders, resolve
from docgemma.ehr.embedded.rest.routing import Route, route
from docgemma.ehr.embedded.searches.query import Query
from docgemma.ehr.embedded.storage.unit import Unit

MOST_ENTRIES = 10_000
_METHODS = ("DELETE", "POST", "PUT", "GET")
_NAMED = re.compile(r"(.+)/([A-Z][A-Za-z]{1,63}/[A-Za-z0-9\-.]{1,64})")
_CONDITIONAL = re.compile(r"([A-Z][A-Za-z]{1,63})\?(.+)")


@dataclass(slots=True)
class Entry:
    """One request of a bundle and what it means. Of a write: where its resource lies, and if it lay there before."""

    index: int
    full_url: str
    request: Request
    route: Route
    id: str = ""
    existing: bool = False
    condition: Query | None = None

    @property
    def kind(self) -> str:
        return self.route.kind

    @property
    def resource(self) -> Resource:
        return body_of(self.request, self.kind)


def raw_entries(bundle: Resource) -> list[Any]:
    listed = bundle.get("entry", [])
    if not isinstance(listed, list) or len(listed) > MOST_ENTRIES:
        raise fault(400, "structure", f"A bundle has a list of at most {MOST_ENTRIES} entries.", "Bundle.entry")
    return listed


def entry_of(index: int, raw: Any, outer: Request) -> Entry:
    """One entry, read as the request that it is."""
    asked = raw.get("request") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(asked, dict):
        raise fault(400, "required", "Each entry needs a request.", f"Bundle.entry[{index}].request")
    said = {name: asked.get(name, "") for name in ("method", "url", "ifMatch", "ifNoneMatch", "ifNoneExist")}
    resource, full_url = raw.get("resource"), raw.get("fullUrl", "")
    shaped = all(isinstance(one, str) for one in (*said.values(), full_url))
    if not shaped or not isinstance(resource, dict | None) or said["method"] not in _METHODS:
        raise fault(400, "structure", "This entry is not a request that this server takes.", f"Bundle.entry[{index}]")
    path, _, params = said["url"].removeprefix(f"{outer.base}/").lstrip("/").partition("?")
    request = Request(
        said["method"],
        steps_of(unquote(path)),
        parse_qsl(params, keep_blank_values=True),
        outer.base,
        resource,
        said["ifMatch"],
        said["ifNoneMatch"],
        said["ifNoneExist"],
        outer.minimal,
    )
    with at_entry(index):
        return Entry(index, full_url, request, route(request))


def transaction(unit: Unit, entries: Sequence[Entry], check: Check) -> list[Answer]:
    """In FHIR's order: deletes, creates, updates, reads. A fault anywhere undoes everything."""
    _one_name_each(entries)
    answers: dict[int, Answer] = {}
    writes = [one for one in entries if one.request.method in ("POST", "PUT") and one.route.writes]
    placed = {one.index for one in writes}
    others = [one for one in entries if one.index not in placed]
    # A patient goes last: it cannot be deleted while its chart still holds something.
    deletes = sorted((one for one in others if one.route.writes), key=lambda one: one.kind == "Patient")
    answers |= {one.index: _run(unit, one, check) for one in deletes}
    for one in writes:
        with at_entry(one.index):
            _place(unit, one)
    _no_overlap([*deletes, *writes])
    _connect(unit, writes)
    for one in sorted(writes, key=_turn):
        with at_entry(one.index):
            answers[one.index] = _write(unit, one, check)
    _settle(unit, writes)
    answers |= {one.index: _run(unit, one, check) for one in others if not one.route.writes}
    return [answers[one.index] for one in entries]


def response(type_: str, answers: Sequence[Answer]) -> Answer:
    """The answers in the order of the requests, from the texts they are made of."""
    joined = ",".join(_answered(one) for one in answers)
    body = f'{{"resourceType":"Bundle","type":"{type_}"' + (f',"entry":[{joined}]' if joined else "") + "}"
    return Answer(200, body)


@contextmanager
def at_entry(index: int) -> Iterator[None]:
    """Faults inside say which entry they are about."""
    try:
        yield
    except FhirFault as found:
        issues = [Issue(one.code, one.text, _within(index, one.where)) for one in found.issues]
        raise FhirFault(found.status, issues) from None


def _within(index: int, where: str) -> str:
    inside = where.partition(".")[2]
    return f"Bundle.entry[{index}]" + (".resource" if where else "") + (f".{inside}" if inside else "")


def _turn(one: Entry) -> tuple[bool, bool]:
    """Creates before updates; what is about other entries after them, because it lies in their chart."""
    return one.kind == "Provenance", one.request.method == "PUT"


def _place(unit: Unit, one: Entry) -> None:
    """Give a resource its id before anything is written, so that others can refer to it."""
    asked = one.request
    if asked.method == "POST" and asked.if_none_exist:
        one.condition = condition(one.kind, asked.if_none_exist, asked.base)
    elif asked.method == "PUT" and not one.route.id:
        one.condition = conditional(one.kind, asked.params, asked.base)
    if one.condition is not None:
        found = chosen(unit, one.condition)
        one.existing = found is not None and asked.method == "POST"
        one.id = found.id if found is not None else _new_id(one)
    else:
        one.id = one.route.id or _new_id(one)
    if asked.method == "PUT" and one.resource.get("id", one.id) != one.id:
        raise fault(400, "invalid", "The resource must carry the id that it is written to.", f"{one.kind}.id")


def _new_id(one: Entry) -> str:
    """Ours for what is created; what is updated by a condition that nothing meets may bring its own."""
    brought = one.resource.get("id") if one.request.method == "PUT" else None
    return brought if isinstance(brought, str) else str(uuid.uuid4())


def _one_name_each(entries: Sequence[Entry]) -> None:
    """Two entries under one address are one too many: an allergy must not go to whoever came last."""
    seen: set[str] = set()
    for one in entries:
        if one.full_url and one.full_url in seen:
            raise fault(400, "invalid", "Two entries have the same fullUrl.", f"Bundle.entry[{one.index}].fullUrl")
        seen.add(one.full_url)


def _no_overlap(entries: Sequence[Entry]) -> None:
    """Two entries about one resource have no order that FHIR would define."""
    seen: set[tuple[str, str]] = set()
    for one in entries:
        name = (one.kind, one.id or one.route.id)
        if one.existing:
            continue
        if name in seen:
            raise fault(400, "invalid", "Two entries write to the same resource.", f"Bundle.entry[{one.index}]")
        seen.add(name)


def _connect(unit: Unit, writes: Sequence[Entry]) -> None:
    """Let every reference to another entry, by whatever name the bundle gave it, lead to where that will lie."""
    known = {one.full_url: f"{one.kind}/{one.id}" for one in writes if one.full_url}
    near: dict[str, dict[str, str]] = {}
    for one in writes:
        if named := _NAMED.fullmatch(one.full_url):
            near.setdefault(named[1], {})[named[2]] = f"{one.kind}/{one.id}"
    for one in writes:
        if one.existing:
            continue
        named = _NAMED.fullmatch(one.full_url)
        resolve(one.resource, one.request.base, ChainMap(near[named[1]], known) if named else known)
        for holder in holders(one.resource):
            if asked := _CONDITIONAL.fullmatch(holder["reference"]):
                with at_entry(one.index):
                    holder["reference"] = _meant(unit, asked[1], asked[2], one.request.base)


def _meant(unit: Unit, kind: str, where: str, base: str) -> str:
    found = chosen(unit, condition(kind, where, base))
    if found is None:
        raise fault(412, "not-found", f"No {kind} answers to a reference that searches for one; nothing was written.")
    return f"{kind}/{found.id}"


def _write(unit: Unit, one: Entry, check: Check) -> Answer:
    if one.existing:
        stored = unit.read(one.kind, one.id)
        if stored is None:
            raise fault(409, "conflict", "The resource that was found is gone.")
        return resource_answer(stored, one.request)
    resource = {**one.resource, "id": one.id}
    fit(resource, one.request.base, check)
    if one.request.method == "POST":
        return saved_answer(unit.create(resource), one.request)
    return saved_answer(unit.update(resource, if_match=expected(one.request.if_match)), one.request)


def _settle(unit: Unit, writes: Sequence[Entry]) -> None:
    """Once all is written, references must lead somewhere, and no condition may have made two of a kind."""
    exists = cache(unit.exists)
    for one in writes:
        with at_entry(one.index):
            if not one.existing:
                lead_somewhere(one.resource, exists)
            if one.condition is not None:
                chosen(unit, one.condition)


def _run(unit: Unit, one: Entry, check: Check) -> Answer:
    with at_entry(one.index):
        return one.route.run(unit, check)


def _answered(answer: Answer) -> str:
    said = {
        "status": str(answer.status),
        "location": answer.location,
        "etag": answer.etag,
        "lastModified": answer.modified,
    }
    about = fhir_json.dumps({name: value for name, value in said.items() if value})
    if answer.status >= 400:
        return f'{{"response":{about[:-1]},"outcome":{answer.body}}}}}'
    held = f'"resource":{answer.body},' if answer.body else ""
    return f'{{{held}"response":{about}}}'
