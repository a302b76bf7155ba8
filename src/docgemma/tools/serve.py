"""Serve the tools to other programs: over stdio to one client, or over streamable HTTP.

Plain loopback is open to this machine's own programs, with Host and Origin checked against DNS rebinding. Any other
address needs a token, and refuses browsers: no page has business here.
"""

from __future__ import annotations

import hmac
import os
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from docgemma.errors import BadInput, Unavailable
from docgemma.toolbox.remote import is_loopback

MIN_TOKEN = 16
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
    app = http_app(server, host, token)
    # No access log: it would record who asked and when, beside the audit trail rather than in it.
    config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False)
    with _bound(host, port) as listening:
        ready(f"http://{host}:{port}/mcp")
        await uvicorn.Server(config).serve(sockets=[listening])


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "the address is not known"
        raise Unavailable(f"Cannot listen on {host}, port {port}: {why}. Try another --port.") from error


def http_app(server: Server[Any], host: str, token: str | None) -> ASGIApp:
    """The guarded application. Refuses to exist on an open address without a token worth the name."""
    local = is_loopback(host)
    if not local and token is None:
        raise BadInput(f"Serving on {host} opens the tools to the network: set DOCGEMMA_TOKEN, or bind 127.0.0.1.")
    if token is not None and len(token) < MIN_TOKEN:
        raise BadInput(f"The token is too short: use at least {MIN_TOKEN} characters.")
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=local,
        allowed_hosts=["127.0.0.1:*", "localhost:*", "[::1]:*"],
        allowed_origins=["http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*"],
    )
    app = server.streamable_http_app(
        host=host,
        stateless_http=True,
        json_response=True,
        max_request_body_size=MAX_BODY,
        transport_security=security,
    )
    return _Guard(app, token, browsers=local)


class _Guard:
    """Asks for the token, and turns browsers away, before anything of a request is read."""

    def __init__(self, app: ASGIApp, token: str | None, *, browsers: bool) -> None:
        self._app = app
        self._token = token
        self._browsers = browsers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # the lifespan; websockets have no route here
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not self._browsers and "origin" in headers:
            await PlainTextResponse("Browsers are not served here.", 403)(scope, receive, send)
        elif not self._admits(headers.get("authorization", "")):
            challenge = {"www-authenticate": "Bearer"}
            await PlainTextResponse("A valid token is needed.", 401, challenge)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _admits(self, authorization: str) -> bool:
        if self._token is None:
            return True
        scheme, _, given = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token.encode())
