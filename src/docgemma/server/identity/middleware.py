"""The guard before every route: each request is judged here once, and each answer leaves through here."""

from __future__ import annotations

import html
import logging

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docgemma.accounts.model import Identity
from docgemma.errors import DocGemmaError
from docgemma.server.identity import cookies
from docgemma.server.identity.bodies import Body, too_large
from docgemma.server.identity.errors import Forbidden, WrongHost
from docgemma.server.identity.guard import (
    CSRF_FIELD,
    CSRF_HEADER,
    SAFE_METHODS,
    Guard,
    Visit,
    is_foreign,
    is_link,
    visit,
)
from docgemma.server.identity.headers import STATIC, harden
from docgemma.server.identity.paths import asked_for

log = logging.getLogger(__name__)

_NOBODYS = ("/health", "/ready")
"""They answer also when nothing can be looked up."""


class GuardMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await _Exchange(self._app, scope, receive, send).run()
        else:  # a websocket: none of ours
            await send({"type": "websocket.close", "code": 1008})


class _Exchange:
    """One request and its answer."""

    def __init__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        self._app = app
        self._scope = scope
        self._receive = receive
        self._out = send
        self._request = Request(scope)
        self._guard: Guard = scope["app"].state.site.guard
        self._visit = Visit("")
        self._body: Body | None = None
        self._started = False

    async def run(self) -> None:
        self._request.state.identity = None
        token = visit.set(self._visit)
        try:
            await self._judged()
        except Exception as error:  # noqa: BLE001 - the border: what leaves here without an answer has no headers
            await self._fail(error)
        finally:
            visit.reset(token)

    async def _judged(self) -> None:
        try:
            await self._answered()
            if self._body and self._body.too_large and not self._started:
                raise too_large()
        except (DocGemmaError, HTTPException) as error:
            await self._refuse(error)
        except ClientDisconnect:
            if self._body and self._body.too_large:
                await self._refuse(too_large())

    async def _answered(self) -> None:
        request, guard = self._request, self._guard
        guard.check_host(request)
        guard.check_origin(request)
        body = self._body = Body(self._scope, self._receive)
        path: str = self._scope["path"]
        identity: Identity | None = None
        if path not in _NOBODYS and not path.startswith(STATIC):
            identity = request.state.identity = await guard.identify(request)
        found = guard.visit_of(request, identity)
        self._visit.key, self._visit.fresh = found.key, found.fresh
        if self._scope["method"] not in SAFE_METHODS and not (identity and identity.via == "token"):
            given = request.headers.get(CSRF_HEADER) or await body.form_field(CSRF_FIELD)
            guard.check_csrf(given, identity, self._visit, path)
        if identity is None and await self._came_by_link():
            await self._say(_again(asked_for(request)))
            return
        await self._app(self._scope, body.receive, self._send)

    async def _came_by_link(self) -> bool:
        """Whether the browser kept the cookie back because the link stood on another site's page."""
        request = self._request
        wanted = self._scope["method"] == "GET" and is_link(request) and is_foreign(request)
        return wanted and not cookies.read(request, "login") and await self._guard.has_accounts()

    async def _refuse(self, error: DocGemmaError | HTTPException) -> None:
        """To a page elsewhere nothing of ours is shown: a page of ours carries the token of its forms."""
        if self._started:
            await self._fail(error)
        elif isinstance(error, WrongHost):
            await self._say(JSONResponse({"error": str(error)}, 421))
        elif isinstance(error, Forbidden) and is_foreign(self._request):
            await self._say(JSONResponse({"error": str(error)}, 403))
        else:
            await self._handled(DocGemmaError if isinstance(error, DocGemmaError) else HTTPException, error)

    async def _fail(self, error: Exception) -> None:
        """A bug. The traceback may quote what was asked, so it is for debugging alone. An answer that has begun is
        broken off: the server ends its connection, and the reader sees that it is not whole."""
        log.debug("a request failed", exc_info=error)
        if self._started:
            log.error("an answer was broken off: %s", type(error).__name__)
            return
        try:
            await self._handled(Exception, error)
        except Exception:  # noqa: BLE001 - not even the page that says so can be made
            if self._started:
                return
            await self._say(JSONResponse({"error": "An unexpected error. Tell your administrator."}, 500))

    async def _handled(self, kind: type[Exception], error: Exception) -> None:
        """In the words that the application has for it."""
        handler = self._scope["app"].exception_handlers[kind]
        await self._say(await handler(self._request, error))

    async def _say(self, response: Response) -> None:
        await response(self._scope, self._receive, self._send)

    async def _send(self, message: Message) -> None:
        if self._body and self._body.too_large and not self._started and message.get("status") != 413:
            return  # what the route says to half a body; the real reason follows
        if message["type"] == "http.response.start":
            self._started = True
            headers = MutableHeaders(scope=message)
            harden(headers, self._scope, found=message["status"] < 400)
            if self._visit.fresh and self._visit.used:
                secure = cookies.is_secure(self._request)
                headers.append("Set-Cookie", cookies.written("visit", self._visit.fresh, secure=secure))
        await self._out(message)


def _again(path: str) -> HTMLResponse:
    """The same address once more, asked for by a page of ours: then the browser sends the cookie along."""
    address = html.escape(path, quote=True)
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>DocGemma</title>'
        f'<meta http-equiv="refresh" content="0; url={address}"><p><a href="{address}">DocGemma</a></p></html>'
    )
