"""`docgemma mcp` and `docgemma terms serve`: tools for other agents. On stdio, standard output is the protocol's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from docgemma.cli import services
from docgemma.cli.options import announces, person, serving_options, settings_of, token_of

if TYPE_CHECKING:
    from docgemma.config import Settings

S = TypeVar("S")

http_option = click.option("--http", is_flag=True, help="Serve streamable HTTP instead of standard input and output.")


@click.command()
@http_option
@serving_options(8765)
@click.option("--chart", is_flag=True, help="Also offer the tools that see or propose patient data.")
def mcp(http: bool, host: str, port: int, chart: bool) -> None:
    """Offer the clinical tools over MCP. Tools that write only propose: a person approves.

    \b
    Examples:
      docgemma mcp                       for a client that starts it, over standard input and output
      docgemma mcp --http --port 8765    at http://127.0.0.1:8765/mcp
    """
    _offer(services.app, lambda app: app.mcp_server(person(), chart), (host, port) if http else None)


@click.command("serve")
@http_option
@serving_options(8766)
def terms_serve(http: bool, host: str, port: int) -> None:
    """Offer concept_search and concept_linking over MCP, to other agents and to grounding on other machines.

    \b
    Examples:
      docgemma terms serve                       for a client that starts it, over standard input and output
      docgemma terms serve --http --port 8766    at http://127.0.0.1:8766/mcp
    """

    def server(terminology: Any) -> Any:
        from docgemma.terminology.server import build_terminology_server

        return build_terminology_server(terminology)

    _offer(services.terminology, server, (host, port) if http else None)


def _offer(
    opens: Callable[[Settings], AbstractAsyncContextManager[S]],
    server: Callable[[S], Any],
    address: tuple[str, int] | None,
) -> None:
    """Serve what is opened at the address, or to the program that started this one."""
    settings = settings_of({})
    if address is None and sys.stdin.isatty():
        click.echo("Waiting for an MCP client on standard input. Ctrl-C ends it.", err=True)

    async def work(service: S) -> None:
        from docgemma.tools.serve import serve_http, serve_stdio

        if address is None:
            await serve_stdio(server(service))
        else:
            await serve_http(server(service), *address, token_of(settings), ready=announces("MCP"))

    services.within(opens, work, settings)
