"""`docgemma approve`, `docgemma reject` and `docgemma orders`: a person decides about chart entries that wait."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, get_args

import click

from docgemma.cli import opening
from docgemma.cli.options import operator
from docgemma.cli.render import Line, Output, json_option, printed, reports, show
from docgemma.errors import BadInput, Conflict, DocGemmaError, Unavailable
from docgemma.orders.model import UNFINISHED, State

if TYPE_CHECKING:
    from docgemma.config import Settings
    from docgemma.orders.model import Decision, Receipt, Row
    from docgemma.wiring.app import App

OPEN: tuple[State, ...] = ("proposed", *sorted(UNFINISHED), "differs")
"""What somebody has still something to do about."""
LEFT_OPEN = "This is not finished. Approve it again, or run `docgemma orders reconcile`: it is never written twice."

_JSON = "Print the order as one line of JSON instead."
order_argument = click.argument("order", metavar="ID", callback=lambda _, __, given: given.strip().lower())


@asynccontextmanager
async def settled_app(settings: Settings) -> AsyncIterator[App]:
    """The application; what was left open is finished first, which is said on standard error."""
    async with opening.app(settings) as app:
        if told := await settle(app):
            click.echo(f"docgemma: {told}", err=True)
        yield app


@click.command()
@order_argument
@click.option("--override", metavar="REASON", default="", help="Go against a stop on the card, for this reason.")
@click.option("--acknowledge", is_flag=True, help="What could not be checked was seen and is accepted.")
@json_option(_JSON)
@opening.needs(settled_app)
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
    from docgemma.cli.order_output import card
    from docgemma.orders.desk import utc_now

    row = await app.orders.get(order)
    if not as_json:
        show([*card(row, utc_now()), Line()])
    given = await decision(app, row, override=override, acknowledged=acknowledge)
    return await _end(app, await app.sessions.approve(order, given), "written", as_json=as_json)


@click.command()
@order_argument
@click.option("--reason", metavar="TEXT", default="", help="Why; it is kept with your name.")
@json_option(_JSON)
@opening.needs(settled_app)
async def reject(app: App, order: str, reason: str, as_json: bool) -> int:
    """Reject an order that waits for approval. Nothing is written to the chart.

    \b
    Examples:
      docgemma reject k3v9tq2m8x
      docgemma reject k3v9tq2m8x --reason "Dose is for an adult"

    Exit codes: 0 rejected; 3 unknown id; 5 decided before.
    """
    receipt = await app.sessions.reject(order, await decision(app, reason=reason))
    return await _end(app, receipt, "rejected", as_json=as_json)


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
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, metavar="N", help="The newest N of them."
)
@reports("Print one JSON object a line.")
@opening.needs(settled_app)
async def list_(app: App, states: tuple[State, ...], patient: str | None, everything: bool, limit: int) -> Output:
    """List orders that somebody has still something to do about; those that wait for approval come first.

    \b
    Examples:
      docgemma orders list
      docgemma orders list --patient abc-123 --all
      docgemma orders list --state written --limit 500 --json

    Exit codes: 0, or 5 when orders were changed behind DocGemma's back and cannot be shown.
    """
    from docgemma.cli.order_output import none_waits, table
    from docgemma.orders.desk import utc_now
    from docgemma.orders.model import as_json

    found = await _found(app, states, patient, everything, limit)
    lines = table(found, utc_now()) if found else none_waits(everything=everything or bool(states))
    damaged = len(await app.orders.ledger.damaged())
    some = "1 order was" if damaged == 1 else f"{damaged} orders were"
    told = f"{some} changed outside DocGemma and cannot be trusted or shown. Run `docgemma audit verify`."
    return Output(map(as_json, found), lines, error=Conflict(told) if damaged else None)


async def _found(app: App, states: tuple[State, ...], patient: str | None, everything: bool, limit: int) -> list[Row]:
    """With --all, newer ones that are done with must not push out an old one that waits."""
    from docgemma.orders.desk import utc_now
    from docgemma.orders.standing import is_open

    if states:
        return list(await app.orders.listed(states=states, patient=patient, limit=limit))
    now = utc_now()
    opened = [row for row in await app.orders.listed(states=OPEN, patient=patient, limit=limit) if is_open(row, now)]
    if not everything:
        return opened
    known = {row.id for row in opened}
    others = [row for row in await app.orders.listed(patient=patient, limit=limit) if row.id not in known]
    return [*opened, *others][:limit]


@orders.command("show")
@order_argument
@reports(_JSON)
@opening.needs(settled_app)
async def show_(app: App, order: str) -> Output:
    """Show an order whole: its card, who decided what and when, where it lies in the chart, its receipt.

    \b
    Examples:
      docgemma orders show k3v9tq2m8x
      docgemma orders show k3v9tq2m8x --json
    """
    from docgemma.cli.order_output import whole
    from docgemma.orders.desk import utc_now
    from docgemma.orders.model import as_json

    row = await app.orders.get(order)
    return Output(as_json(row), whole(row, utc_now()))


@orders.command()
@order_argument
@click.option("--reason", metavar="TEXT", required=True, help="Why, in words; it is kept with your name.")
@json_option(_JSON)
@opening.needs(settled_app)
async def undo(app: App, order: str, reason: str, as_json: bool) -> int:
    """Mark an entry that was written as entered in error. It is never deleted; a repeat prints the same receipt.

    \b
    Example:
      docgemma orders undo k3v9tq2m8x --reason "Written for the wrong patient"

    Exit codes: 0 marked; 2 no real reason; 3 unknown id; 4 not known yet; 5 nothing to undo, or changed since.
    """
    receipt = await app.sessions.undo(order, await decision(app, reason=reason))
    return await _end(app, receipt, "undone", as_json=as_json)


@orders.command()
@reports("Print one receipt a line as JSON.")
@opening.needs(opening.app)
async def reconcile(app: App) -> Output:
    """Finish what a crash or a silent record system left open. Nothing is ever written twice.

    This also happens by itself before every command that decides about an order, and when a conversation starts.

    Exit codes: 0 when nothing is left open, 4 when something is.
    """
    from docgemma.cli.order_output import counted

    done = await app.sessions.settle()
    left = len(await app.orders.listed(states=tuple(UNFINISHED)))
    some = "1 order is" if left == 1 else f"{left} orders are"
    told = f"{some} not finished yet. `docgemma orders list` shows what; try again later."
    lines = [f"{counted(done)}." if done else "Nothing was left open."]
    return Output((one.model_dump_json() for one in done), lines, error=Unavailable(told) if left else None)


async def decision(
    app: App, row: Row | None = None, *, override: str = "", acknowledged: bool = False, reason: str = ""
) -> Decision:
    """Who decides, and what they gave for it."""
    from docgemma.orders.model import Decision

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
    from docgemma.cli.order_output import counted

    try:
        done = await app.sessions.settle()
    except DocGemmaError as error:
        return f"Orders that were left open could not be looked at: {error}"
    return f"Looked after what was left open: {counted(done)}." if done else ""


def how_it_ended(receipt: Receipt, wanted: State) -> DocGemmaError | None:
    """What is wrong with it, as an error with its exit code; None when it ended as it was meant to."""
    if receipt.status == wanted:
        return None
    if receipt.status in ("approved", "writing", "unknown"):
        return Unavailable(LEFT_OPEN)
    if receipt.status == "undoing":
        return Unavailable("This is not finished. Undo it again, or run `docgemma orders reconcile`.")
    if wanted == "undone" and receipt.status in ("written", "differs"):
        return Conflict("The entry still stands in the chart, as it was. Mark it as entered in error there.")
    if receipt.status == "differs":
        return Conflict("The chart does not say what was approved. Compare the entry, and undo it if it is wrong.")
    if receipt.status == "refused":
        return Unavailable("Nothing was written. Ask for the entry again once the reason is dealt with.")
    return Conflict(f"This order was decided before: it is {receipt.status}.")


async def _end(app: App, receipt: Receipt, wanted: State, *, as_json: bool) -> int:
    """Print the receipt; an error where it did not end as it was meant to."""
    from docgemma.cli.order_output import receipt as lines
    from docgemma.orders.model import as_json as written

    facts = None
    if as_json:  # for people nothing more is looked up: what was done must be told
        facts = written(await app.orders.get(receipt.order_id)) | {"receipt": receipt.model_dump(mode="json")}
    return printed(Output(facts, lines(receipt), error=how_it_ended(receipt, wanted)), as_json=as_json)
