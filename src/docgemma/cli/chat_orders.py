"""Deciding about orders within a conversation: /approve, /reject, /undo, /orders."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from docgemma.agent.understanding.answers import CARD
from docgemma.cli.deciding import decision, how_it_ended, show
from docgemma.cli.order_output import card, none_waits, receipt, table
from docgemma.cli.orders import OPEN
from docgemma.cli.render import Line, how_to_decide
from docgemma.errors import BadInput
from docgemma.orders.desk import utc_now
from docgemma.orders.model import State
from docgemma.orders.standing import is_open, waits

if TYPE_CHECKING:
    from docgemma.cli.bridge import Bridge
    from docgemma.orders.model import Decision, Receipt, Row

HELP = (
    ("/approve [ID]", "approve the entry that waits (--acknowledge, override: REASON)"),
    ("/reject [ID]", "reject it; a reason may follow"),
    ("/orders", "entries that wait, and those of this conversation"),
    ("/undo ID", "mark a written entry as entered in error; the reason follows"),
)
_WAITING: tuple[State, ...] = ("proposed",)
_ID = re.compile(r"[0-9a-hjkmnp-tv-z]{10}")  # as `orders.model.card_id` makes them
_ACKNOWLEDGE = re.compile(r"(?:^|\s)--acknowledge(?=\s|$)")
_OVERRIDE = re.compile(r"(?:^|\s)(?:--override(?:[=\s]|$)|override\s*:)", re.IGNORECASE)


class Approving(NamedTuple):
    """What was typed behind /approve."""

    order: str
    override: str
    acknowledge: bool


def approving(text: str) -> Approving:
    """The reason takes the rest of the line. Any other word is refused: it was meant to say something."""
    rest = _ACKNOWLEDGE.sub(" ", text)
    marked = _OVERRIDE.search(rest)
    order, reason = (rest[: marked.start()], rest[marked.end() :]) if marked else (rest, "")
    order, reason = order.strip().lower(), _unquoted(reason)
    if order and not _ID.fullmatch(order):
        raise BadInput("Give it as /approve ID, /approve ID override: REASON or /approve ID --acknowledge.")
    if marked and not reason:
        raise BadInput("Going against a stop needs a reason in words: /approve override: REASON.")
    return Approving(order, reason, rest != text)


def named(text: str) -> tuple[str, str]:
    """The id at the start of the line, empty where there is none, and the rest: a reason."""
    first, _, rest = text.partition(" ")
    first = first.lower()
    return (first, _unquoted(rest)) if _ID.fullmatch(first) else ("", _unquoted(text))


def _unquoted(text: str) -> str:
    bare = text.strip()
    return bare[1:-1].strip() if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'" else bare


def _how(row: Row) -> list[Line]:
    return how_to_decide(row.id, row.card.checks, chat=True)


class OrderCommands:
    """Acts on the orders of the conversation that is open: `session` gives its id, `shown` the card on the screen."""

    def __init__(self, bridge: Bridge, *, session: Callable[[], str | None], shown: Callable[[], str | None]) -> None:
        self._bridge = bridge
        self._session = session
        self._shown = shown

    def approve(self, text: str) -> None:
        asked = approving(text)
        row = self._meant(asked.order)
        if row is None:
            return
        if not asked.order and self._is_being_changed(row):
            raise BadInput(f"A change to this entry is open: answer the question, or /approve {row.id} as it was.")
        if row.id != self._shown():
            show([*card(row, utc_now()), Line()])
        given = self._decision(row, override=asked.override, acknowledged=asked.acknowledge)
        self._carry_out(lambda: self._bridge.app.sessions.approve(row.id, given), "written")

    def reject(self, text: str) -> None:
        order, reason = named(text)
        row = self._meant(order)
        if row is None:
            return
        given = self._decision(reason=reason)
        self._carry_out(lambda: self._bridge.app.sessions.reject(row.id, given), "rejected")

    def undo(self, text: str) -> None:
        order, reason = named(text)
        if not order:
            raise BadInput("Say which and why: /undo ID reason. /orders lists them.")
        given = self._decision(reason=reason)
        self._carry_out(lambda: self._bridge.app.sessions.undo(order, given), "undone")

    def overview(self, _: str) -> None:
        now, desk, session = utc_now(), self._bridge.app.orders, self._session()
        rows = [row for row in self._bridge.wait(lambda: desk.listed(states=OPEN)) if is_open(row, now)]
        if session is not None:
            known = {row.id for row in rows}
            here = self._bridge.wait(lambda: desk.listed(session=session))
            rows += [row for row in here if row.id not in known]
        show(table(rows, now) if rows else none_waits(everything=False))

    def show_waiting(self) -> None:
        """The cards of this conversation that wait, for somebody who comes back to it."""
        for row in self._waiting():
            show([Line(), *card(row, utc_now()), *_how(row)])

    def _decision(
        self, row: Row | None = None, *, override: str = "", acknowledged: bool = False, reason: str = ""
    ) -> Decision:
        app = self._bridge.app
        return self._bridge.wait(
            lambda: decision(app, row, override=override, acknowledged=acknowledged, reason=reason)
        )

    def _meant(self, order: str) -> Row | None:
        """The order of this id, else the one that waits in this conversation. Of several none is guessed: None."""
        if order:
            return self._bridge.wait(lambda: self._bridge.app.orders.get(order))
        waiting = self._waiting()
        if not waiting:
            raise BadInput("No entry of this conversation waits for approval. /orders lists those of others.")
        if len(waiting) == 1:
            return waiting[0]
        several = f"{len(waiting)} entries of this conversation wait. Say which, by its id."
        show([*table(waiting, utc_now()), Line(several, "warning")])
        return None

    def _is_being_changed(self, row: Row) -> bool:
        """Whether a change to it was asked for and a question about that is open: it is no longer what was meant."""
        session = self._session()
        if session is None:
            return False
        pending = self._bridge.wait(lambda: self._bridge.app.sessions.store.get_session(session)).pending or {}
        return pending.get("reason") != CARD and (pending.get("pending") or {}).get("card") == row.id

    def _waiting(self) -> list[Row]:
        session = self._session()
        if session is None:
            return []
        found = self._bridge.wait(lambda: self._bridge.app.orders.listed(states=_WAITING, session=session))
        return [row for row in found if waits(row, utc_now())]

    def _carry_out(self, work: Callable[[], Awaitable[Receipt]], wanted: State) -> None:
        try:
            ended = self._bridge.wait(work)
        except KeyboardInterrupt:
            show([Line(), Line("Stopped. /orders says what became of it; nothing is written twice.", "warning")])
            return
        error = how_it_ended(ended, wanted)
        show([*receipt(ended), *([Line(f"! {error}", "warning", hang=2)] if error else [])])
