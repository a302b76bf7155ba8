"""`docgemma mcp`: the clinical tools for other agents. On stdio, standard output belongs to the protocol."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import click

from docgemma.cli.options import person

if TYPE_CHECKING:
    from docgemma.config import Settings


@click.command()
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Any other address needs DOCGEMMA_TOKEN.")
@click.option("--port", default=8765, show_default=True, type=click.IntRange(1, 65535))
@click.option("--chart", is_flag=True, help="Also offer the tools that see or propose patient data.")
def mcp(http: bool, host: str, port: int, chart: bool) -> None:
    """Offer the clinical tools over MCP. Tools that write only propose: a person approves.

    \b
    Examples:
      docgemma mcp                       for a client that starts it, over standard input and output
      docgemma mcp --http --port 8765    at http://127.0.0.1:8765/mcp
    """
    from docgemma.config import load_settings

    settings = load_settings()
    if http:
        asyncio.run(_http(settings, host, port, chart=chart))
    else:
        if sys.stdin.isatty():
            click.echo("Waiting for an MCP client on standard input. Ctrl-C ends it.", err=True)
        asyncio.run(_stdio(settings, chart=chart))


async def _stdio(settings: Settings, *, chart: bool) -> None:
    from docgemma.tools.serve import serve_stdio
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        await serve_stdio(app.mcp_server(person(), chart))


async def _http(settings: Settings, host: str, port: int, *, chart: bool) -> None:
    from docgemma.tools.serve import serve_http
    from docgemma.wiring.app import open_app

    token = settings.token.get_secret_value() if settings.token else None
    async with open_app(settings) as app:
        await serve_http(app.mcp_server(person(), chart), host, port, token, ready=_say_where)


def _say_where(address: str) -> None:
    click.echo(f"MCP at {address}. Ctrl-C ends it.", err=True)
