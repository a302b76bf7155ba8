"""The embedded FHIR server as a caller meets it: requests in, status and JSON out, no network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from docgemma.ehr import fhir_json
from docgemma.ehr.embedded.rest.app import FhirApp
from docgemma.ehr.embedded.storage.store import FhirStore

BASE = "http://embedded/fhir"
JSON = "application/fhir+json"


@dataclass(frozen=True, slots=True)
class Reply:
    """`json` keeps the digits of numbers, as a careful client would."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return fhir_json.loads(self.text)

    @property
    def ids(self) -> list[str]:
        return [entry["resource"]["id"] for entry in self.json.get("entry", [])]

    @property
    def next(self) -> str | None:
        return next((link["url"] for link in self.json.get("link", []) if link["relation"] == "next"), None)

    @property
    def where(self) -> list[str]:
        """The places that an OperationOutcome complains about."""
        return [place for issue in self.json["issue"] for place in issue.get("expression", [])]


class Rest:
    """One method for each of HTTP's. Addresses are relative to the base, or the links of earlier replies."""

    def __init__(self, client: httpx2.AsyncClient, store: FhirStore) -> None:
        self._client = client
        self.store = store

    async def get(self, url: str, **headers: str) -> Reply:
        return await self.send("GET", url, **headers)

    async def post(self, url: str, body: Any, **headers: str) -> Reply:
        return await self.send("POST", url, body, **headers)

    async def put(self, url: str, body: Any, **headers: str) -> Reply:
        return await self.send("PUT", url, body, **headers)

    async def delete(self, url: str, **headers: str) -> Reply:
        return await self.send("DELETE", url, **headers)

    async def send(self, method: str, url: str, body: Any = None, **headers: str) -> Reply:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, bytes | None) else fhir_json.dumps(body).encode()
        if content is not None:
            sent.setdefault("content-type", JSON)
        address = url if "://" in url else f"{BASE}/{url}" if url else BASE
        answer = await self._client.request(method, address, content=content, headers=sent)
        return Reply(answer.status_code, answer.headers, answer.text)

    async def pages(self, url: str) -> AsyncIterator[Reply]:
        """This page and all that its links lead to, which must not be in circles."""
        link: str | None = url
        seen: set[str] = set()
        while link is not None:
            assert link not in seen, "a page links back to an earlier one"
            seen.add(link)
            page = await self.get(link)
            yield page
            link = page.next


@asynccontextmanager
async def rest(folder: Path, **options: Any) -> AsyncIterator[Rest]:
    """A server on a new store in this folder."""
    async with (
        FhirStore(folder / "charts.sqlite") as store,
        httpx2.AsyncClient(transport=httpx2.ASGITransport(FhirApp(store, **options))) as client,
    ):
        yield Rest(client, store)


def patient(id_: str = "", **fields: Any) -> dict[str, Any]:
    """Somebody, as far as the test does not care."""
    named = {"id": id_} if id_ else {}
    return {"resourceType": "Patient", **named, "name": [{"family": "Okafor", "given": ["Chidi"]}], **fields}


def observation(id_: str = "", of: str = "p1", **fields: Any) -> dict[str, Any]:
    named = {"id": id_} if id_ else {}
    return {
        "resourceType": "Observation",
        **named,
        "status": "final",
        "code": {"text": "potassium"},
        "subject": {"reference": f"Patient/{of}"},
        **fields,
    }
