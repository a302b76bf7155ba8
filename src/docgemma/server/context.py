"""What a request works with, and whose things it may touch.

An id of somebody else is answered like one that never was: nobody learns which ids exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from docgemma.accounts.model import Identity
from docgemma.accounts.users import Accounts
from docgemma.orders.model import Row
from docgemma.server.identity.guard import Guard
from docgemma.server.identity.who import signed_in
from docgemma.server.pages.review import ReviewRoom
from docgemma.server.pages.templating import Pages
from docgemma.server.runs.desk import Runs
from docgemma.store.ids import unknown
from docgemma.store.rows import Session, StoredImage, Turn
from docgemma.wiring.app import App


@dataclass(frozen=True)
class Site:
    """One a process."""

    app: App
    accounts: Accounts
    guard: Guard
    runs: Runs
    pages: Pages
    review: ReviewRoom


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


SiteDep = Annotated[Site, Depends(site_of)]
Who = Annotated[Identity, Depends(signed_in)]


async def own_session(site: Site, who: Identity, session_id: str) -> Session:
    session = await site.app.store.get_session(session_id)
    if session.owner != who.name:
        raise unknown("session", session_id)
    return session


async def own_talk(site: Site, who: Identity, session_id: str) -> Session:
    """A conversation that this person may go on with. Whoever may not ask, or no more, gets at no chart through an old
    one: it is like one that never was."""
    session = await own_session(site, who, session_id)
    if not who.can("ask") and await is_clinical(site, session):
        raise unknown("session", session_id)
    return session


async def is_clinical(site: Site, session: Session) -> bool:
    """Whether it is about a patient, or asked more than the knowledge base."""
    turns = await site.app.store.turns(session.id)
    return session.patient is not None or any(turn.by == "agent" and not turn.role for turn in turns)


async def own_turn(site: Site, who: Identity, turn_id: str) -> Turn:
    turn = await site.app.store.get_turn(turn_id)
    if (await site.app.store.get_session(turn.session_id)).owner != who.name:
        raise unknown("turn", turn_id)
    return turn


async def own_image(site: Site, who: Identity, image_id: str) -> StoredImage:
    image = await site.app.store.get_image(image_id)
    if image.session_id is None or (await site.app.store.get_session(image.session_id)).owner != who.name:
        raise unknown("image", image_id)
    return image


async def own_order(site: Site, who: Identity, order_id: str) -> Row:
    """A card belongs to whoever it was proposed for, from whichever door."""
    row = await site.app.orders.get(order_id)
    if row.card.proposed_by != who.name:
        raise unknown("order", order_id)
    return row
