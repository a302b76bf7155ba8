"""The two cookies: one for who is signed in, one that ties the sign-in form to the browser that asked for it."""

from __future__ import annotations

from http.cookies import SimpleCookie
from typing import Literal

from starlette.requests import HTTPConnection

Kind = Literal["login", "visit"]
_NAMES: dict[Kind, str] = {"login": "docgemma", "visit": "docgemma_visit"}


def _name(kind: Kind, *, secure: bool) -> str:
    """`__Host-` keeps other hosts of the same domain from planting a cookie here; it needs https."""
    return f"__Host-{_NAMES[kind]}" if secure else _NAMES[kind]


def is_secure(connection: HTTPConnection) -> bool:
    return connection.url.scheme == "https"


def read(connection: HTTPConnection, kind: Kind) -> str:
    """Empty when there is none."""
    return connection.cookies.get(_name(kind, secure=is_secure(connection)), "")


def written(kind: Kind, value: str, *, secure: bool) -> str:
    """As a Set-Cookie header. It ends with the browser, and is sent by our own pages alone; an empty value ends it."""
    jar: SimpleCookie = SimpleCookie()
    name = _name(kind, secure=secure)
    jar[name] = value
    jar[name]["path"] = "/"
    jar[name]["httponly"] = True
    jar[name]["samesite"] = "Strict"
    if secure:
        jar[name]["secure"] = True
    if not value:
        jar[name]["max-age"] = 0
    return jar[name].OutputString()
