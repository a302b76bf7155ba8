"""Signing in and out, and one's own password. The forms work without a script."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from docgemma.accounts.model import Identity
from docgemma.errors import BadInput, DocGemmaError
from docgemma.server.context import Site, SiteDep, Who
from docgemma.server.identity import cookies
from docgemma.server.identity.errors import SignInRefused, TooManyTries
from docgemma.server.identity.paths import LOGIN, safe_path
from docgemma.server.identity.who import present

public = APIRouter(tags=["login"])
router = APIRouter(tags=["login"])

UNLIKE = "The new password was not typed the same way twice."
Field = Annotated[str, Form(max_length=4096)]
Address = Annotated[str, Form(max_length=2000)]


@public.get(LOGIN)
async def ask(site: SiteDep, request: Request, next: str = "/") -> Response:
    """The sign-in page; whoever is signed in is sent on."""
    if present(request) is not None:
        return RedirectResponse(safe_path(next), 303)
    return site.pages.page(request, None, "login.html", next=safe_path(next), typed="", wrong=False, wait_s=0)


@public.post(LOGIN)
async def sign_in(site: SiteDep, request: Request, name: Field, password: Field, next: Address = "/") -> Response:
    """Sign in with name and password. What is wrong is never told more closely than that something is."""
    if not await site.guard.has_accounts():
        return RedirectResponse("/", 303)
    brought = cookies.read(request, "login")
    try:
        token = await site.accounts.sign_in(name, password, _address(request), instead_of=brought)
    except (SignInRefused, TooManyTries) as error:
        wait_s = error.wait_s if isinstance(error, TooManyTries) else 0
        told = {"next": safe_path(next), "typed": name[:64], "wrong": not wait_s, "wait_s": wait_s}
        page = site.pages.page(request, None, "login.html", status=error.status, **told)
        return _told_to_wait(page, error)
    return _with_login(request, RedirectResponse(safe_path(next), 303), token)


@router.post("/logout")
async def sign_out(site: SiteDep, request: Request, who: Who) -> Response:
    """End this sign-in, here and in the database."""
    if who.via != "login":
        return RedirectResponse("/", 303)
    await site.accounts.logins.end(cookies.read(request, "login"))
    return _with_login(request, RedirectResponse(LOGIN, 303), "")


@router.get("/password")
async def own_password(site: SiteDep, request: Request, who: Who) -> Response:
    """Where people who are signed in change their password."""
    return RedirectResponse("/", 303) if who.via != "login" else _password_page(site, request, who)


@router.post("/password")
async def change_password(
    site: SiteDep, request: Request, who: Who, current: Field, new: Field, again: Field
) -> Response:
    """Change one's own password. Every other sign-in of the account ends."""
    if who.via != "login":
        return RedirectResponse("/", 303)
    address = _address(request)
    try:
        if new != again:
            raise BadInput(UNLIKE)
        await site.accounts.change_own_password(who.name, current, new, address)
    except (BadInput, SignInRefused, TooManyTries) as error:
        return _told_to_wait(_password_page(site, request, who, error), error)
    token = await site.accounts.sign_in(who.name, new, address)
    return _with_login(request, RedirectResponse("/", 303), token)


def _password_page(site: Site, request: Request, who: Identity, error: DocGemmaError | None = None) -> Response:
    wait_s = error.wait_s if isinstance(error, TooManyTries) else 0
    wrong = isinstance(error, SignInRefused)
    said = "" if wrong or wait_s else str(error or "")
    status = 429 if wait_s else 400 if error else 200
    return site.pages.page(request, who, "password.html", status=status, wrong=wrong, wait_s=wait_s, error=said)


def _told_to_wait(response: Response, error: DocGemmaError) -> Response:
    if isinstance(error, TooManyTries):
        response.headers["Retry-After"] = str(error.wait_s)
    return response


def _with_login(request: Request, response: Response, token: str) -> Response:
    """Set the cookie; an empty token ends it."""
    response.headers.append("Set-Cookie", cookies.written("login", token, secure=cookies.is_secure(request)))
    return response


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"
