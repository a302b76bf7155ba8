"""Templates: one environment, autoescaped and strict, in the reader's language."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from docgemma import __version__
from docgemma.accounts.model import Identity
from docgemma.entities.printable import plain
from docgemma.server.pages.language import COOKIE, LANGUAGES, NAMES, Lang, chosen, translator
from docgemma.server.pages.markdown import steady, to_html

Csrf = Callable[[Identity | None], str]


@cache
def environment() -> Environment:
    """Compiled once a process."""
    made = Environment(
        loader=PackageLoader("docgemma.server", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["markdown"] = to_html
    made.filters["plain"] = plain
    made.filters["steady"] = steady
    made.globals["languages"] = [(code, NAMES[code]) for code in LANGUAGES]
    made.globals["version"] = __version__
    made.globals["static"] = static
    return made


@cache
def static(name: str) -> str:
    """The address of a static file. It changes with the file, so that a browser may keep what it has."""
    body = files("docgemma.server").joinpath("static", name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(body).hexdigest()[:12]}"


class Pages:
    """Renders for one site. `mode` is what the line at the foot of every page says."""

    def __init__(self, csrf: Csrf, *, local: bool, mode: Any) -> None:
        self._csrf = csrf
        self._local = local
        self._mode = mode

    def page(
        self, request: Request, who: Identity | None, name: str, *, status: int = 200, **vars: Any
    ) -> HTMLResponse:
        """A whole page."""
        lang = language_of(request)
        text = self.part(name, lang, who, path=request.url.path, **vars)
        return HTMLResponse(text, status_code=status, headers={"Content-Language": lang, "Vary": "Cookie"})

    def fragment(
        self,
        request: Request,
        who: Identity | None,
        name: str,
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
        **vars: Any,
    ) -> HTMLResponse:
        """A part of a page, for the script to put in its place."""
        text = self.part(name, language_of(request), who, path=request.url.path, **vars)
        return HTMLResponse(text, status_code=status, headers=headers)

    def part(self, name: str, lang: Lang, who: Identity | None, **vars: Any) -> str:
        """The text of a template."""
        scope = {
            "_": translator(lang),
            "lang": lang,
            "who": who,
            "csrf": self._csrf(who),
            "local": self._local,
            "mode": self._mode,
            "path": "",
            **vars,
        }
        return environment().get_template(name).render(scope)


def language_of(request: Request) -> Lang:
    return chosen(request.cookies.get(COOKIE), request.headers.get("accept-language"))


def wants_part(request: Request) -> bool:
    """Whether our own script asks, for a piece of HTML."""
    return request.headers.get("x-fragment") == "1"


def wants_page(request: Request) -> bool:
    """Whether a browser navigates here, and so gets words instead of data."""
    return not wants_part(request) and "text/html" in request.headers.get("accept", "")
