"""Deciding about a prepared chart entry. Only these routes decide: a typed "yes" is a message like any other.

The hash of the card that the person saw travels with every decision, so that nobody approves another card than the
one on their screen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from hmac import compare_digest
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, RedirectResponse, Response

from docgemma.accounts.model import Identity
from docgemma.errors import BadInput, Conflict, DocGemmaError, HardStop
from docgemma.orders.desk import utc_now
from docgemma.orders.model import UNFINISHED, Decision, Receipt, Row, as_json
from docgemma.server.context import Site, SiteDep, Who, own_order
from docgemma.server.fields import told
from docgemma.server.pages.card import card_view
from docgemma.server.pages.templating import wants_page, wants_part
from docgemma.server.pages.words import for_the_page

router = APIRouter(tags=["orders"])

LONGEST = 2000
ANOTHER = "This is not the card on your screen any more. Reload the page and read it again before you decide."
NO_STOP = "There is no stop on this card, so there is nothing to override. Approve it without a reason."


class Seen(BaseModel):
    """`hash` is the one of the card that was read."""

    hash: str = Field(min_length=1, max_length=128)


class Approve(Seen):
    """`override` goes against a stop; `acknowledge` says that what was not checked was seen."""

    override: str = Field(default="", max_length=LONGEST)
    acknowledge: bool = False


class Explained(Seen):
    reason: str = Field(default="", max_length=LONGEST)


Act = Callable[[str, Decision], Awaitable[Receipt]]


def _body(kind: type[BaseModel]) -> dict[str, Any]:
    kinds = ("application/json", "application/x-www-form-urlencoded")
    schema = {"schema": kind.model_json_schema()}
    return {"requestBody": {"required": True, "content": dict.fromkeys(kinds, schema)}}


@router.get("/orders/{order_id}", response_model=None)
async def show(order_id: str, request: Request, site: SiteDep, who: Who) -> Response:
    """The order as the ledger has it; for our own script its card."""
    row = await own_order(site, who, order_id.strip().lower())
    return await _answer(site, request, who, row)


@router.post("/orders/{order_id}/approve", response_model=None, openapi_extra=_body(Approve))
async def approve(order_id: str, request: Request, site: SiteDep, who: Who) -> Response:
    """Write what the card says. Saying it again gives the same receipt; while the outcome is unknown it looks again."""
    given = await told(request, Approve)
    row = await _seen(site, who, order_id, given)
    if given.override.strip() and not row.card.hard_stops:
        raise BadInput(NO_STOP)
    decision = _decision(who, override=given.override.strip(), acknowledged=given.acknowledge)
    return await _decided(site, request, who, row, decision, site.app.sessions.approve)


@router.post("/orders/{order_id}/reject", response_model=None, openapi_extra=_body(Explained))
async def reject(order_id: str, request: Request, site: SiteDep, who: Who) -> Response:
    """Decide against it: nothing is written."""
    given = await told(request, Explained)
    row = await _seen(site, who, order_id, given)
    return await _decided(
        site, request, who, row, _decision(who, reason=given.reason.strip()), site.app.sessions.reject
    )


@router.post("/orders/{order_id}/undo", response_model=None, openapi_extra=_body(Explained))
async def undo(order_id: str, request: Request, site: SiteDep, who: Who) -> Response:
    """Mark as entered in error what was written. It stays in the chart, marked."""
    given = await told(request, Explained)
    row = await _seen(site, who, order_id, given)
    return await _decided(site, request, who, row, _decision(who, reason=given.reason.strip()), site.app.sessions.undo)


def _decision(who: Identity, **given: Any) -> Decision:
    return Decision(who=who.name, may_prescribe=who.may_prescribe, **given)


async def _seen(site: Site, who: Identity, order_id: str, given: Seen) -> Row:
    """The order, if it is the card that this person read."""
    row = await own_order(site, who, order_id.strip().lower())
    if not compare_digest(given.hash.encode(), row.hash.encode()):
        raise Conflict(ANOTHER)
    return row


async def _decided(site: Site, request: Request, who: Identity, row: Row, decision: Decision, act: Act) -> Response:
    """Carry it out and show the card as it stands then. The desk's sentences name what is typed in a terminal."""
    try:
        await act(row.id, decision)
    except (HardStop, BadInput, Conflict) as error:
        raise type(error)(for_the_page(str(error))) from error
    return await _answer(site, request, who, await site.app.orders.get(row.id))


async def _answer(site: Site, request: Request, who: Identity, row: Row) -> Response:
    """A card for our script, the conversation for a browser without it, data for programs.

    202 says that the chart does not show it yet: ask again.
    """
    if wants_part(request):
        card = card_view(row, utc_now(), await _sources(site, row))
        return site.pages.fragment(request, who, "part/card.html", card=card)
    if wants_page(request) and row.card.session_id:
        return RedirectResponse(f"/sessions/{row.card.session_id}#card-{row.id}", 303)
    return JSONResponse(as_json(row), 202 if row.state in UNFINISHED else 200)


async def _sources(site: Site, row: Row) -> Mapping[str, str]:
    """Where each field was taken from, as the turn told that proposed it; nothing where that is not kept."""
    record: dict[str, Any] = {}
    with suppress(DocGemmaError):
        record = (await site.app.store.get_turn(row.card.turn_id)).record or {} if row.card.turn_id else {}
    made = record.get("approvals") or [record.get("approval") or {}]
    approval: Mapping[str, Any] = next((card for card in made if card.get("id") == row.id), {})
    return {str(name): str(source) for name, source in (approval.get("sources") or {}).items()}
