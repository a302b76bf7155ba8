"""Where an order stands, in words, and whether anybody has still something to do about it."""

from __future__ import annotations

from datetime import datetime

from docgemma.orders.model import UNFINISHED, CheckOutcome, Row, State

WORDS: dict[State, str] = {
    "proposed": "waits for approval; nothing is in the chart",
    "approved": "approved, not in the chart yet",
    "writing": "approved, being written",
    "unknown": "outcome unknown, checking",
    "written": "in the chart as approved",
    "differs": "in the chart, but NOT as approved",
    "refused": "refused by the record system; nothing was written",
    "rejected": "rejected; nothing was written",
    "expired": "expired; nothing was written",
    "withdrawn": "withdrawn; nothing was written",
    "undoing": "being marked as entered in error",
    "undone": "marked as entered in error",
}
ALARMING: frozenset[State] = frozenset({"unknown", "differs", "refused"})

MARKS: dict[CheckOutcome, str] = {
    "hard_stop": "STOP",
    "not_checked": "NOT CHECKED",
    "warning": "WARNING",
    "passed": "passed",
}
"""How a check ended, the gravest first."""


def waits(row: Row, now: datetime) -> bool:
    """Whether a person can still decide it. One that nobody decided in time is still `proposed` in the ledger."""
    return row.state == "proposed" and not is_past(row.card.expires_at, now)


def is_open(row: Row, now: datetime) -> bool:
    """Whether anybody has still something to do about it."""
    return waits(row, now) or row.state in UNFINISHED or row.state == "differs"


def standing(row: Row, now: datetime) -> State:
    """The state as a person has to take it: a card whose time is over has expired, whoever noted that."""
    return "expired" if row.state == "proposed" and not waits(row, now) else row.state


def minutes_left(row: Row, now: datetime) -> int:
    """Whole minutes in which it can still be decided."""
    return int((datetime.fromisoformat(row.card.expires_at) - now).total_seconds() // 60)


def is_past(moment: str, now: datetime) -> bool:
    """A time that cannot be read is over: nothing waits for ever."""
    try:
        return datetime.fromisoformat(moment) <= now
    except (ValueError, TypeError):
        return True
