"""What a route asks for: somebody who is signed in, or somebody who may do this."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request

from docgemma.accounts.model import Capability, Identity
from docgemma.server.identity.errors import Forbidden, SignInNeeded

NO_ACCOUNTS = "There are no accounts here. `docgemma users add NAME --role admin` makes the first one."
NOT_ALLOWED = "Your account may not do this. Ask whoever looks after the accounts here."


def present(request: Request) -> Identity | None:
    """Who sends the request, as the guard found out; None for somebody unknown. Without the guard it is a bug."""
    found: Identity | None = request.state.identity
    return found


def signed_in(request: Request) -> Identity:
    found = present(request)
    if found is None:
        raise SignInNeeded
    return found


def needs(capability: Capability) -> Callable[[Request], Identity]:
    """A dependency that lets only those through who may do this."""

    def allowed(request: Request) -> Identity:
        found = signed_in(request)
        if not found.can(capability):
            raise Forbidden(NO_ACCOUNTS if found.role == "local" else NOT_ALLOWED)
        return found

    return allowed
