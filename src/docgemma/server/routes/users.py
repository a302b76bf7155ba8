"""The accounts, for whoever looks after them. The forms work without a script; programs get the account as JSON."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from docgemma.accounts.model import ROLES, Identity, User, UserRole
from docgemma.errors import BadInput, Conflict
from docgemma.server.context import Site, SiteDep, Who
from docgemma.server.pages.templating import wants_page

router = APIRouter(tags=["users"])

PAGE = "/users"
Password = Annotated[str, Form(max_length=4096)]


@router.get(PAGE)
async def listed(site: SiteDep, request: Request, who: Who) -> Response:
    """Every account, with its role and whether it may sign in."""
    if wants_page(request):
        return await _page(site, request, who)
    return JSONResponse({"users": [user.model_dump(mode="json") for user in await site.accounts.listed()]})


@router.post(PAGE)
async def add(
    site: SiteDep,
    request: Request,
    who: Who,
    name: Annotated[str, Form(max_length=200)],
    role: Annotated[UserRole, Form()],
    password: Password,
) -> Response:
    """A new account. Its owner changes the password after signing in."""
    return await _done(site, request, who, site.accounts.add(name, role, password), typed=name)


@router.post(PAGE + "/{name}/role")
async def set_role(site: SiteDep, request: Request, who: Who, name: str, role: Annotated[UserRole, Form()]) -> Response:
    """Give it another role; its sign-ins end."""
    return await _done(site, request, who, site.accounts.set_role(name, role))


@router.post(PAGE + "/{name}/password")
async def set_password(site: SiteDep, request: Request, who: Who, name: str, password: Password) -> Response:
    """Give it a new password, when its owner has lost the old one; its sign-ins end."""
    return await _done(site, request, who, site.accounts.set_password(name, password))


@router.post(PAGE + "/{name}/disable")
async def disable(site: SiteDep, request: Request, who: Who, name: str) -> Response:
    """Nobody signs in with it any more; its sign-ins and tokens end."""
    return await _done(site, request, who, site.accounts.disable(name))


@router.post(PAGE + "/{name}/enable")
async def enable(site: SiteDep, request: Request, who: Who, name: str) -> Response:
    """Let it sign in again."""
    return await _done(site, request, who, site.accounts.enable(name))


async def _done(site: Site, request: Request, who: Identity, change: Awaitable[User], *, typed: str = "") -> Response:
    """Back to the list; what is wrong is said there, beside what was typed."""
    if not wants_page(request):
        return JSONResponse((await change).model_dump(mode="json"))
    try:
        await change
    except (BadInput, Conflict) as error:
        status = 409 if isinstance(error, Conflict) else 400
        return await _page(site, request, who, status=status, error=str(error), typed=typed)
    return RedirectResponse(PAGE, 303)


async def _page(
    site: Site, request: Request, who: Identity, *, status: int = 200, error: str = "", typed: str = ""
) -> Response:
    users = await site.accounts.listed()
    return site.pages.page(
        request, who, "users.html", status=status, users=users, roles=ROLES, error=error, typed=typed[:64]
    )
