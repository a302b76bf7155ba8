"""Where a record system gives out tokens, and how it wants to be asked for one: SMART discovery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from docgemma.ehr.client.address import Base, checked
from docgemma.ehr.client.asking import Budget, Question, ask
from docgemma.ehr.client.capabilities import dicts
from docgemma.ehr.client.outcomes import body_of
from docgemma.ehr.contract import CHART, EhrError
from docgemma.errors import BadInput
from docgemma.fetch.door import Door

_OAUTH_URIS = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"
_MOST_BYTES = 8_000_000
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
    reply = await ask(door, Question(url), _ACCEPT, budget, _MOST_BYTES)
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
