"""The servers of the contract suite: the embedded one in process and over HTTP, and one of another maker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from docgemma.ehr import fhir_json
from docgemma.ehr.client.auth import BearerToken, ClientSecret
from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.embedded.rest.app import FhirApp
from docgemma.ehr.embedded.rest.serving import http_app
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.fetch.door import Door
from tests.support.fhir_peer import FhirPeer
from tests.support.http import serving

Json = dict[str, Any]

_TOKEN = "a-token-for-the-contract-suite"


@dataclass(frozen=True)
class FhirServer:
    """One server: by raw HTTP, because only tests write so, and by our client."""

    name: str
    url: str
    http: httpx2.AsyncClient
    client: FhirClient
    door: Door

    async def send(self, method: str, path: str, body: Json | None = None, **headers: str) -> httpx2.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = None if body is None else fhir_json.dumps(body)
        kind = {"content-type": "application/fhir+json"} if body is not None else {}
        url = f"{self.url}/{path}" if path else self.url
        return await self.http.request(method, url, content=content, headers={**kind, **named})

    async def put(self, *resources: Json) -> None:
        for one in resources:
            reply = await self.send("PUT", f"{one['resourceType']}/{one['id']}", one)
            assert reply.status_code in (200, 201), reply.text

    async def found(self, path: str) -> list[str]:
        """The ids that a search by GET gives."""
        reply = await self.send("GET", path)
        assert reply.status_code == 200, reply.text
        return sorted(entry["resource"]["id"] for entry in reply.json().get("entry", ()))


@asynccontextmanager
async def embedded(folder: Path) -> AsyncIterator[FhirServer]:
    """Reached as the program itself reaches it."""
    async with FhirStore(folder / "charts.db") as store:
        app = FhirApp(store)
        url = "http://localhost/fhir"
        door = Door.in_process(app)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as http:
            yield FhirServer("embedded", url, http, FhirClient(door, url), door)


@asynccontextmanager
async def embedded_over_http(folder: Path) -> AsyncIterator[FhirServer]:
    """Reached as other programs reach it: over a socket, past its guard, with a token."""
    headers = {"authorization": f"Bearer {_TOKEN}"}
    async with (
        FhirStore(folder / "charts.db") as store,
        serving(http_app(store, "127.0.0.1", _TOKEN)) as origin,
        Door() as door,
        httpx2.AsyncClient(timeout=60, headers=headers) as http,
    ):
        url = f"{origin}/fhir"
        yield FhirServer("embedded over HTTP", url, http, FhirClient(door, url, auth=BearerToken(_TOKEN)), door)


@asynccontextmanager
async def other_maker(peer: FhirPeer) -> AsyncIterator[FhirServer]:
    auth = ClientSecret(peer.client_id, peer.client_secret)
    async with httpx2.AsyncClient(timeout=60) as http, Door() as door:
        discovery = (await http.get(f"{peer.url}/.well-known/smart-configuration")).json()
        form = {"grant_type": "client_credentials", "client_id": peer.client_id, "client_secret": peer.client_secret}
        token = (await http.post(discovery["token_endpoint"], data=form)).json()["access_token"]
        http.headers["authorization"] = f"Bearer {token}"
        yield FhirServer("other maker", peer.url, http, FhirClient(door, peer.url, auth=auth), door)


async def at_once(*calls: Any) -> list[Any]:
    return list(await asyncio.gather(*calls))
