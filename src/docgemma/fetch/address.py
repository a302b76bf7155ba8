"""What an address says before anything is sent to it."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, urlencode, urljoin, urlsplit

from docgemma.errors import BadInput
from docgemma.fetch.door import FetchError


def is_this_machine(host: str) -> bool:
    """Whether this host can only be this machine, so that what is sent to it travels over no network."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def base_address(url: str, *, what: str, example: str, setting: str, because: str, allow_http: bool) -> str:
    """The base address of a server that an operator names. What is sent there travels encrypted off this machine."""
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        raise BadInput(f"The {what} URL is not a valid address. Example: {example}") from None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise BadInput(f"The {what} URL must start with http:// or https://, name a host and ask nothing.")
    if parts.scheme == "http" and not allow_http and not is_this_machine(host):
        raise BadInput(
            f"A {what} server on another machine needs https, because {because}. "
            f"To use plain http on a network you trust, set {setting}=true."
        )
    return url.strip().rstrip("/")


def parts_of(url: str) -> SplitResult:
    """The address taken apart. One that is none cannot be reached."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # a port that is none shows only here
    except ValueError:
        raise FetchError("refused") from None
    return parts


def with_params(url: str, params: Sequence[tuple[str, str]]) -> str:
    """The address with these behind what it asks already. Half a character, as models write them, goes as "?"."""
    parts = parts_of(url)
    added = urlencode(params, quote_via=quote, encoding="utf-8", errors="replace")
    query = "&".join(part for part in (parts.query, added) if part)
    return parts._replace(query=query, fragment="").geturl()


def within(url: str, target: str) -> str:
    """Where a redirect leads, as long as it stays with the same server."""
    try:
        new, old = urlsplit(urljoin(url, target)), urlsplit(url)
        same = (new.scheme, new.hostname, new.port) == (old.scheme, old.hostname, old.port)
    except ValueError:
        same = False
    if not same or new.username is not None:
        raise FetchError("redirected")
    return new.geturl()
