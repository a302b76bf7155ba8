"""`docgemma terms serve`: the terminology for other programs. On stdio, standard output belongs to the protocol."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from docgemma.config import Settings


@click.command()
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Any other address needs DOCGEMMA_TOKEN.")
@click.option("--port", default=8766, show_default=True, type=click.IntRange(1, 65535))
def serve(http: bool, host: str, port: int) -> None:
    """Offer concept_search and concept_linking over MCP, to other agents and to grounding on other machines.

    \b
    Examples:
      docgemma terms serve                       for a client that starts it, over standard input and output
      docgemma terms serve --http --port 8766    at http://127.0.0.1:8766/mcp
    """
    from docgemma.config import load_settings

    settings = load_settings()
    if not http and sys.stdin.isatty():
        click.echo("Waiting for an MCP client on standard input. Ctrl-C ends it.", err=True)
    asyncio.run(_serve(settings, (host, port) if http else None))


async def _serve(settings: Settings, address: tuple[str, int] | None) -> None:
    from docgemma.terminology.server import build_terminology_server
    from docgemma.tools.serve import serve_http, serve_stdio
    from docgemma.wiring.terminology import open_terminology

    token = settings.token.get_secret_value() if settings.token else None
    async with open_terminology(settings) as terminology:
        server = build_terminology_server(terminology)
        if address is None:
            await serve_stdio(server)
        else:
            await serve_http(server, *address, token, ready=_say_where)


def _say_where(address: str) -> None:
    click.echo(f"MCP at {address}. Ctrl-C ends it.", err=True)
