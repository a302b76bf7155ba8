"""A small application behind the real guard, with the real pages of sign-in and accounts, and little else to open."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2 as httpx
from fastapi import Depends, FastAPI, Form, Request
from starlette.responses import JSONResponse, Response

from docgemma.accounts.model import UserRole
from docgemma.accounts.users import Accounts
from docgemma.server import problems
from docgemma.server.identity.guard import Guard
from docgemma.server.identity.middleware import GuardMiddleware
from docgemma.server.identity.who import needs, signed_in
from docgemma.server.pages.templating import Pages
from docgemma.server.routes import home, login, users
from docgemma.store.sessions import Clock, open_store, utc_now
from tests.accounts.support import PASSWORD, cheap_accounts

HOST = "127.0.0.1:8600"
HOSTS = ("127.0.0.1:8600", "localhost:8600", "[::1]:8600")
HTML = {"Accept": "text/html,application/xhtml+xml"}
ROLES: dict[str, UserRole] = {
    "pru": "prescriber",
    "clara": "clinician",
    "rose": "reviewer",
    "pat": "patient",
    "ada": "admin",
}


def _routes(app: FastAPI) -> None:
    """One of each kind that the guard tells apart."""

    @app.get("/ask", dependencies=[Depends(needs("ask"))])
    async def ask() -> Response:
        return JSONResponse({"page": "ask"})

    @app.post("/things", dependencies=[Depends(needs("ask"))])
    async def things(request: Request) -> Response:
        return JSONResponse({"size": len(await request.body())})

    @app.post("/form", dependencies=[Depends(needs("ask"))])
    async def form(word: str = Form()) -> Response:
        return JSONResponse({"word": word})

    @app.post("/images", dependencies=[Depends(needs("ask"))])
    async def images(request: Request) -> Response:
        return JSONResponse({"size": len(await request.body())})

    @app.get("/bug", dependencies=[Depends(signed_in)])
    async def bug() -> Response:
        raise LookupError("Maria Garcia, born 1958-04-12")

    @app.get("/health")
    async def health() -> Response:
        return JSONResponse({"status": "ok"})

    @app.get("/static/app.css")
    async def css() -> Response:
        return Response("body {}", media_type="text/css")


@asynccontextmanager
async def small_site(
    folder: Path, *, with_accounts: bool, local: bool | None = None, clock: Clock = utc_now
) -> AsyncIterator[FastAPI]:
    async with open_store(str(folder / "store.db"), clock=clock) as store:
        accounts = cheap_accounts(store.database, clock)
        if with_accounts:
            for name, role in ROLES.items():
                await accounts.add(name, role, PASSWORD)
        local = not with_accounts if local is None else local
        secret = await accounts.secret()
        guard = Guard(accounts, operator="nina", local=local, prescriber=True, hosts=HOSTS, secret=secret)
        app = FastAPI(openapi_url=None)
        app.state.site = SimpleNamespace(
            accounts=accounts, guard=guard, pages=Pages(guard.csrf, local=local, mode=_Mode())
        )
        for public in (login.public, home.public):
            app.include_router(public)
        for router in (login.router, home.router):
            app.include_router(router, dependencies=[Depends(signed_in)])
        app.include_router(users.router, dependencies=[Depends(needs("users"))])
        _routes(app)
        problems.install(app)
        app.add_middleware(GuardMiddleware)
        yield app


class _Mode:
    """What the foot of a page asks for; none of it matters here."""

    def __getattr__(self, _: str) -> Any:
        return _Mode()

    def __iter__(self) -> Any:
        return iter(())

    def __str__(self) -> str:
        return ""

    def __bool__(self) -> bool:
        return False


def accounts_of(app: FastAPI) -> Accounts:
    found: Accounts = app.state.site.accounts
    return found


def browser(app: FastAPI, *, scheme: str = "http", **headers: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=f"{scheme}://{HOST}", headers=headers)


def token_on(page: httpx.Response) -> str:
    """What the forms of a page carry."""
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', page.text)
    assert found, page.text
    return found[1]


async def sign_in(client: httpx.AsyncClient, name: str, password: str = PASSWORD, **more: str) -> httpx.Response:
    """As a person does it: the page first, then the form on it."""
    page = await client.get("/login", headers=HTML)
    fields = {"name": name, "password": password, "csrf": token_on(page), **more}
    return await client.post("/login", data=fields, headers=HTML | {"Origin": f"{client.base_url}".rstrip("/")})
