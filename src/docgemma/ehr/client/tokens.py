"""Tokens: asked for once by however many wait, renewed early, and renewed once when a server refuses one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from docgemma.ehr import fhir_json
from docgemma.ehr.client.address import Base
from docgemma.ehr.client.asking import Budget, Question, ask
from docgemma.ehr.client.auth import Auth, BearerToken, ClientSecret, PrivateKey, is_token
from docgemma.ehr.client.discovery import TokenEndpoint, discover
from docgemma.ehr.client.outcomes import refusal, timed_out, unreadable
from docgemma.ehr.contract import EhrError
from docgemma.fetch.door import Door, Reply

_EARLY = 0.8
"""The share of its life after which a token is renewed: a request under way must not outlive it."""

_LIFE_UNSAID_S = 300.0
_MOST_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class _Token:
    value: str = field(repr=False)
    renew_at: float
    dies_at: float


class Tokens:
    """The current token for one record system."""

    def __init__(
        self, door: Door, base: Base, auth: Auth, *, allow_http: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._door = door
        self._base = base
        self._auth = auth
        self._allow_http = allow_http
        self._clock = clock
        self._endpoint: TokenEndpoint | None = None
        self._held: _Token | None = None
        self._failed: tuple[float, EhrError] | None = None
        self._one_at_a_time = asyncio.Lock()

    async def current(self, budget: Budget) -> str:
        if isinstance(self._auth, BearerToken):
            return self._auth.token
        if self._held is not None and self._clock() < self._held.renew_at:
            return self._held.value
        return await self._renewed(self._auth, None, budget)

    async def instead_of(self, refused: str, budget: Budget) -> str | None:
        """Another token than the one the server refused; None when there can be none."""
        if isinstance(self._auth, BearerToken):
            return None
        return await self._renewed(self._auth, refused, budget)

    async def _renewed(self, auth: ClientSecret | PrivateKey, refused: str | None, budget: Budget) -> str:
        came_at = self._clock()
        try:
            async with asyncio.timeout_at(budget.ends_at), self._one_at_a_time:
                held = self._held
                if held is not None and held.value != refused and self._clock() < held.renew_at:
                    return held.value
                if self._failed is not None and self._failed[0] >= came_at:
                    raise EhrError(self._failed[1].error_type, str(self._failed[1]))
                return await self._asked(auth, refused, budget)
        except TimeoutError:
            raise timed_out() from None

    async def _asked(self, auth: ClientSecret | PrivateKey, refused: str | None, budget: Budget) -> str:
        held = self._held
        try:
            self._held = await self._fetch(auth, budget)
        except EhrError as error:
            if held is not None and held.value != refused and self._clock() < held.dies_at:
                return held.value  # renewed early, so there is time to try again later
            self._failed = (self._clock(), error)
            raise
        return self._held.value

    async def _fetch(self, auth: ClientSecret | PrivateKey, budget: Budget) -> _Token:
        if self._endpoint is None:
            self._endpoint = await discover(self._door, self._base, budget, allow_http=self._allow_http)
        endpoint = self._endpoint
        asked_at = self._clock()
        headers = {"accept": "application/json"}
        return _token(await ask(self._door, partial(_request, auth, endpoint), headers, budget, _MOST_BYTES), asked_at)


def _request(auth: ClientSecret | PrivateKey, endpoint: TokenEndpoint) -> Question:
    proof = auth.request(endpoint.url, endpoint.methods)
    if proof is None:
        how = "a client secret" if isinstance(auth, ClientSecret) else "a signing key"
        raise EhrError("not_configured", f"The record system does not take {how} as a client's proof.")
    scope = auth.scope or endpoint.least_scope()
    form = [("grant_type", "client_credentials"), ("scope", scope), *proof.form]
    return Question(endpoint.url, form, proof.headers)


def _token(reply: Reply, asked_at: float) -> _Token:
    if reply.status in (400, 401, 403):
        raise EhrError(
            "not_configured",
            "The record system gave out no token. Check the client id, its secret or key, and its scopes.",
        )
    if reply.status != 200:
        raise refusal(reply)
    try:
        told = fhir_json.loads(reply.body)
        value, kind, life = told["access_token"], told.get("token_type", "bearer"), told.get("expires_in")
        life_s = _LIFE_UNSAID_S if life is None else float(life)
    except (fhir_json.NotJson, KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise unreadable("The record system's token cannot be read.") from None
    if not is_token(value) or str(kind).lower() != "bearer" or not life_s > 0:
        raise unreadable("The record system's token cannot be used.")
    return _Token(value, asked_at + _EARLY * life_s, asked_at + life_s)
