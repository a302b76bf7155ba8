"""Whether a request comes from a page of ours, and from whom.

A page elsewhere can make a browser send requests here. It cannot choose their Host, hide where they come from, or
read the token that our own pages carry.
"""

from __future__ import annotations

import hmac
import secrets
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from docgemma.accounts.model import Identity
from docgemma.accounts.users import Accounts
from docgemma.server.identity import cookies
from docgemma.server.identity.errors import Forbidden, SignInNeeded, WrongHost
from docgemma.server.identity.paths import LOGIN, safe_path, sign_in_address

__all__ = ["Guard", "Visit", "safe_path", "sign_in_address", "visit"]

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
CSRF_HEADER = "x-csrf-token"
CSRF_FIELD = "csrf"
STALE = "This page is not up to date. Reload it and try again; nothing was changed."
FOREIGN = "This request was sent by another site's page. Nothing was changed."
ENDED = "You are not signed in, or no longer. Sign in and try again; nothing was changed."
BAD_TOKEN = "This token is not valid, or no longer. `docgemma users token NAME` makes a new one."  # noqa: S105 - words
_OPEN_FORMS = (LOGIN, "/language")
_OWN = ("same-origin", "none")
"""What a browser says of requests of our own pages, and of addresses that were typed in."""


@dataclass(slots=True)
class Visit:
    """What the tokens of the forms on the answer are made for: a sign-in, or a browser that has none."""

    key: str
    fresh: str = ""
    """The cookie that this browser does not have yet; it is sent once a form needs it."""

    used: bool = False


visit: ContextVar[Visit] = ContextVar("visit")
"""Set by the middleware for every request."""


class Guard:
    """`operator` is the person at this machine, who needs no account while there is none and only this machine can
    reach the server (`local`). `hosts` are the values of Host that are ours, with their ports."""

    def __init__(
        self,
        accounts: Accounts,
        *,
        operator: str,
        local: bool,
        prescriber: bool,
        hosts: tuple[str, ...],
        secret: str,
    ) -> None:
        self.accounts = accounts
        self._operator = Identity.at_this_machine(operator, prescriber=prescriber)
        self._with_accounts = not local
        self._hosts = frozenset(host.lower() for host in hosts)
        self._secret = secret.encode()

    def check_host(self, connection: HTTPConnection) -> None:
        """A page elsewhere may point its own name at this machine; its requests carry that name."""
        given = connection.headers.getlist("host")
        host = given[0].lower() if len(given) == 1 else ""
        if host not in self._hosts:
            raise WrongHost

    def check_origin(self, connection: HTTPConnection) -> None:
        """Pages elsewhere may link here, and nothing else: no pictures, no frames, no forms."""
        headers, method = connection.headers, connection.scope["method"]
        site = headers.get("sec-fetch-site", "none")
        if method not in SAFE_METHODS:
            host = headers.get("host", "")
            if site not in _OWN or not all(_same_place(origin, host) for origin in headers.getlist("origin")):
                raise Forbidden(FOREIGN)
        elif site not in _OWN and not is_link(connection):
            raise Forbidden(FOREIGN)

    async def identify(self, connection: HTTPConnection) -> Identity | None:
        """Who sends it. A token that is given decides alone: a bad one is never made good by a cookie."""
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            found = await self.accounts.tokens.find(token.strip())
            if found is None:
                raise SignInNeeded(BAD_TOKEN)
            return found
        if not await self.has_accounts():
            return self._operator
        return await self.accounts.logins.find(cookies.read(connection, "login"))

    async def has_accounts(self) -> bool:
        """From the first account on everybody signs in, also while this server runs on."""
        if not self._with_accounts:
            self._with_accounts = await self.accounts.count() > 0
        return self._with_accounts

    def visit_of(self, connection: HTTPConnection, identity: Identity | None) -> Visit:
        if identity is not None:
            return Visit(identity.login_id)
        brought = cookies.read(connection, "visit")
        fresh = "" if _is_visit(brought) else secrets.token_hex(16)
        return Visit(f"visit {fresh or brought}", fresh)

    def csrf(self, identity: Identity | None = None) -> str:
        """The token for the forms of a page. Without an identity it is that of the request being answered."""
        current = visit.get(None)
        if current is not None:
            current.used = True
        if identity is not None:
            return self._token(identity.login_id)
        if current is not None:
            return self._token(current.key)
        return self._token("" if self._with_accounts else self._operator.login_id)

    def check_csrf(self, given: str, identity: Identity | None, current: Visit, path: str) -> None:
        """Whether a page of ours, shown to this very sign-in, sent it."""
        if not current.fresh and hmac.compare_digest(given.encode(), self._token(current.key).encode()):
            return
        if identity is None and path not in _OPEN_FORMS:
            raise SignInNeeded(ENDED)
        raise Forbidden(STALE)

    def _token(self, key: str) -> str:
        return hmac.new(self._secret, key.encode(), sha256).hexdigest()


def is_link(connection: HTTPConnection) -> bool:
    """A person followed a link: the answer becomes a page of its own, which whoever linked cannot read."""
    headers = connection.headers
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def is_foreign(connection: HTTPConnection) -> bool:
    return connection.headers.get("sec-fetch-site", "none") not in _OWN


def _same_place(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _is_visit(text: str) -> bool:
    return len(text) == 32 and all(letter in "0123456789abcdef" for letter in text)
