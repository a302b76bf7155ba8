"""Serve the tools to other programs: over stdio to one client, or over streamable HTTP behind the shared guard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from docgemma.fetch.serving import guarded, serve

MAX_BODY = 30_000_000
"""Room for the largest image we take, as a data URL."""


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over stdin and stdout until it closes them. While it runs, prints go to stderr."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def serve_http(
    server: Server[Any],
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    *,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve any number of clients at http://host:port/mcp until interrupted. `ready` hears the address once it is."""
    await serve(http_app(server, host, token), host, port, path="/mcp", ready=ready)


def http_app(server: Server[Any], host: str, token: str | None) -> ASGIApp:
    """The tools behind the guard, which checks Host and Origin in place of the library's own check."""
    app = server.streamable_http_app(
        host=host,
        stateless_http=True,
        json_response=True,
        max_request_body_size=MAX_BODY,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return guarded(app, host, token, what="the tools")
