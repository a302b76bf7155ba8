"""Tokens: asked for once by however many wait, renewed early, and renewed once when a server refuses one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from docgemma.ehr import fhir_json
from docgemma.ehr.client.address import Base, checked
from docgemma.ehr.client.asking import Budget, Question, ask
from docgemma.ehr.client.auth import Auth, BearerToken, ClientSecret, PrivateKey, is_token
from docgemma.ehr.client.capabilities import dicts
from docgemma.ehr.client.outcomes import body_of, refusal, timed_out, unreadable
from docgemma.ehr.contract import CHART, EhrError
from docgemma.errors import BadInput
from docgemma.fetch.door import Door, Reply

_OAUTH_URIS = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"
_MOST_DISCOVERED_BYTES = 8_000_000
_ACCEPT = {"accept": "application/json, application/fhir+json"}


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """Where to ask, and what the server said about how. Nothing said is an empty tuple."""

    url: str
    methods: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()

    def least_scope(self) -> str:
        """What reading charts needs, in the words of the SMART version that the server speaks."""
        may = "rs" if "permission-v2" in self.capabilities else "read"
        return " ".join(f"system/{kind}.{may}" for kind in ("Patient", *CHART, "Medication"))


async def discover(door: Door, base: Base, budget: Budget, *, allow_http: bool) -> TokenEndpoint:
    """Asked without any credential. The CapabilityStatement is where older servers say it."""
    told = await _read(door, base.at(".well-known", "smart-configuration"), budget)
    url = told.get("token_endpoint")
    methods, abilities = _texts(told, "token_endpoint_auth_methods_supported"), _texts(told, "capabilities")
    if not isinstance(url, str):
        url = _oauth_uri(await _read(door, base.at("metadata"), budget))
    if url is None:
        raise EhrError("not_configured", "The record system does not say where it gives out tokens.")
    try:
        checked(url.partition("?")[0], "record system's token endpoint", allow_http=allow_http)
    except BadInput as error:
        raise EhrError("not_configured", str(error)) from None
    # Word for word as the server wrote it: it compares what a signed request names as its audience.
    return TokenEndpoint(url, methods, abilities)


async def _read(door: Door, url: str, budget: Budget) -> dict[str, Any]:
    """A server that has no such page says so in many ways; one that is down says nothing, and that is raised."""
    reply = await ask(door, Question(url), _ACCEPT, budget, _MOST_DISCOVERED_BYTES)
    try:
        return body_of(reply)
    except EhrError as error:
        if error.error_type in ("server_error", "rate_limit"):
            raise
        return {}


def _oauth_uri(capability: dict[str, Any]) -> str | None:
    for rest in dicts(capability.get("rest")):
        security = rest.get("security")
        for outer in dicts(security.get("extension") if isinstance(security, dict) else None):
            if outer.get("url") == _OAUTH_URIS:
                for inner in dicts(outer.get("extension")):
                    if inner.get("url") == "token" and isinstance(inner.get("valueUri"), str):
                        return str(inner["valueUri"])
    return None


def _texts(told: dict[str, Any], name: str) -> tuple[str, ...]:
    listed = told.get(name)
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


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
