"""The consult page: questions to the curated knowledge base, for patients too. Asking itself is `POST /runs`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from docgemma.accounts.model import Identity
from docgemma.server.context import Site, SiteDep, Who, is_clinical, own_session, own_talk
from docgemma.server.pages.consult import offer
from docgemma.server.pages.conversation import Conversation, SessionList, conversation, listed
from docgemma.server.pages.templating import language_of

router = APIRouter(tags=["consult"])


@router.get("/consult")
async def begin(request: Request, site: SiteDep, who: Who, role: Annotated[str, Query(max_length=80)] = "") -> Response:
    """A new conversation with the knowledge base, in this role."""
    return await _page(request, site, who, role, None)


@router.get("/consult/{session_id}")
async def go_on(request: Request, site: SiteDep, who: Who, session_id: str) -> Response:
    """A conversation as it stands. One with questions to the agent is shown where those are."""
    session = await own_talk(site, who, session_id)
    roles = [turn.role for turn in await site.app.store.turns(session.id) if turn.by == "agent"]
    if not all(roles):
        return RedirectResponse(f"/sessions/{session.id}", 303)
    talk = await conversation(session, site.app.store, site.app.orders, site.runs)
    return await _page(request, site, who, roles[-1] if roles else "", talk)


async def _page(request: Request, site: Site, who: Identity, role: str, talk: Conversation | None) -> Response:
    found = await offer(site.app.knowledge, who, role, site.app.settings.consult_role, language_of(request))
    return site.pages.page(
        request,
        who,
        "consult.html",
        offer=found,
        session=talk.session if talk else None,
        turns=talk.turns if talk else (),
        running=talk.running if talk else None,
        earlier=await _earlier(site, who),
    )


async def _earlier(site: Site, who: Identity) -> SessionList:
    """What this person asked before. Those who also ask the agent find everything in their list of conversations."""
    if who.can("ask"):
        return SessionList()
    found = await listed(who.name, site.app.store, site.app.orders)
    own = [each for each in found.items if not await is_clinical(site, await own_session(site, who, each.id))]
    return replace(found, items=tuple(own))
