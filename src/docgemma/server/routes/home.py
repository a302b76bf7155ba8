"""The way in: each person's first page, and the language that the pages speak."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.responses import RedirectResponse, Response

from docgemma.accounts.model import Capability
from docgemma.server.context import Who
from docgemma.server.identity.guard import safe_path
from docgemma.server.pages.language import COOKIE, Lang

router = APIRouter(tags=["home"])
public = APIRouter(tags=["home"])

_YEAR_S = 365 * 24 * 3600
FIRST: tuple[tuple[Capability, str], ...] = (
    ("ask", "/ask"),
    ("review", "/review"),
    ("users", "/users"),
    ("consult", "/consult"),
)


@router.get("/", include_in_schema=False)
async def home(who: Who) -> Response:
    """The first page that this person may open."""
    return RedirectResponse(next(page for capability, page in FIRST if who.can(capability)), 303)


@public.post("/language")
async def choose(language: Annotated[Lang, Form()], back: Annotated[str, Form(max_length=2000)] = "/") -> Response:
    """Remember the language in a cookie; it is no secret and needs no account."""
    response = RedirectResponse(safe_path(back), 303)
    response.set_cookie(COOKIE, language, max_age=_YEAR_S, samesite="lax", httponly=True)
    return response
