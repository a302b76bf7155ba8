"""The review of grounding results: what waits, what it may stand for, and what experts decide."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.encoders import jsonable_encoder
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from docgemma.accounts.model import Identity
from docgemma.errors import BadInput, UnknownId
from docgemma.grounding.review.concepts import check_codes, named
from docgemma.grounding.review.decision import Decision
from docgemma.grounding.review.desk import UNDECIDED, Desk
from docgemma.grounding.review.queue import Wanted, names_of
from docgemma.server.context import Site, SiteDep, Who
from docgemma.server.fields import told
from docgemma.server.pages.review import Preparing
from docgemma.server.pages.review_view import (
    NOT_SEEN,
    PAGE,
    Bulk,
    Done,
    ItemView,
    Room,
    exported,
    filter_of,
    query_of,
    sentence,
    wanted_of,
)
from docgemma.server.pages.templating import wants_page, wants_part
from docgemma.terminology.contract import ENTITY_TYPES, LONGEST_TERM

router = APIRouter(tags=["review"])

_MOST_EXPORTED = 1_000_000
_FOUND, _SHORTEST = 12, 2
_PATIENCE_S = 55.0
"""How long a page that was told to wait for the terminology is kept waiting before it hears again."""

REASON_NEEDED = "Say why it is changed: the reason is kept with the decision."
CONCEPT_NEEDED = "Choose a concept from the search, or type its CUI or SNOMED CT code."


class Filter(BaseModel):
    """The queue that somebody was looking at; the same words as in its address."""

    type: str = ""
    q: str = Field(default="", max_length=400)
    show: str = "waiting"
    skip: int = Field(default=0, ge=0, le=10_000_000)

    @property
    def wanted(self) -> Wanted:
        return wanted_of(self.type, self.q, self.show)


class Looked(Filter):
    """`done` names the item that was just decided on; `find` is what concepts are searched for."""

    done: str = Field(default="", max_length=64)
    find: str = Field(default="", max_length=LONGEST_TERM)


class Decided(Filter):
    """`seen` is the time of the decision that was on the screen, or `none`."""

    seen: str = Field(max_length=64)
    reason: str = Field(default="", max_length=500)

    @property
    def mark(self) -> str:
        return UNDECIDED if self.seen == NOT_SEEN else self.seen


class Accepted(Decided):
    candidate: int = Field(ge=1, le=1_000)


class Changed(Decided):
    """`concept` is a choice of the search: `CUI|SNOMED|name`. What is typed goes before it."""

    concept: str = Field(default="", max_length=1_000)
    cui: str = Field(default="", max_length=20)
    snomed: str = Field(default="", max_length=30)
    term: str = Field(default="", max_length=LONGEST_TERM)


class Above(Filter):
    """`names` as the count before gave it: then it is done, and not only counted."""

    at_least: float = Field(ge=0, le=1)
    names: str = Field(default="", max_length=64)


class UndoAll(Filter):
    bulk: str = Field(max_length=64)


class Chosen(BaseModel):
    """Which many were accepted, for whoever undoes them, and how many."""

    bulk: str
    count: int


def of_that_form(item: str) -> str:
    """The name of an item. What cannot be one is not looked for: a database may refuse even to be asked."""
    if not (item.isascii() and item.isalnum()):
        raise UnknownId("There is no item of that form.")
    return item


Asked = Annotated[Filter, Query()]
Item = Annotated[str, Depends(of_that_form)]


@router.get("/review")
async def queue(request: Request, site: SiteDep, who: Who, asked: Asked) -> Response:
    """What waits, the least sure first."""
    desk = await site.review.desk(who.name)
    found = await desk.queue(asked.wanted, most=PAGE, skip=asked.skip)
    if not (wants_page(request) or wants_part(request)):
        return _json({"total": found.total, "waiting": found.waiting, "decided": found.decided, "items": found.items})
    first = found.items[0].item if found.items else None
    return await _answer(request, site, who, await _room(site, desk, asked, first))


@router.get("/review/concepts")
async def concepts(
    request: Request,
    site: SiteDep,
    who: Who,
    q: Annotated[str, Query(max_length=LONGEST_TERM)] = "",
    type: Annotated[str, Query(max_length=40)] = "",
    item: Annotated[str, Query(max_length=64)] = "",
    wait: bool = False,
) -> Response:
    """Concepts of the terminology by name. 503 while it is being prepared; `wait` holds on until it is there."""
    if wants_page(request):
        return RedirectResponse(f"/review/items/{item}{query_of({'find': q})}" if item.isalnum() else "/review", 303)
    term, kind = " ".join(q.split()), next((each for each in ENTITY_TYPES if each == type), None)
    if len(term) < _SHORTEST:
        return site.pages.fragment(request, who, "part/concepts.html", found=None, preparing=False, q=term, type=type)
    try:
        terminology = await site.review.terminology(patience_s=_PATIENCE_S if wait else 0.0)
    except Preparing:
        if not wants_part(request):
            raise
        return site.pages.fragment(request, who, "part/concepts.html", found=None, preparing=True, q=term, type=type)
    found = await terminology.search(term, max_results=_FOUND, type=kind)
    if not wants_part(request):
        return _json(list(found))
    return site.pages.fragment(request, who, "part/concepts.html", found=found, preparing=False, q=term, type=type)


@router.get("/review/export")
async def export(site: SiteDep, who: Who, format: Literal["jsonl", "csv"] = "jsonl") -> Response:
    """Every decision that was ever made, oldest first."""
    decisions = await (await site.review.desk(who.name)).history(most=_MOST_EXPORTED)
    kind = "text/csv; charset=utf-8" if format == "csv" else "application/x-ndjson"
    headers = {"Content-Disposition": f'attachment; filename="review-decisions.{format}"'}
    return StreamingResponse(exported(decisions, format), media_type=kind, headers=headers)


@router.get("/review/items/{item}")
async def one(
    request: Request,
    site: SiteDep,
    who: Who,
    item: Item,
    asked: Annotated[Looked, Query()],
) -> Response:
    """One item with its candidates and the criteria that it stands in."""
    desk = await site.review.desk(who.name)
    if not (wants_page(request) or wants_part(request)):
        found, examples = await desk.item(item)
        return _json({**found.model_dump(mode="json"), "examples": [each.model_dump() for each in examples]})
    last = None
    if asked.done:
        decision = (await desk.item(of_that_form(asked.done)))[0].decision
        last = Done(decision) if decision else None
    return await _answer(request, site, who, await _room(site, desk, asked, item, last), find=asked.find)


@router.post("/review/items/{item}/accept")
async def accept(request: Request, site: SiteDep, who: Who, item: Item) -> Response:
    """Ground it to one of its candidates, counted from 1."""
    given = await told(request, Accepted)
    desk = await site.review.desk(who.name)
    made = await desk.accept(item, candidate=given.candidate, reason=given.reason, seen=given.mark)
    return await _after(request, site, who, desk, given, made)


@router.post("/review/items/{item}/change")
async def change(request: Request, site: SiteDep, who: Who, item: Item) -> Response:
    """Ground it to a concept that is not among its candidates. The terminology is asked whether it has it."""
    given = await told(request, Changed)
    if not given.reason.strip():
        raise BadInput(REASON_NEEDED)
    cui, snomed, name = (part.strip() or None for part in (*given.concept.split("|", 2), "", "")[:3])
    if given.cui.strip() or given.snomed.strip():
        cui, snomed, name = given.cui.strip().upper() or None, given.snomed.strip() or None, given.term.strip() or None
    if cui is None and snomed is None:
        raise BadInput(CONCEPT_NEEDED)
    check_codes(cui, snomed)
    desk = await site.review.desk(who.name)
    found, _ = await desk.item(item)
    terminology = await site.review.terminology()
    choice, known = await named(terminology, found, cui=cui, snomed=snomed, name=name)
    made = await desk.change(item, choice, reason=given.reason, known=known, seen=given.mark)
    return await _after(request, site, who, desk, given, made)


@router.post("/review/items/{item}/reject")
async def reject(request: Request, site: SiteDep, who: Who, item: Item) -> Response:
    """It is not an entity, or no terminology has it: it is never grounded."""
    given = await told(request, Decided)
    desk = await site.review.desk(who.name)
    made = await desk.reject(item, reason=given.reason, seen=given.mark)
    return await _after(request, site, who, desk, given, made)


@router.post("/review/items/{item}/undo")
async def undo(request: Request, site: SiteDep, who: Who, item: Item) -> Response:
    """Take the last decision back: the item waits again."""
    given = await told(request, Decided)
    desk = await site.review.desk(who.name)
    made = await desk.undo(item, reason=given.reason, seen=given.mark)
    return await _after(request, site, who, desk, given, made)


@router.post("/review/accept-above")
async def accept_above(request: Request, site: SiteDep, who: Who) -> Response:
    """Accept what is at least this sure and waits for nothing else. Without `names` they are only counted."""
    given = await told(request, Above)
    desk = await site.review.desk(who.name)
    if not given.names:
        return await _counted(request, site, who, desk, given)
    bulk, count = await desk.accept_all(given.at_least, given.wanted, names=given.names)
    if not (wants_page(request) or wants_part(request)):
        return _json(Chosen(bulk=bulk, count=count))
    return await _answer(request, site, who, await _room(site, desk, given, None, Done(bulk=bulk, count=count)))


@router.post("/review/undo-all")
async def undo_all(request: Request, site: SiteDep, who: Who) -> Response:
    """Take back what was accepted together, where nobody decided otherwise since."""
    given = await told(request, UndoAll)
    desk = await site.review.desk(who.name)
    count = await desk.undo_all(given.bulk)
    if not (wants_page(request) or wants_part(request)):
        return _json(Chosen(bulk=given.bulk, count=count))
    return await _answer(request, site, who, await _room(site, desk, given, None, Done(count=count)))


async def _counted(request: Request, site: Site, who: Identity, desk: Desk, given: Above) -> Response:
    items = await desk.sure_enough(given.at_least, given.wanted)
    bulk = Bulk(given.at_least, len(items), names_of(items), tuple(items[:PAGE]))
    if not (wants_page(request) or wants_part(request)):
        return _json({"at_least": bulk.at_least, "count": bulk.count, "names": bulk.names, "items": items})
    room = await _room(site, desk, given, None, bulk=bulk)
    if wants_part(request):
        return site.pages.fragment(request, who, "part/review_bulk.html", room=room)
    return await _answer(request, site, who, room)


async def _after(request: Request, site: Site, who: Identity, desk: Desk, given: Decided, made: Decision) -> Response:
    """The next item, with a way back. What was undone stays in view: it waits for another decision."""
    if not (wants_page(request) or wants_part(request)):
        return _json(made)
    _, after = await desk.beside(made.item, given.wanted)
    name = made.item if made.action == "undo" else after
    if wants_page(request):
        fields = {**filter_of(given.wanted, given.skip), "done": made.item}
        return RedirectResponse(f"/review/items/{name or made.item}{query_of(fields)}", 303)
    done = None if made.action == "undo" else Done(made)
    return await _answer(request, site, who, await _room(site, desk, given, name, done))


async def _room(
    site: Site, desk: Desk, asked: Filter, name: str | None, done: Done | None = None, bulk: Bulk | None = None
) -> Room:
    wanted = asked.wanted
    queue = await desk.queue(wanted, most=PAGE, skip=asked.skip)
    if not queue.items and queue.total:  # the last ones of this page were decided
        asked = asked.model_copy(update={"skip": 0})
        queue = await desk.queue(wanted, most=PAGE)
    name = name or (queue.items[0].item if queue.items else None)
    shown = await _shown(desk, name, wanted) if name else None
    return Room(queue, wanted, asked.skip, site.review.settings.ground_threshold, shown, done, bulk)


async def _shown(desk: Desk, name: str, wanted: Wanted) -> ItemView:
    item, examples = await desk.item(name)
    before, after = await desk.beside(name, wanted)
    sentences = tuple(sentence(each, item.text) for each in examples)
    return ItemView(item, sentences, before, after, tuple(await desk.history(name)))


async def _answer(request: Request, site: Site, who: Identity, room: Room, *, find: str = "") -> Response:
    if wants_part(request):
        return site.pages.fragment(request, who, "part/review_room.html", room=room, find=find)
    return site.pages.page(request, who, "review.html", room=room, find=find)


def _json(body: object) -> Response:
    return JSONResponse(jsonable_encoder(body))
