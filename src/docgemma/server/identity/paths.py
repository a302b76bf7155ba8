"""Addresses that a person is sent on to: always pages of this server."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from starlette.requests import Request

LOGIN = "/login"
_LONGEST = 2000


def safe_path(text: str) -> str:
    """The address when it is a path on this server, else the start page. A link must never lead a person who has just
    signed in to somebody else's site."""
    if not text.startswith("/") or text.startswith(("//", "/\\")) or len(text) > _LONGEST:
        return "/"
    if "\\" in text or not text.isascii() or any(ord(letter) <= 32 or ord(letter) == 127 for letter in text):
        return "/"  # browsers drop some of these, and read others as a slash
    try:
        parts = urlsplit(text)
    except ValueError:
        return "/"
    return "/" if parts.scheme or parts.netloc or parts.path == LOGIN else text


def asked_for(request: Request) -> str:
    """Path and query as they were sent, when a person may be sent there again."""
    path = quote(request.scope["path"], safe="/:@!$&'()*+,;=-._~")
    query = request.url.query
    return safe_path(f"{path}?{query}" if query else path)


def sign_in_address(request: Request) -> str:
    """The sign-in page, which leads back here."""
    back = asked_for(request)
    return LOGIN if back == "/" else f"{LOGIN}?next={quote(back, safe='/')}"
