"""Where a record system lives, and what lies under that address. Nothing of ours is ever sent beyond it."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode, urljoin, urlsplit

from docgemma.ehr.contract import EhrError, Params
from docgemma.errors import BadInput
from docgemma.fetch.address import is_this_machine

_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}")
_KIND = re.compile(r"[A-Z][A-Za-z]{1,63}")
_PORTS = {"http": 80, "https": 443}
_SAFE_PATH = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*")
_DOTS = re.compile(r"(?i)/(?:\.|%2e){1,2}(?=/|$)|%2f|%5c")
"""Steps upwards, and slashes in disguise: a path with these may mean another one to the server than to us."""


def is_id(text: object) -> bool:
    """Whether anything can have this id. Two dots are dots to FHIR, but a step upwards in an address."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None and text not in (".", "..")


def typed(kind: str) -> str:
    """The kind, which our own code chose: anything else here is a bug."""
    if _KIND.fullmatch(kind) is None:
        raise ValueError("not a kind of FHIR resource")
    return kind


class Base:
    """The address under which a FHIR server answers, and its own: what is asked stays there."""

    def __init__(self, url: str, *, allow_http: bool = False) -> None:
        self.origin, self.path = checked(url, "record system", allow_http=allow_http)
        self.url = self.origin + self.path

    def __repr__(self) -> str:
        return f"Base({self.url!r})"

    def at(self, *steps: str) -> str:
        """Something under the base. Steps are kinds, ids and operations that were checked before."""
        return "/".join((self.url, *steps))

    def asking(self, path: str, params: Params) -> str:
        try:
            return f"{self.at(path)}?{urlencode(list(params), quote_via=quote)}"
        except UnicodeEncodeError:
            raise unsendable() from None

    def page(self, link: str) -> str | None:
        """Where a link to the next page leads, None when that is not under this base.

        The address is put together anew from our own origin, so that no reading of a crooked link, however servers
        and libraries differ in it, takes a token elsewhere.
        """
        try:
            parts = urlsplit(urljoin(f"{self.url}/", link.strip()))
            origin = _origin(parts.scheme, parts.hostname, parts.port)
        except ValueError:
            return None
        path = parts.path.rstrip("/") if parts.path.rstrip("/") == self.path else parts.path
        if parts.username is not None or origin != self.origin or _SAFE_PATH.fullmatch(path) is None:
            return None
        if _DOTS.search(path) or not (path == self.path or path.startswith(f"{self.path}/")):
            return None
        return f"{self.origin}{path}?{quote(parts.query, safe=_QUERY)}" if parts.query else f"{self.origin}{path}"


_QUERY = "!$&'()*+,;=:@%/?-._~"


def checked(url: str, what: str, *, allow_http: bool) -> tuple[str, str]:
    """Origin and path of an address from the settings or from a server's own description.

    Charts and secrets travel to it: off this machine they travel encrypted.
    """
    try:
        parts = urlsplit(url.strip())
        origin = _origin(parts.scheme, parts.hostname, parts.port)
    except ValueError:
        raise BadInput(f"The address of the {what} is not valid. Example: https://fhir.example.org/R4") from None
    if parts.scheme.lower() not in _PORTS or not parts.hostname:
        raise BadInput(f"The address of the {what} must start with https:// (or http://) and name a host.")
    if parts.username is not None or parts.query or parts.fragment:
        raise BadInput(f"The address of the {what} may hold no user name, no password and nothing after ? or #.")
    if parts.scheme.lower() == "http" and not allow_http and not is_this_machine(parts.hostname):
        raise BadInput(
            f"The {what} is on another machine and needs https, because charts travel to and fro. "
            "To use plain http on a network you trust, set DOCGEMMA_ALLOW_HTTP_FHIR=true."
        )
    path = parts.path.rstrip("/")
    if _SAFE_PATH.fullmatch(path) is None or _DOTS.search(path):
        raise BadInput(f"The address of the {what} is not valid. Example: https://fhir.example.org/R4")
    return origin, path


def _origin(scheme: str, host: str | None, port: int | None) -> str:
    scheme, host = scheme.lower(), (host or "").lower()
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" if port in (None, _PORTS.get(scheme)) else f"{scheme}://{shown}:{port}"


def unsendable() -> EhrError:
    return EhrError("invalid_args", "The search holds characters that no record can hold.")
