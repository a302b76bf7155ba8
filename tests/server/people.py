"""The whole site, with its people: what each route is for, and what a browser or a program of each person sends."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

import httpx2 as httpx
import pytest
from fastapi import FastAPI

from docgemma.accounts.model import Capability, UserRole
from docgemma.config import Settings
from docgemma.server.context import Site
from docgemma.server.serving import Plan, application, open_site
from docgemma.store.sessions import open_store
from tests.accounts.support import PASSWORD, cheap_accounts
from tests.store.conftest import Clock

Door = Literal["public", "signed in"] | Capability

ROUTES: dict[str, Door] = {
    "GET /health": "public",
    "GET /ready": "public",
    "GET /login": "public",
    "POST /login": "public",
    "POST /language": "public",
    "GET /": "signed in",
    "POST /logout": "signed in",
    "GET /password": "signed in",
    "POST /password": "signed in",
    "GET /openapi.json": "signed in",
    "GET /ask": "ask",
    "GET /sessions": "ask",
    "POST /sessions": "ask",
    "GET /sessions/{session_id}": "ask",
    "PATCH /sessions/{session_id}": "ask",
    "POST /sessions/{session_id}/title": "ask",
    "POST /sessions/{session_id}/patient": "ask",
    "GET /sessions/{session_id}/patients": "ask",
    "GET /sessions/{session_id}/banner": "ask",
    "GET /sessions/{session_id}/head": "ask",
    "GET /sessions/{session_id}/export": "ask",
    "POST /sessions/{session_id}/images": "ask",
    "POST /images": "ask",
    "GET /images/{image_id}": "ask",
    "GET /images/{image_id}/view": "ask",
    "GET /images/{image_id}/frame": "ask",
    "GET /patients": "ask",
    "GET /patients/{patient_id}/panel": "ask",
    "GET /turns/{turn_id}": "ask",
    "GET /turns/{turn_id}/path": "ask",
    "GET /orders/{order_id}": "decide",
    "POST /orders/{order_id}/approve": "decide",
    "POST /orders/{order_id}/reject": "decide",
    "POST /orders/{order_id}/undo": "decide",
    "GET /consult": "consult",
    "GET /consult/{session_id}": "consult",
    "POST /runs": "consult",
    "GET /runs/{run_id}": "consult",
    "GET /runs/{run_id}/events": "consult",
    "POST /runs/{run_id}/stop": "consult",
    "GET /review": "review",
    "GET /review/concepts": "review",
    "GET /review/export": "review",
    "GET /review/items/{item}": "review",
    "POST /review/items/{item}/accept": "review",
    "POST /review/items/{item}/change": "review",
    "POST /review/items/{item}/reject": "review",
    "POST /review/items/{item}/undo": "review",
    "POST /review/accept-above": "review",
    "POST /review/undo-all": "review",
    "GET /users": "users",
    "POST /users": "users",
    "POST /users/{name}/role": "users",
    "POST /users/{name}/password": "users",
    "POST /users/{name}/disable": "users",
    "POST /users/{name}/enable": "users",
}
MOUNTED = {"/static"}
PEOPLE: dict[str, UserRole] = {
    "pru": "prescriber",
    "paul": "prescriber",
    "clara": "clinician",
    "rose": "reviewer",
    "pat": "patient",
    "ada": "admin",
}
BASE = "http://127.0.0.1:8600"
HTML = {"Accept": "text/html"}


@dataclass(frozen=True)
class Ward:
    """The whole site, and a browser or a program for each of its people."""

    app: FastAPI
    site: Site

    def client(self) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        return httpx.AsyncClient(transport=transport, base_url=BASE)

    async def cookie(self, name: str, clock: Clock | None = None) -> str:
        database = self.site.app.store.database
        accounts = cheap_accounts(database, clock) if clock else cheap_accounts(database)
        return await accounts.sign_in(name, PASSWORD, "10.0.0.7")

    async def browser(self, name: str) -> dict[str, str]:
        """What a browser of this person sends with every request, from a page of ours."""
        token = await self.cookie(name)
        who = await self.site.accounts.logins.find(token)
        assert who is not None
        return {"Cookie": f"docgemma={token}", "X-CSRF-Token": self.site.guard.csrf(who)}

    async def expired(self, name: str) -> dict[str, str]:
        """A browser that was left alone for a day."""
        clock = Clock()  # it stands in the past
        return {"Cookie": f"docgemma={await self.cookie(name, clock)}", "X-CSRF-Token": "0" * 64}

    async def program(self, name: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {await self.site.accounts.tokens.issue(name, 'test', 1)}"}

    async def stranger(self) -> dict[str, str]:
        """A browser that has the sign-in page open."""
        async with self.client() as client:
            page = await client.get("/login", headers=HTML)
            found = re.search(r'name="csrf" value="([0-9a-f]{64})"', page.text)
            assert found is not None
            return {"Cookie": f"docgemma_visit={client.cookies['docgemma_visit']}", "X-CSRF-Token": found[1]}


@pytest.fixture
async def ward(settings: Settings) -> AsyncIterator[Ward]:
    async with open_store(settings.store_address) as store:
        for name, role in PEOPLE.items():
            await cheap_accounts(store.database).add(name, role, PASSWORD)
    app = application(settings, Plan(operator="nina"))
    async with open_site(settings, Plan(operator="nina")) as site:
        app.state.site = site
        yield Ward(app, site)


def filled(route: str, ids: dict[str, str] | None = None) -> tuple[str, str]:
    """Method and address; what is in braces becomes an id that nobody has, or one of these."""
    method, path = route.split(" ", 1)
    return method, re.sub(r"\{(\w+)\}", lambda found: (ids or {}).get(found[1], "zzzzzzzzzz"), path)
