"""Serving to other programs over HTTP, the same way for everything we serve.

Plain loopback is open to this machine's own programs, with Host and Origin checked against DNS rebinding. Any other
address needs a token, and refuses browsers: no page has business here.
"""

from __future__ import annotations

import hmac
import os
import re
import socket
from collections.abc import Callable

import uvicorn
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from docgemma.errors import BadInput, Unavailable
from docgemma.fetch.address import is_this_machine

MIN_TOKEN = 16
_MOST_AT_ONCE = 256
"""Connections; more are told to come back later."""

_MOST_HEADERS = 64 * 1024
_OWN_PAGES = ("none", "same-origin", "same-site")
"""What a browser says of an address that was typed in, or that a page of this very machine asks for."""

_PLACE = re.compile(r"(?:https?://)?([^:/\[\]]+|\[[^/\[\]]+\])(?::[0-9]{1,5})?", re.ASCII)

Refusal = Callable[[int, str], Response]
"""How a refusal reads: the status and one sentence."""


def guarded(app: ASGIApp, host: str, token: str | None, *, what: str, refusal: Refusal | None = None) -> ASGIApp:
    """The application behind its guard. Refuses to exist on an open address without a token worth the name."""
    local = is_this_machine(host)
    if not local and token is None:
        raise BadInput(f"Serving on {host} opens {what} to the network: set DOCGEMMA_TOKEN, or bind 127.0.0.1.")
    if token is not None and len(token) < MIN_TOKEN:
        raise BadInput(f"The token is too short: use at least {MIN_TOKEN} characters.")
    return _Guard(app, token, local=local, refusal=refusal or _plain)


async def serve(app: ASGIApp, host: str, port: int, *, path: str, ready: Callable[[str], None]) -> None:
    """Serve until interrupted. `ready` hears the address as soon as connections are taken; port 0 picks a free one."""
    # No access log: it would record who asked and when, beside the audit trail rather than in it.
    # No proxy headers: whoever sends one could say that they come from elsewhere.
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_AT_ONCE,
        h11_max_incomplete_event_size=_MOST_HEADERS,
    )
    with _bound(host, port) as listening:
        shown = f"[{host}]" if ":" in host else host
        ready(f"http://{shown}:{listening.getsockname()[1]}{path}")
        await uvicorn.Server(config).serve(sockets=[listening])


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "the address is not known"
        raise Unavailable(f"Cannot listen on {host}, port {port}: {why}. Try another --port.") from error


class _Guard:
    """Turns away pages, strangers' names for this machine and those without the token, before a request is read."""

    def __init__(self, app: ASGIApp, token: str | None, *, local: bool, refusal: Refusal) -> None:
        self._app = app
        self._token = token
        self._local = local
        self._refusal = refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The lifespan has no headers; websockets have no route here.
        refused = self._refused(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refused(self, headers: Headers) -> Response | None:
        origin = headers.get("origin")
        if self._local and not _names_this_machine(headers.get("host", "")):
            return self._refusal(421, "This server answers to names of this machine only.")
        if origin is not None and not (self._local and _names_this_machine(origin)):
            return self._refusal(403, "Browsers are not served here.")
        # A picture or a link on anybody's page has no Origin, and would still be a chart that somebody read.
        if origin is None and headers.get("sec-fetch-site", "none") not in _OWN_PAGES:
            return self._refusal(403, "Browsers are not served here.")
        if not self._admits(headers.get("authorization", "")):
            refusal = self._refusal(401, "A valid token is needed.")
            refusal.headers["www-authenticate"] = "Bearer"
            return refusal
        return None

    def _admits(self, authorization: str) -> bool:
        if self._token is None:
            return True
        scheme, _, given = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token.encode())


def _names_this_machine(place: str) -> bool:
    """Of a Host or an Origin."""
    found = _PLACE.fullmatch(place)
    return found is not None and is_this_machine(found[1])


def _plain(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence, status)
