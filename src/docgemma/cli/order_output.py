"""An order as lines for a terminal: its card, what was decided, what became of it, and the list of them.

Pure, as `render`: whoever prints says what time it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from docgemma.cli.render import Line, Style, moment, one_line, styled
from docgemma.cli.render import table as aligned
from docgemma.cli.turn_output import checks, framed
from docgemma.entities.printable import plain
from docgemma.orders.carding import TITLES, title
from docgemma.orders.model import IN_CHART, Card, Decision, Receipt, Row, State
from docgemma.orders.standing import ALARMING, WORDS, is_open, minutes_left, standing, waits

_PATIENT, _TITLE = 40, 60


def card(row: Row, now: datetime) -> list[Line]:
    """What a person decides about, whole: the text behind a bar that nothing in it can fake, then every check."""
    return [
        Line(f"Order {one_line(row.id)}: {_standing(row, now)}", _weight(row.state), hang=2),
        *_text(row.card),
        *checks(row.card.checks),
        *_footnote(row.card),
    ]


def _weight(state: State) -> Style:
    return "warning" if state in ALARMING else "strong"


def _standing(row: Row, now: datetime) -> str:
    if not waits(row, now):
        return WORDS[standing(row, now)]
    return f"waits for approval; nothing is in the chart. {_left(row, now)} left, until {moment(row.card.expires_at)}"


def _left(row: Row, now: datetime) -> str:
    minutes = minutes_left(row, now)
    return f"{minutes} min" if minutes else "less than 1 min"


def _text(shown: Card) -> list[Line]:
    banner = one_line(shown.banner)
    missing = banner and banner not in one_line(shown.text)
    return framed(f"Patient: {banner}\n{shown.text}" if missing else shown.text)


def _footnote(shown: Card) -> list[Line]:
    said = "  Demonstration data, not reviewed by a clinician."
    return [Line(said, "warning", hang=2)] if shown.demonstration else []


def receipt(ended: Receipt) -> list[Line]:
    """What became of it, in the words that code made of what was read back."""
    lines = [Line(line, _weight(ended.status), hang=2) for line in plain(ended.text).splitlines()]
    told = one_line(ended.text)
    return [*lines, *(Line(f"  ! {one_line(one)}", "warning", hang=4) for one in ended.differences if one not in told)]


def whole(row: Row, now: datetime) -> list[Line]:
    """Everything that is known of an order: the card, who decided what and when, where it lies, the receipt."""
    return [*card(row, now), Line(), *_history(row), *_last_words(row)]


def _history(row: Row) -> Iterator[Line]:
    via = f", {one_line(row.card.via)}" if row.card.via else ""
    yield Line(f"Proposed   {moment(row.card.created_at)} by {one_line(row.card.proposed_by)}{via}")
    if row.approval is not None:
        yield from _decided("Approved", row.approval, row.approved_at)
    if row.decision is not None:
        yield from _decided("Undone" if row.approval else "Decided", row.decision, row.decided_at)
    if row.resource_id:
        version = f", version {one_line(row.resource_version)}" if row.resource_version else ""
        yield Line(f"In chart   {one_line(row.resource_kind)}/{one_line(row.resource_id)}{version}")
    if row.card.session_id:
        yield Line(f"Session    {one_line(row.card.session_id)}")
    yield Line(f"Changed    {moment(row.updated_at)}", "dim")


def _decided(what: str, decision: Decision, at: str) -> Iterator[Line]:
    yield Line(f"{what:<11}{moment(at)} by {one_line(decision.who)}")
    given = (("Override", decision.override), ("Reason", decision.reason))
    yield from (Line(f"{name:<11}{one_line(text)}", hang=11) for name, text in given if text)
    if decision.acknowledged:
        yield Line("           what could not be checked was acknowledged")


def _last_words(row: Row) -> list[Line]:
    return [Line(), *receipt(row.receipt)] if row.receipt else []


def table(rows: Sequence[Row], now: datetime) -> Iterator[Line]:
    """One line an order: those that wait for somebody first, each group as it came."""
    ordered = sorted(rows, key=lambda row: (not waits(row, now), not is_open(row, now)))
    cells = [("order", "state", "time left", "patient", "entry", "proposed"), *(_cells(row, now) for row in ordered)]
    return styled(aligned(cells), (_style(row, now) for row in ordered))


def none_waits(*, everything: bool) -> list[Line]:
    """What stands in place of an empty table."""
    return [Line("There are no such orders." if everything else "No order waits for anybody.", "dim")]


def _cells(row: Row, now: datetime) -> tuple[str, ...]:
    born = ",".join(row.card.banner.split(",")[:2])
    return (
        one_line(row.id),
        standing(row, now),
        _left(row, now) if waits(row, now) else "",
        one_line(born or row.card.draft.patient_id, _PATIENT),
        one_line(f"{TITLES[row.card.draft.kind]}, {title(row.card.draft)}", _TITLE),
        moment(row.card.created_at),
    )


def _style(row: Row, now: datetime) -> Style:
    if row.state in ALARMING:
        return "warning"
    return "plain" if is_open(row, now) or row.state in IN_CHART else "dim"


def counted(receipts: Iterable[Receipt]) -> str:
    """How many ended in which way: "2 in the chart as approved, 1 outcome unknown, checking"."""
    ends: dict[State, int] = {}
    for one in receipts:
        ends[one.status] = ends.get(one.status, 0) + 1
    return "; ".join(f"{count} {WORDS[state].partition(';')[0]}" for state, count in ends.items())
