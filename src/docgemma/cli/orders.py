"""`docgemma orders`: chart entries that wait for a person or were decided: listed, shown, undone, finished."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, get_args

import click

from docgemma.cli.deciding import as_json_option, decision, end, order_argument, say_settled, show
from docgemma.errors import Conflict, Unavailable
from docgemma.orders.model import UNFINISHED, State

if TYPE_CHECKING:
    from docgemma.config import Settings
    from docgemma.orders.desk import Orders
    from docgemma.orders.model import Row

OPEN: tuple[State, ...] = ("proposed", *sorted(UNFINISHED), "differs")
"""What somebody has still something to do about."""


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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def list_(states: tuple[State, ...], patient: str | None, everything: bool, limit: int, as_json: bool) -> None:
    """List orders that somebody has still something to do about; those that wait for approval come first.

    \b
    Examples:
      docgemma orders list
      docgemma orders list --patient abc-123 --all
      docgemma orders list --state written --limit 500 --json

    Exit codes: 0, or 5 when orders were changed behind DocGemma's back and cannot be shown.
    """
    from docgemma.config import load_settings

    damaged = asyncio.run(_list(load_settings(), states, patient, everything, limit, as_json))
    if damaged:
        some = "1 order was" if damaged == 1 else f"{damaged} orders were"
        raise Conflict(f"{some} changed outside DocGemma and cannot be trusted or shown. Run `docgemma audit verify`.")


@orders.command("show")
@order_argument
@as_json_option
def show_(order: str, as_json: bool) -> None:
    """Show an order whole: its card, who decided what and when, where it lies in the chart, its receipt.

    \b
    Examples:
      docgemma orders show k3v9tq2m8x
      docgemma orders show k3v9tq2m8x --json
    """
    from docgemma.config import load_settings

    asyncio.run(_show(load_settings(), order, as_json))


@orders.command()
@order_argument
@click.option("--reason", metavar="TEXT", required=True, help="Why, in words; it is kept with your name.")
@as_json_option
def undo(order: str, reason: str, as_json: bool) -> None:
    """Mark an entry that was written as entered in error. It is never deleted; a repeat prints the same receipt.

    \b
    Example:
      docgemma orders undo k3v9tq2m8x --reason "Written for the wrong patient"

    Exit codes: 0 marked; 2 no real reason; 3 unknown id; 4 not known yet; 5 nothing to undo, or changed since.
    """
    from docgemma.config import load_settings

    asyncio.run(_undo(load_settings(), order, reason, as_json))


@orders.command()
@click.option("--json", "as_json", is_flag=True, help="Print one receipt a line as JSON.")
def reconcile(as_json: bool) -> None:
    """Finish what a crash or a silent record system left open. Nothing is ever written twice.

    This also happens by itself before every command that decides about an order, and when a conversation starts.

    Exit codes: 0 when nothing is left open, 4 when something is.
    """
    from docgemma.config import load_settings

    left = asyncio.run(_reconcile(load_settings(), as_json))
    if left:
        some = "1 order is" if left == 1 else f"{left} orders are"
        raise Unavailable(f"{some} not finished yet. `docgemma orders list` shows what; try again later.")


async def _list(
    settings: Settings, states: tuple[State, ...], patient: str | None, everything: bool, limit: int, as_json: bool
) -> int:
    """Prints them, and gives the number of those that cannot be shown."""
    from docgemma.cli.order_output import none_waits, table
    from docgemma.orders.desk import utc_now
    from docgemma.orders.model import as_json as written
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        await say_settled(app)
        found = await _found(app.orders, states, patient, everything, limit)
        damaged = len(await app.orders.ledger.damaged())
    if as_json:
        for row in found:
            click.echo(json.dumps(written(row), ensure_ascii=False))
    else:
        show(table(found, utc_now()) if found else none_waits(everything=everything or bool(states)))
    return damaged


async def _found(
    desk: Orders, states: tuple[State, ...], patient: str | None, everything: bool, limit: int
) -> list[Row]:
    """With --all, newer ones that are done with must not push out an old one that waits."""
    from docgemma.orders.desk import utc_now
    from docgemma.orders.standing import is_open

    if states:
        return list(await desk.listed(states=states, patient=patient, limit=limit))
    now = utc_now()
    opened = [row for row in await desk.listed(states=OPEN, patient=patient, limit=limit) if is_open(row, now)]
    if not everything:
        return opened
    known = {row.id for row in opened}
    others = [row for row in await desk.listed(patient=patient, limit=limit) if row.id not in known]
    return [*opened, *others][:limit]


async def _show(settings: Settings, order: str, as_json: bool) -> None:
    from docgemma.cli.order_output import whole
    from docgemma.orders.desk import utc_now
    from docgemma.orders.model import as_json as written
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        await say_settled(app)
        row = await app.orders.get(order)
    if as_json:
        click.echo(json.dumps(written(row), ensure_ascii=False))
    else:
        show(whole(row, utc_now()))


async def _undo(settings: Settings, order: str, reason: str, as_json: bool) -> None:
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        await say_settled(app)
        receipt = await app.sessions.undo(order, await decision(app, reason=reason))
        await end(app, receipt, "undone", as_json=as_json)


async def _reconcile(settings: Settings, as_json: bool) -> int:
    """Prints what was done, and gives the number of those that are still open."""
    from docgemma.cli.order_output import counted
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        done = await app.sessions.settle()
        left = await app.orders.listed(states=tuple(UNFINISHED))
    if as_json:
        for receipt in done:
            click.echo(receipt.model_dump_json())
    else:
        click.echo(f"{counted(done)}." if done else "Nothing was left open.")
    return len(left)
