"""The web application: which router needs what, and what stands before all of them.

Denied by default: a router is public only where this table says so, and every other one names its capability.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI
from starlette.staticfiles import StaticFiles

from docgemma import __version__
from docgemma.accounts.model import Capability
from docgemma.server import problems
from docgemma.server.identity.middleware import GuardMiddleware
from docgemma.server.identity.who import needs, signed_in
from docgemma.server.routes import (
    consult,
    health,
    home,
    images,
    login,
    orders,
    patients,
    review,
    runs,
    sessions,
    turns,
    users,
)

PUBLIC: tuple[APIRouter, ...] = (health.router, login.public, home.public)
SIGNED_IN: tuple[APIRouter, ...] = (home.router, login.router)
NEEDS: tuple[tuple[APIRouter, Capability], ...] = (
    (sessions.router, "ask"),
    (patients.router, "ask"),
    (images.router, "ask"),
    (turns.router, "ask"),
    (orders.router, "decide"),
    (consult.router, "consult"),
    (runs.router, "consult"),
    (review.router, "review"),
    (users.router, "users"),
)

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def build(lifespan: Lifespan) -> FastAPI:
    """The application. `lifespan` opens the site into `app.state.site` before the first request."""
    app = FastAPI(
        title="DocGemma",
        version=__version__,
        description="Decision support for professionals; not a medical device.",
        lifespan=lifespan,
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
        openapi_url=None,
    )
    for router in PUBLIC:
        app.include_router(router)
    for router in SIGNED_IN:
        app.include_router(router, dependencies=[Depends(signed_in)])
    for router, capability in NEEDS:
        app.include_router(router, dependencies=[Depends(needs(capability))])

    @app.get("/openapi.json", include_in_schema=False, dependencies=[Depends(signed_in)])
    async def schema() -> dict[str, object]:
        """The API, for programs that build on it."""
        return app.openapi()

    app.mount("/static", StaticFiles(directory=Path(__file__).with_name("static")), name="static")
    problems.install(app)
    app.add_middleware(GuardMiddleware)
    return app
