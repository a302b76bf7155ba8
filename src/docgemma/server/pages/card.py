"""The approval card as the page shows it: always from the ledger as it stands now, never from an old record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from docgemma.drugs.rules.outcome import UNREVIEWED
from docgemma.entities.printable import plain
from docgemma.orders.carding import TITLES, called, card_text, fields, grouped, in_brackets, rests_on_tables
from docgemma.orders.model import IN_CHART, UNFINISHED, Check, CheckOutcome, Decision, Kind, Receipt, Row, State
from docgemma.orders.standing import ALARMING, MARKS, WORDS, minutes_left, standing, waits
from docgemma.server.pages.words import HEADINGS, SHORT, Grade, for_the_page

LEAST_REASON = 10
_GRADES: dict[CheckOutcome, Grade] = {
    "hard_stop": "danger",
    "not_checked": "gap",
    "warning": "warning",
    "passed": "note",
}
_ARGUMENTS = {
    "Medication": "medication_name",
    "Dose": "dosage",
    "How often": "frequency",
    "Route": "notes",
    "How long": "notes",
    "Notes": "notes",
    "Substance": "substance",
    "Reaction": "reaction",
    "Severity": "severity",
    "Type": "note_type",
    "Text": "note_text",
}
"""Which argument of the request each line of a card was made from."""


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the entry. `source` says where it was taken from, where that is known."""

    name: str
    value: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class CheckView:
    grade: Grade
    mark: str
    name: str
    detail: str
    basis: str


@dataclass(frozen=True, slots=True)
class Decided:
    """Who decided what and when. `what` is one of a few words that templates translate."""

    what: Literal["Approved", "Rejected", "Undone", "Ended"]
    who: str
    at: str
    override: str = ""
    reason: str = ""
    acknowledged: bool = False


@dataclass(frozen=True, slots=True)
class CardView:
    """`hash` goes with every decision: it is this card that the person saw."""

    id: str
    hash: str
    kind: Kind
    state: State
    heading: str
    badge: str
    standing: str
    alarming: bool
    banner: str
    fields: tuple[Field, ...]
    text: str
    checks: tuple[CheckView, ...]
    passed: tuple[CheckView, ...]
    footnote: str
    demonstration: bool
    waiting: bool
    minutes: int
    expires: str
    stopped: bool
    unchecked: str
    decided: tuple[Decided, ...]
    receipt: tuple[str, ...]
    differences: tuple[str, ...]
    resource: str
    again: Literal["approve", "undo", ""]
    undoable: bool
    readonly: bool
    session_id: str
    proposed_by: str
    proposed_at: str


def card_view(row: Row, now: datetime, sources: Mapping[str, str] | None = None) -> CardView:
    """The card at this moment. `sources` are those of the record that it was proposed in."""
    card, state = row.card, standing(row, now)
    waiting = waits(row, now)
    shown = [_check(check) for check in grouped(card.checks)]
    entry = fields(card.draft) if card_text(card.draft, card.banner) == card.text else ()
    told = row.receipt
    return CardView(
        id=row.id,
        hash=row.hash,
        kind=card.draft.kind,
        state=state,
        heading=HEADINGS[card.draft.kind] if waiting else TITLES[card.draft.kind],
        badge=SHORT[state],
        standing=WORDS[state],
        alarming=state in ALARMING,
        banner=plain(card.banner),
        fields=tuple(_field(name, value, sources or {}) for name, value in entry),
        text=plain(card.text),
        checks=tuple(check for check in shown if check.grade != "note"),
        passed=tuple(check for check in shown if check.grade == "note"),
        footnote=UNREVIEWED if rests_on_tables(card.checks) else "",
        demonstration=card.demonstration,
        waiting=waiting,
        minutes=minutes_left(row, now) if waiting else 0,
        expires=minute(card.expires_at),
        stopped=bool(card.hard_stops),
        unchecked=_names(card.not_checked),
        decided=_decided(row),
        receipt=_receipt_lines(told) if told else (),
        differences=tuple(plain(line) for line in told.differences) if told else (),
        resource=f"{row.resource_kind}/{row.resource_id}" if row.resource_id else "",
        again=("undo" if state == "undoing" else "approve") if state in UNFINISHED else "",
        undoable=state in IN_CHART,
        readonly=card.via == "batch",
        session_id=card.session_id,
        proposed_by=plain(card.proposed_by),
        proposed_at=minute(card.created_at),
    )


def _field(name: str, value: str, sources: Mapping[str, str]) -> Field:
    return Field(name, plain(value), sources.get(_ARGUMENTS.get(name, ""), ""))


def _check(check: Check) -> CheckView:
    return CheckView(
        grade=_GRADES[check.outcome],
        mark=MARKS[check.outcome],
        name=plain(called(check)),
        detail=plain(check.detail),
        basis=plain(in_brackets(check.basis).strip(" []")),
    )


def _names(checks: Sequence[Check]) -> str:
    return ", ".join(dict.fromkeys(plain(called(check)) for check in checks))


def _decided(row: Row) -> tuple[Decided, ...]:
    """In the order in which it happened. A card that ended by itself says why."""
    found: list[Decided] = []
    if row.approval is not None:
        found.append(_told("Approved", row.approval, row.approved_at))
    if row.decision is not None:
        what: Literal["Approved", "Rejected", "Undone", "Ended"]
        if row.state in ("undoing", "undone") or row.approval is not None:
            what = "Undone"
        elif row.state == "rejected":
            what = "Rejected"
        else:
            what = "Ended" if row.state in ("expired", "withdrawn") else "Approved"
        found.append(_told(what, row.decision, row.decided_at))
    return tuple(found)


def _told(what: Literal["Approved", "Rejected", "Undone", "Ended"], decision: Decision, at: str) -> Decided:
    return Decided(
        what,
        plain(decision.who),
        minute(at),
        plain(decision.override),
        plain(decision.reason),
        decision.acknowledged,
    )


def _receipt_lines(told: Receipt) -> tuple[str, ...]:
    """The receipt, but for who decided and why, and for what differs: the card tells those by themselves."""
    shown = {f"Different: {line}" for line in told.differences}
    lines = [line for line in plain(told.text).splitlines() if line.strip() and line not in shown]
    return tuple(
        for_the_page(line) for line in lines if not line.startswith(("Decided by ", "Against a stop, because:"))
    )


def minute(moment: str) -> str:
    """A time to the minute, in UTC as in receipts and the audit log. One that cannot be read stays as it is."""
    return f"{moment[:10]} {moment[11:16]} UTC" if len(moment) >= 16 and moment[10] == "T" else plain(moment)
