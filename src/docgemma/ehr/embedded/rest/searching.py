"""A search carried out: where to look, which of what is there answers, and which page of it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import islice

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import Stored
from docgemma.ehr.embedded.rest.exchange import Answer, Request, fault
from docgemma.ehr.embedded.rest.paging import PAGE_SIZE, bundle, cursor, entries, how_many, links, number, place
from docgemma.ehr.embedded.searches.elements import local, referred, values
from docgemma.ehr.embedded.searches.query import Query, SortKey
from docgemma.ehr.embedded.storage.unit import Unit

_CHUNK = 500

Found = tuple[Stored, Resource]
Keyed = tuple[SortKey, Stored, Resource]


@dataclass(frozen=True, slots=True)
class Limits:
    """Rows that one request may read.

    A page that ends at `page` is short, and its link goes on. A sort or a count that would need more than `whole` is
    refused: a part of it would be a wrong answer.
    """

    page: int = 5_000
    whole: int = 20_000


LIMITS = Limits()


def search(unit: Unit, request: Request, query: Query, limits: Limits = LIMITS) -> Answer:
    """One page of what answers to the query."""
    if query.only_count:
        counted = _count(unit, query, limits)
        body = bundle("searchset", links(request, query.kind, request.params, None), [], counted)
        return Answer(200, body, counted=counted)
    if query.sort:
        page, next_ = _sorted_page(unit, query, limits)
    else:
        page, next_ = _page(unit, query, limits)
    total = _count(unit, query, limits) if query.total else None
    included = _included(unit, query, page)
    matches = [stored for stored, _ in page]
    body = bundle(
        "searchset",
        links(request, query.kind, request.params, next_),
        [*entries(request.base, matches), *entries(request.base, included, "include")],
        total,
    )
    return Answer(200, body, shown=(*matches, *included))


def first(unit: Unit, query: Query, most: int) -> list[Stored]:
    """Up to so many hits, for conditions on writes. A look at half of it would write twice, so it is refused."""
    return [stored for stored, _ in islice(_all(unit, query, LIMITS), most)]


def _page(unit: Unit, query: Query, limits: Limits) -> tuple[list[Found], str | None]:
    after = place(query.cursor, 1)[0] if query.cursor else ""
    page: list[Found] = []
    last, size = "", 0
    for read, stored in enumerate(_candidates(unit, query, after)):
        if read == limits.page:
            return page, cursor(last)
        hit = list(_matching(query, iter((stored,))))
        # A link is given only when something is known to lie behind it.
        if hit and (len(page) == query.count or (page and size + len(stored.body) > PAGE_SIZE)):
            return page, cursor(last)
        page += hit
        size += len(stored.body) if hit else 0
        last = stored.id
    return page, None


def _sorted_page(unit: Unit, query: Query, limits: Limits) -> tuple[list[Found], str | None]:
    def order(one: Keyed, two: Keyed) -> int:
        return query.follows(one[0], one[1].id, two[0], two[1].id)

    keyed: list[Keyed] = [
        (query.sort_key(resource), stored, resource) for stored, resource in _all(unit, query, limits)
    ]
    keyed.sort(key=cmp_to_key(order))
    if query.cursor:
        after, after_id = _sorted_place(unit, query)
        keyed = [one for one in keyed if query.follows(one[0], one[1].id, after, after_id) > 0]
    fitting = how_many([stored.body for _, stored, _ in keyed[: query.count]])
    page = [(stored, resource) for _, stored, resource in keyed[:fitting]]
    last = page[-1][0] if page else None
    return page, cursor(last.id, last.version) if last and len(keyed) > fitting else None


def _sorted_place(unit: Unit, query: Query) -> tuple[SortKey, str]:
    """Where the last page ended: by what that resource said then, even if it was changed or deleted since."""
    id_, version = place(query.cursor, 2)
    stored = unit.version(query.kind, id_, number(version))
    if stored is None or stored.deleted:
        raise fault(400, "invalid", "This link to a page leads nowhere. Start the search again.")
    return query.sort_key(fhir_json.loads(stored.body)), id_


def _count(unit: Unit, query: Query, limits: Limits) -> int:
    return sum(1 for _ in _all(unit, query, limits)) if query.criteria else unit.count(query.kind)


def _all(unit: Unit, query: Query, limits: Limits) -> Iterator[Found]:
    def bounded() -> Iterator[Stored]:
        for read, stored in enumerate(_candidates(unit, query)):
            if read == limits.whole:
                raise fault(
                    422, "too-costly", "Too many resources to sort or count. Search for one patient, or by identifier."
                )
            yield stored

    return _matching(query, bounded())


def _matching(query: Query, candidates: Iterator[Stored]) -> Iterator[Found]:
    whole = not query.criteria and not query.sort and not query.includes
    for stored in candidates:
        # A list of everything needs no look into the resources.
        resource = {} if whole else fhir_json.loads(stored.body)
        if whole or query.matches(resource):
            yield stored, resource


def _candidates(unit: Unit, query: Query, after: str = "") -> Iterator[Stored]:
    """Everything that may match, in the order of ids, from the smallest place that is known to hold it all."""
    if query.ids is not None:
        yield from _read(unit, query.kind, sorted(query.ids), after)
    elif query.patients is not None:
        charts = (stored for patient in query.patients for stored in unit.of_patient(patient, [query.kind]))
        yield from sorted((one for one in charts if one.id > after), key=lambda one: one.id)
    elif query.narrow:
        yield from _read(unit, query.kind, unit.find(query.kind, query.narrow), after)
    else:
        while chunk := unit.of_kind(query.kind, after=after, limit=_CHUNK):
            yield from chunk
            after = chunk[-1].id


def _read(unit: Unit, kind: str, ids: list[str], after: str) -> Iterator[Stored]:
    for id_ in ids:
        stored = unit.read(kind, id_) if id_ > after else None
        if stored is not None and not stored.deleted:
            yield stored


def _included(unit: Unit, query: Query, page: list[Found]) -> list[Stored]:
    """What the hits of a page refer to, each once, as far as it is here."""
    wanted: dict[str, None] = {}
    for include in query.includes:
        for _, resource in page:
            for value in values(resource, include.parameter):
                target = local(referred(value) or "")
                if target and (not include.target or target.startswith(f"{include.target}/")):
                    wanted[target] = None
    shown = {f"{stored.kind}/{stored.id}" for stored, _ in page}
    names = [name.split("/") for name in wanted if name not in shown]
    read = [unit.read(kind, id_) for kind, id_ in names]
    return [one for one in read if one is not None and not one.deleted]
