"""A whole site in process: rules answer, the demonstration's patients are there, nothing leaves the machine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx2 as httpx
import pytest
from fastapi import FastAPI

from docgemma.config import Settings
from docgemma.server.context import Site
from docgemma.server.serving import Plan, application
from tests.server.people import BASE, Ward, ward
from tests.support.charts import put_demo_charts

__all__ = ["ward"]
SignIn = Callable[[str], Awaitable[httpx.AsyncClient]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def settings(home: Path) -> Settings:
    """With the fictional patients in place: each site would spend seconds on making them."""
    made = Settings(home=home, model="rules", sources="pack")
    put_demo_charts(home)
    return made


def http(app: FastAPI, **headers: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url=BASE, headers=headers
    )


@pytest.fixture
async def site_app(settings: Settings) -> AsyncIterator[FastAPI]:
    """On this machine alone, without accounts."""
    app = application(settings, Plan(operator="local"))
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
def site(site_app: FastAPI) -> Site:
    found: Site = site_app.state.site
    return found


@pytest.fixture
async def client(site_app: FastAPI, site: Site) -> AsyncIterator[httpx.AsyncClient]:
    """The local clinician, with the token that the page carries."""
    async with http(site_app, **{"X-CSRF-Token": site.guard.csrf(None)}) as made:
        yield made


@pytest.fixture
async def signed_in_as(ward: Ward) -> AsyncIterator[SignIn]:
    """A browser of this user, signed in, with the token that the page carries."""
    async with AsyncExitStack() as stack:

        async def sign_in(name: str) -> httpx.AsyncClient:
            return await stack.enter_async_context(http(ward.app, **await ward.browser(name)))

        yield sign_in
