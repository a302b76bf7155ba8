"""Deciding about orders within a conversation: /approve, /reject, /undo, /orders."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from docgemma.agent.understanding.card_changes import CARD
from docgemma.cli.orders import OPEN, card, decision, how_it_ended, now, overview, receipt
from docgemma.cli.render import Line, show
from docgemma.cli.turn_output import how_to_decide
from docgemma.errors import BadInput
from docgemma.orders.standing import is_open, waits

if TYPE_CHECKING:
    from docgemma.orders.model import Receipt, Row, State
    from docgemma.wiring.app import App

_WAITING: tuple[State, ...] = ("proposed",)
_ID = re.compile(r"[0-9a-hjkmnp-tv-z]{10}")  # as `orders.model.card_id` makes them
_ACKNOWLEDGE = re.compile(r"(?:^|\s)--acknowledge(?=\s|$)")
_OVERRIDE = re.compile(r"(?:^|\s)(?:--override(?:[=\s]|$)|override\s*:)", re.IGNORECASE)


class Approval(NamedTuple):
    """What was typed behind /approve."""

    order: str
    override: str
    acknowledge: bool


def parse_approval(text: str) -> Approval:
    """The reason takes the rest of the line. Any other word is refused: it was meant to say something."""
    rest = _ACKNOWLEDGE.sub(" ", text)
    marked = _OVERRIDE.search(rest)
    order, reason = (rest[: marked.start()], rest[marked.end() :]) if marked else (rest, "")
    order, reason = order.strip().lower(), _unquoted(reason)
    if order and not _ID.fullmatch(order):
        raise BadInput("Give it as /approve ID, /approve ID override: REASON or /approve ID --acknowledge.")
    if marked and not reason:
        raise BadInput("Going against a stop needs a reason in words: /approve override: REASON.")
    return Approval(order, reason, rest != text)


def parse_reason(text: str) -> tuple[str, str]:
    """The id at the start of the line, empty where there is none, and the rest: a reason."""
    first, _, rest = text.partition(" ")
    first = first.lower()
    return (first, _unquoted(rest)) if _ID.fullmatch(first) else ("", _unquoted(text))


def _unquoted(text: str) -> str:
    bare = text.strip()
    return bare[1:-1].strip() if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'" else bare


class OrderCommands:
    """Acts on the orders of the conversation that is open: `session` gives its id, `shown` the card on the screen."""

    def __init__(self, app: App, *, session: Callable[[], str | None], shown: Callable[[], str | None]) -> None:
        self._app = app
        self._session = session
        self._shown = shown

    async def do_approve(self, text: str) -> None:
        asked = parse_approval(text)
        row = await self._meant(asked.order)
        if row is None:
            return
        if not asked.order and await self._is_being_changed(row):
            raise BadInput(f"A change to this entry is open: answer the question, or /approve {row.id} as it was.")
        if row.id != self._shown():
            show([*card(row, now()), Line()])
        given = await decision(self._app, row, override=asked.override, acknowledged=asked.acknowledge)
        _show_end(await self._app.sessions.approve(row.id, given), "written")

    async def do_reject(self, text: str) -> None:
        order, reason = parse_reason(text)
        row = await self._meant(order)
        if row is not None:
            given = await decision(self._app, reason=reason)
            _show_end(await self._app.sessions.reject(row.id, given), "rejected")

    async def do_undo(self, text: str) -> None:
        order, reason = parse_reason(text)
        if not order:
            raise BadInput("Say which and why: /undo ID reason. /orders lists them.")
        given = await decision(self._app, reason=reason)
        _show_end(await self._app.sessions.undo(order, given), "undone")

    async def do_orders(self, _: str) -> None:
        session = self._session()
        rows = [row for row in await self._app.orders.listed(states=OPEN) if is_open(row, now())]
        if session is not None:
            known = {row.id for row in rows}
            rows += [row for row in await self._app.orders.listed(session=session) if row.id not in known]
        show(overview(rows, now()))

    async def show_waiting(self) -> None:
        """The cards of this conversation that wait, for somebody who comes back to it."""
        for row in await self._waiting():
            show([Line(), *card(row, now()), *how_to_decide(row.id, row.card.checks, chat=True)])

    async def _meant(self, order: str) -> Row | None:
        """The order of this id, else the one that waits in this conversation. Of several none is guessed: None."""
        if order:
            return await self._app.orders.get(order)
        waiting = await self._waiting()
        if not waiting:
            raise BadInput("No entry of this conversation waits for approval. /orders lists those of others.")
        if len(waiting) == 1:
            return waiting[0]
        several = f"{len(waiting)} entries of this conversation wait. Say which, by its id."
        show([*overview(waiting, now()), Line(several, "warning")])
        return None

    async def _is_being_changed(self, row: Row) -> bool:
        """Whether a change to it was asked for and a question about that is open: it is no longer what was meant."""
        session = self._session()
        if session is None:
            return False
        pending = (await self._app.sessions.store.get_session(session)).pending or {}
        return pending.get("reason") != CARD and (pending.get("pending") or {}).get("card") == row.id

    async def _waiting(self) -> list[Row]:
        session = self._session()
        if session is None:
            return []
        return [row for row in await self._app.orders.listed(states=_WAITING, session=session) if waits(row, now())]


def _show_end(ended: Receipt, wanted: State) -> None:
    error = how_it_ended(ended, wanted)
    show([*receipt(ended), *([Line(f"! {error}", "warning", hang=2)] if error else [])])
