"""What the commands that decide about an order share: who decides, what a crash left open, and how it ended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from docgemma.cli.options import operator
from docgemma.errors import BadInput, Conflict, DocGemmaError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from docgemma.cli.render import Line
    from docgemma.orders.model import Decision, Receipt, Row, State
    from docgemma.wiring.app import App

order_argument = click.argument("order", metavar="ID", callback=lambda _, __, given: given.strip().lower())
as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the order as one line of JSON instead.")


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


async def say_settled(app: App) -> None:
    """The same on standard error, for commands."""
    if told := await settle(app):
        click.echo(f"docgemma: {told}", err=True)


LEFT_OPEN = "This is not finished. Approve it again, or run `docgemma orders reconcile`: it is never written twice."


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


async def end(app: App, receipt: Receipt, wanted: State, *, as_json: bool) -> None:
    """Print the receipt, for people or for programs; an error where it did not end as it was meant to."""
    if as_json:
        from docgemma.orders.model import as_json as written

        row = await app.orders.get(receipt.order_id)
        click.echo(json.dumps(written(row) | {"receipt": receipt.model_dump(mode="json")}, ensure_ascii=False))
    else:  # nothing more is looked up: what was done must be told
        from docgemma.cli.order_output import receipt as lines

        show(lines(receipt))
    if error := how_it_ended(receipt, wanted):
        raise error


def show(lines: Iterable[Line]) -> None:
    from docgemma.cli.screen import screen

    screen().lines(lines)
