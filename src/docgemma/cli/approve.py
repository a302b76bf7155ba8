"""`docgemma approve` and `docgemma reject`: a person decides about an order that waits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from docgemma.cli.deciding import as_json_option, decision, end, order_argument, say_settled, show

if TYPE_CHECKING:
    from docgemma.config import Settings


@click.command()
@order_argument
@click.option("--override", metavar="REASON", default="", help="Go against a stop on the card, for this reason.")
@click.option("--acknowledge", is_flag=True, help="What could not be checked was seen and is accepted.")
@as_json_option
def approve(order: str, override: str, acknowledge: bool, as_json: bool) -> None:
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
    from docgemma.config import load_settings

    asyncio.run(_approve(load_settings(), order, override, acknowledge, as_json))


@click.command()
@order_argument
@click.option("--reason", metavar="TEXT", default="", help="Why; it is kept with your name.")
@as_json_option
def reject(order: str, reason: str, as_json: bool) -> None:
    """Reject an order that waits for approval. Nothing is written to the chart.

    \b
    Examples:
      docgemma reject k3v9tq2m8x
      docgemma reject k3v9tq2m8x --reason "Dose is for an adult"

    Exit codes: 0 rejected; 3 unknown id; 5 decided before.
    """
    from docgemma.config import load_settings

    asyncio.run(_reject(load_settings(), order, reason, as_json))


async def _approve(settings: Settings, order: str, override: str, acknowledge: bool, as_json: bool) -> None:
    from docgemma.cli.order_output import card
    from docgemma.cli.render import Line
    from docgemma.orders.desk import utc_now
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        await say_settled(app)
        row = await app.orders.get(order)
        if not as_json:
            show([*card(row, utc_now()), Line()])
        given = await decision(app, row, override=override, acknowledged=acknowledge)
        receipt = await app.sessions.approve(order, given)
        await end(app, receipt, "written", as_json=as_json)


async def _reject(settings: Settings, order: str, reason: str, as_json: bool) -> None:
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        await say_settled(app)
        receipt = await app.sessions.reject(order, await decision(app, reason=reason))
        await end(app, receipt, "rejected", as_json=as_json)
