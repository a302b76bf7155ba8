"""What every answer carries, also errors and static files: what a browser may do with it."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import Scope

POLICY = (
    "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
FIXED: tuple[tuple[str, str], ...] = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    # Nothing is told to other sites. `no-referrer` would also blank the Origin of our own forms, which is checked.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()"),
)
STATIC = "/static/"
_NEVER = "no-store"
_FOREVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


def harden(headers: MutableHeaders, scope: Scope, *, found: bool) -> None:
    """Set them, whatever the route said. Charts are kept by no cache; a static file under its hash by all of them."""
    for name, value in FIXED:
        headers[name] = value
    headers["Cache-Control"] = _cache(scope) if found else _NEVER


def _cache(scope: Scope) -> str:
    if not scope["path"].startswith(STATIC):
        return _NEVER
    return _FOREVER if scope.get("query_string", b"").startswith(b"v=") else _ASK_AGAIN
