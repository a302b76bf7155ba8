"""`docgemma approve`, `docgemma reject` and `docgemma orders`: a person decides about chart entries that wait."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args

import click

from docgemma.cli import services
from docgemma.cli.options import limit_option, operator
from docgemma.cli.render import (
    Line,
    Output,
    Style,
    json_option,
    moment,
    one_line,
    printed,
    reports,
    show,
    styled,
    table,
)
from docgemma.cli.turn_output import checks, framed
from docgemma.entities.printable import plain
from docgemma.errors import BadInput, Conflict, DocGemmaError, Unavailable
from docgemma.orders.carding import TITLES, title
from docgemma.orders.model import IN_CHART, UNFINISHED, Decision, Receipt, Row, State, as_json
from docgemma.orders.standing import ALARMING, WORDS, is_open, minutes_left, standing, waits

if TYPE_CHECKING:
    from docgemma.config import Settings
    from docgemma.wiring.app import App

OPEN: tuple[State, ...] = ("proposed", *sorted(UNFINISHED), "differs")
"""What somebody has still something to do about."""

_JSON = "Print the order as one line of JSON instead."
_PATIENT, _TITLE = 40, 60
order_argument = click.argument("order", metavar="ID", callback=lambda _, __, given: given.strip().lower())


@asynccontextmanager
async def settled_app(settings: Settings) -> AsyncIterator[App]:
    """The application; what was left open is finished first, which is said on standard error."""
    async with services.app(settings) as app:
        if settled := await settle(app):
            click.echo(f"docgemma: {settled}", err=True)
        yield app


@click.command()
@order_argument
@click.option("--override", metavar="REASON", default="", help="Go against a stop on the card, for this reason.")
@click.option("--acknowledge", is_flag=True, help="What could not be checked was seen and is accepted.")
@json_option(_JSON)
@services.needs(settled_app)
async def approve(app: App, order: str, override: str, acknowledge: bool, as_json: bool) -> int:
    """Approve an order: its card is printed, the entry is written to the chart, read back and compared.

    The approval is for this card alone: when it has expired, or chart or patient are others by now, nothing is
    written. A repeat prints the same receipt and writes nothing. The reason for an override is kept with your name.

    \b
    Examples:
      docgemma approve k3v9tq2m8x
      docgemma approve k3v9tq2m8x --acknowledge
      docgemma approve k3v9tq2m8x --override "Tolerated amoxicillin last year, allergy label is wrong"

    Exit codes: 0 written; 2 something was not checked and not acknowledged, or the reason is too short; 3 unknown id;
    4 could not be written, or not known yet; 5 expired, changed, decided before, or not in the chart as approved;
    6 a stop.
    """
    row = await app.orders.get(order)
    if not as_json:
        show([*card(row, now()), Line()])
    given = await decision(app, row, override=override, acknowledged=acknowledge)
    return await _end(app, await app.sessions.approve(order, given), "written", json=as_json)


@click.command()
@order_argument
@click.option("--reason", metavar="TEXT", default="", help="Why; it is kept with your name.")
@json_option(_JSON)
@services.needs(settled_app)
async def reject(app: App, order: str, reason: str, as_json: bool) -> int:
    """Reject an order that waits for approval. Nothing is written to the chart.

    \b
    Examples:
      docgemma reject k3v9tq2m8x
      docgemma reject k3v9tq2m8x --reason "Dose is for an adult"

    Exit codes: 0 rejected; 3 unknown id; 5 decided before.
    """
    receipt = await app.sessions.reject(order, await decision(app, reason=reason))
    return await _end(app, receipt, "rejected", json=as_json)


@click.group()
def orders() -> None:
    """Chart entries (prescription, allergy, note) that wait for a person or were decided.

    `docgemma approve ID` and `docgemma reject ID` decide about one that waits.
    """


@orders.command("list")
@click.option(
    "--state", "states", type=click.Choice(get_args(State)), multiple=True, help="Only these; may be repeated."
)
@click.option("--patient", metavar="ID", help="Only entries for this patient, by id.")
@click.option("--all", "everything", is_flag=True, help="Also those that nobody has to do anything about.")
@limit_option(10_000, 50, "The newest N of them.")
@reports(settled_app, "Print one JSON object a line.")
async def list_(app: App, states: tuple[State, ...], patient: str | None, everything: bool, limit: int) -> Output:
    """List orders that somebody has still something to do about; those that wait for approval come first.

    \b
    Examples:
      docgemma orders list
      docgemma orders list --patient abc-123 --all
      docgemma orders list --state written --limit 500 --json

    Exit codes: 0, or 5 when orders were changed behind DocGemma's back and cannot be shown.
    """
    found = await _found(app, states, patient, everything, limit)
    lines = overview(found, now(), everything=everything or bool(states))
    damaged = len(await app.orders.ledger.damaged())
    some = "1 order was" if damaged == 1 else f"{damaged} orders were"
    distrust = f"{some} changed outside DocGemma and cannot be trusted or shown. Run `docgemma audit verify`."
    return Output(map(as_json, found), lines, error=Conflict(distrust) if damaged else None)


async def _found(app: App, states: tuple[State, ...], patient: str | None, everything: bool, limit: int) -> list[Row]:
    """With --all, newer ones that are done with must not push out an old one that waits."""
    if states:
        return list(await app.orders.listed(states=states, patient=patient, limit=limit))
    waiting = await app.orders.listed(states=OPEN, patient=patient, limit=limit)
    found = [row for row in waiting if is_open(row, now())]
    if everything:
        known = {row.id for row in found}
        found += [row for row in await app.orders.listed(patient=patient, limit=limit) if row.id not in known]
    return found[:limit]


@orders.command("show")
@order_argument
@reports(settled_app, _JSON)
async def show_(app: App, order: str) -> Output:
    """Show an order whole: its card, who decided what and when, where it lies in the chart, its receipt.

    \b
    Examples:
      docgemma orders show k3v9tq2m8x
      docgemma orders show k3v9tq2m8x --json
    """
    row = await app.orders.get(order)
    return Output(as_json(row), whole(row, now()))


@orders.command()
@order_argument
@click.option("--reason", metavar="TEXT", required=True, help="Why, in words; it is kept with your name.")
@json_option(_JSON)
@services.needs(settled_app)
async def undo(app: App, order: str, reason: str, as_json: bool) -> int:
    """Mark an entry that was written as entered in error. It is never deleted; a repeat prints the same receipt.

    \b
    Example:
      docgemma orders undo k3v9tq2m8x --reason "Written for the wrong patient"

    Exit codes: 0 marked; 2 no real reason; 3 unknown id; 4 not known yet; 5 nothing to undo, or changed since.
    """
    receipt = await app.sessions.undo(order, await decision(app, reason=reason))
    return await _end(app, receipt, "undone", json=as_json)


@orders.command()
@reports(services.app, "Print one receipt a line as JSON.")
async def reconcile(app: App) -> Output:
    """Finish what a crash or a silent record system left open. Nothing is ever written twice.

    This also happens by itself before every command that decides about an order, and when a conversation starts.

    Exit codes: 0 when nothing is left open, 4 when something is.
    """
    done = await app.sessions.settle()
    left = len(await app.orders.listed(states=tuple(UNFINISHED)))
    some = "1 order is" if left == 1 else f"{left} orders are"
    unfinished = f"{some} not finished yet. `docgemma orders list` shows what; try again later."
    lines = [f"{outcomes(done)}." if done else "Nothing was left open."]
    return Output((one.model_dump_json() for one in done), lines, error=Unavailable(unfinished) if left else None)


def now() -> datetime:
    return datetime.now(UTC)


async def decision(
    app: App, row: Row | None = None, *, override: str = "", acknowledged: bool = False, reason: str = ""
) -> Decision:
    """Who decides, and what they gave for it."""
    if override and row is not None and not row.card.hard_stops:
        raise BadInput("There is no stop on this card, so there is nothing to override. Approve it without a reason.")
    who = await operator(app.settings, app.store)
    return Decision(
        who=who.name,
        may_prescribe=who.may_prescribe,
        override=override.strip(),
        acknowledged=acknowledged,
        reason=reason.strip(),
    )


async def settle(app: App) -> str:
    """Finish what a crash or a silent record system left open, and say in one line what that was; empty when nothing.

    It never stands in the way: what cannot be finished now is finished at another time.
    """
    try:
        done = await app.sessions.settle()
    except DocGemmaError as error:
        return f"Orders that were left open could not be looked at: {error}"
    return f"Looked after what was left open: {outcomes(done)}." if done else ""


def how_it_ended(receipt: Receipt, wanted: State) -> DocGemmaError | None:
    """What is wrong with it, as an error with its exit code; None when it ended as it was meant to."""
    match receipt.status:
        case status if status == wanted:
            return None
        case "approved" | "writing" | "unknown":
            return Unavailable(
                "This is not finished. Approve it again, or run `docgemma orders reconcile`: it is never written twice."
            )
        case "undoing":
            return Unavailable("This is not finished. Undo it again, or run `docgemma orders reconcile`.")
        case "written" | "differs" if wanted == "undone":
            return Conflict("The entry still stands in the chart, as it was. Mark it as entered in error there.")
        case "differs":
            return Conflict("The chart does not say what was approved. Compare the entry, and undo it if it is wrong.")
        case "refused":
            return Unavailable("Nothing was written. Ask for the entry again once the reason is dealt with.")
    return Conflict(f"This order was decided before: it is {receipt.status}.")


async def _end(app: App, ended: Receipt, wanted: State, *, json: bool) -> int:
    """Print the receipt; an error where it did not end as it was meant to."""
    facts = None
    if json:  # for people nothing more is looked up: what was done must be told
        facts = as_json(await app.orders.get(ended.order_id)) | {"receipt": ended}
    return printed(Output(facts, receipt(ended), error=how_it_ended(ended, wanted)), as_json=json)


def card(row: Row, now: datetime) -> list[Line]:
    """What a person decides about, whole: the text behind a bar that nothing in it can fake, then every check."""
    state = WORDS[standing(row, now)]
    if waits(row, now):
        until = f"{_time_left(row, now)} left, until {moment(row.card.expires_at)}"
        state = f"waits for approval; nothing is in the chart. {until}"
    banner, text = one_line(row.card.banner), row.card.text
    missing = banner and banner not in one_line(text)
    demonstration = Line("  Demonstration data, not reviewed by a clinician.", "warning", hang=2)
    return [
        Line(f"Order {one_line(row.id)}: {state}", _weight(row.state), hang=2),
        *framed(f"Patient: {banner}\n{text}" if missing else text),
        *checks(row.card.checks),
        *([demonstration] if row.card.demonstration else []),
    ]


def _weight(state: State) -> Style:
    return "warning" if state in ALARMING else "strong"


def _time_left(row: Row, now: datetime) -> str:
    minutes = minutes_left(row, now)
    return f"{minutes} min" if minutes else "less than 1 min"


def receipt(ended: Receipt) -> list[Line]:
    """What became of it, in the words that code made of what was read back."""
    lines = [Line(line, _weight(ended.status), hang=2) for line in plain(ended.text).splitlines()]
    said = one_line(ended.text)
    return [*lines, *(Line(f"  ! {one_line(one)}", "warning", hang=4) for one in ended.differences if one not in said)]


def whole(row: Row, now: datetime) -> list[Line]:
    """Everything that is known of an order: the card, who decided what and when, where it lies, the receipt."""
    return [*card(row, now), Line(), *_history(row), *([Line(), *receipt(row.receipt)] if row.receipt else [])]


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


def overview(rows: Sequence[Row], now: datetime, *, everything: bool = False) -> Iterable[Line]:
    """One line an order: those that wait for somebody first, each group as it came."""
    if not rows:
        return [Line("There are no such orders." if everything else "No order waits for anybody.", "dim")]
    ordered = sorted(rows, key=lambda row: (not waits(row, now), not is_open(row, now)))
    heading = ("order", "state", "time left", "patient", "entry", "proposed")
    return styled(table(heading, (_cells(row, now) for row in ordered)), (_style(row, now) for row in ordered))


def _cells(row: Row, now: datetime) -> tuple[str, ...]:
    born = ",".join(row.card.banner.split(",")[:2])
    return (
        row.id,
        standing(row, now),
        _time_left(row, now) if waits(row, now) else "",
        one_line(born or row.card.draft.patient_id, _PATIENT),
        one_line(f"{TITLES[row.card.draft.kind]}, {title(row.card.draft)}", _TITLE),
        moment(row.card.created_at),
    )


def _style(row: Row, now: datetime) -> Style:
    if row.state in ALARMING:
        return "warning"
    return "plain" if is_open(row, now) or row.state in IN_CHART else "dim"


def outcomes(receipts: Iterable[Receipt]) -> str:
    """How many ended in which way: "2 in the chart as approved; 1 outcome unknown, checking"."""
    ends: dict[State, int] = {}
    for one in receipts:
        ends[one.status] = ends.get(one.status, 0) + 1
    return "; ".join(f"{count} {WORDS[state].partition(';')[0]}" for state, count in ends.items())
