"""A turn by itself: its record as data, and the way it took through the graph."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from docgemma.agent.record import TurnRecord
from docgemma.errors import Conflict
from docgemma.server.context import SiteDep, Who, own_turn
from docgemma.server.pages.graph_path import graph_path
from docgemma.server.pages.language import translator
from docgemma.server.pages.templating import language_of
from docgemma.store.rows import Turn

router = APIRouter(tags=["turns"])

NO_RECORD = "This question has no answer yet, so there is no record of it. Wait for it, or run it again."


@router.get("/turns/{turn_id}", response_model=TurnRecord)
async def record(turn_id: str, site: SiteDep, who: Who) -> dict[str, Any]:
    """The turn record, as every other door gives it."""
    return _told(await own_turn(site, who, turn_id))


@router.get("/turns/{turn_id}/path", response_class=HTMLResponse)
async def path(turn_id: str, request: Request, site: SiteDep, who: Who) -> HTMLResponse:
    """Which steps the turn went through, drawn on the graph that ran it."""
    found = _told(await own_turn(site, who, turn_id))
    return HTMLResponse(str(graph_path(found, translator(language_of(request)))))


def _told(turn: Turn) -> dict[str, Any]:
    if turn.record is None:
        raise Conflict(NO_RECORD)
    return turn.record
