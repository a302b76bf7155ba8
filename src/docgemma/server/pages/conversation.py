"""A conversation as it is stored: its turns, its cards as the ledger has them now, and the list of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from docgemma.errors import DocGemmaError, UnknownId
from docgemma.orders.desk import Orders
from docgemma.orders.model import Row, State
from docgemma.server.pages.turn import TurnView, turn_view
from docgemma.server.runs.desk import Runs
from docgemma.server.runs.model import RunInfo
from docgemma.store.rows import Session, Turn
from docgemma.store.sessions import Store
from docgemma.tools.results import match_in

PAGE = 50
_MOST_WAITING = 500
_WAITS: tuple[State, ...] = ("proposed",)


@dataclass(frozen=True, slots=True)
class Listed:
    """One conversation in the list. `waiting`: an entry prepared in it waits for approval."""

    id: str
    title: str
    patient: str
    sure: bool
    used: str
    waiting: bool


@dataclass(frozen=True, slots=True)
class SessionList:
    """The last used first. `before` leads to the next ones; empty where there are no more."""

    items: tuple[Listed, ...] = ()
    before: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """`running` is the run that is still answering: whoever opens the page hears the rest of it."""

    session: Session
    turns: tuple[TurnView, ...]
    running: RunInfo | None


def utc_now() -> datetime:
    return datetime.now(UTC)


async def conversation(session: Session, store: Store, orders: Orders, runs: Runs) -> Conversation:
    turns = await store.turns(session.id)
    rows = await rows_of(turns, orders)
    now, last = utc_now(), last_question(turns)
    views = tuple(
        turn_view(turn, rows, now, _is_open(place == last, turn, session)) for place, turn in enumerate(turns)
    )
    return Conversation(session, views, await _running(turns, session, runs))


def last_question(turns: Sequence[Turn]) -> int:
    """Where the last question stands. A receipt that came after it does not answer it."""
    return max((place for place, turn in enumerate(turns) if turn.by == "agent"), default=-1)


def _is_open(last: bool, turn: Turn, session: Session) -> bool:
    """An offer is open only while the session waits for its answer: a button of an old one must not answer another."""
    asked = (turn.record or {}).get("clarification")
    return last and not (asked and session.pending is None)


def cards_of(turn: Turn) -> list[str]:
    """The ids of the cards that a turn ended in."""
    record = turn.record or {}
    made = record.get("approvals") or [record.get("approval")]
    return [str(card["id"]) for card in made if isinstance(card, Mapping) and card.get("id")]


async def rows_of(turns: Iterable[Turn], orders: Orders) -> dict[str, Row]:
    """The cards that these turns ended in, by their id. One that cannot be read is not among them."""
    found: dict[str, Row] = {}
    for ident in dict.fromkeys(card for turn in turns for card in cards_of(turn)):
        try:
            found[ident] = await orders.get(ident)
        except DocGemmaError:
            continue
    return found


async def _running(turns: Sequence[Turn], session: Session, runs: Runs) -> RunInfo | None:
    place = last_question(turns)
    if place < 0 or turns[place].status != "running":
        return None
    try:
        run = await runs.info(turns[place].id, session.owner)
    except UnknownId:
        return None
    return run if run.state == "running" else None


async def listed(owner: str, store: Store, orders: Orders, *, before: str = "") -> SessionList:
    """One page of the list. `before` is the time of the last one that was seen."""
    found = await _older(owner, store, before)
    now = utc_now().isoformat()
    cards = await orders.ledger.listed(states=_WAITS, who=owner, limit=_MOST_WAITING)
    waiting = {row.card.session_id for row in cards if row.card.expires_at > now}
    items = tuple(_listed(session, session.id in waiting) for session in found[:PAGE] if _begun(session))
    return SessionList(items, found[PAGE - 1].updated_at if len(found) > PAGE else "")


async def _older(owner: str, store: Store, before: str) -> Sequence[Session]:
    """One more than a page holds, so that it is known whether there is a next one."""
    limit = PAGE + 1
    while True:
        some = await store.list_sessions(owner, limit)
        older = [session for session in some if not before or session.updated_at < before]
        if len(older) > PAGE or len(some) < limit:
            return older
        limit *= 4


def _begun(session: Session) -> bool:
    """Nobody looks for one in which an image was put down and nothing was asked."""
    return bool(session.turn_count or session.patient or session.title)


def _listed(session: Session, waiting: bool) -> Listed:
    patient = session.patient
    return Listed(
        id=session.id,
        title=session.title,
        patient=match_in(patient.banner, patient.id).name if patient else "",
        sure=patient is None or patient.confirmed,
        used=f"{session.updated_at[:16].replace('T', ' ')} UTC",
        waiting=waiting,
    )
