"""Where orders are carried out: one ledger, one record system, and a way to look at that one past the proxy."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from docgemma.config import Settings
from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.embedded.rest.app import FhirApp
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.fetch.door import Door
from tests.support.fhir_peer import FhirPeer
from tests.support.fhir_servers import FhirServer, other_maker
from tests.torture.messages import Order
from tests.torture.proxy import FaultProxy, fault_proxy

DEADLINE_S = 1.5
"""Of one call to the record system, in the settings of every worker: what is slow takes longer than that."""

_SLOW_S = DEADLINE_S * 1.1
_BATCH = 100


@dataclass(frozen=True)
class World:
    """`settings` are the workers'. `server` is asked directly: what it says is what the chart holds."""

    name: str
    settings: Mapping[str, Any]
    server: FhirServer
    proxy: FaultProxy | None
    folder: Path

    @property
    def address(self) -> str:
        """Where the ledger is."""
        return Settings(**self.settings).store_address

    async def admit(self, orders: Sequence[Order]) -> None:
        """A patient for each order."""
        for first in range(0, len(orders), _BATCH):
            entries = [
                {"resource": resource, "request": {"method": "PUT", "url": f"Patient/{resource['id']}"}}
                for resource in map(_patient, orders[first : first + _BATCH])
            ]
            reply = await self.server.send("POST", "", {"resourceType": "Bundle", "type": "batch", "entry": entries})
            answers = [entry["response"]["status"][:3] for entry in reply.json().get("entry", ())]
            assert len(answers) == len(entries) and set(answers) <= {"200", "201"}, reply.text[:2000]

    def faults(self, on: bool) -> None:
        if self.proxy is not None:
            self.proxy.faulty = on

    async def quiet(self) -> None:
        """Wait for requests that are still under way though nobody waits for their answers."""
        if self.proxy is not None:
            await self.proxy.quiet()


def _patient(order: Order) -> dict[str, Any]:
    return {
        "resourceType": "Patient",
        "id": order.patient,
        "identifier": [{"system": "urn:torture:mrn", "value": f"T-{order.number:06}"}],
        "name": [{"family": f"Torture{order.number}", "given": ["Ana"]}],
        "gender": "female",
        "birthDate": "1970-01-01",
    }


@asynccontextmanager
async def in_process(folder: Path, *, database: str | None = None) -> AsyncIterator[World]:
    """The embedded record system, opened by every worker for itself on one file. Nothing is between them to fail."""
    settings = _settings(folder, database)
    url = "http://localhost/fhir"
    async with (
        FhirStore(Settings(**settings).charts_file) as store,
        Door.in_process(FhirApp(store)) as door,
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app=FhirApp(store))) as http,
    ):
        server = FhirServer("embedded", url, http, FhirClient(door, url), door)
        yield World("embedded", settings, server, None, folder)


@asynccontextmanager
async def served(folder: Path, *, seed: int, database: str | None = None) -> AsyncIterator[World]:
    """The embedded record system as `docgemma ehr serve` gives it to other programs, behind the proxy."""
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(_serving(folder / "server"))
        proxy = await stack.enter_async_context(fault_proxy("127.0.0.1", port, seed=seed, slow_s=_SLOW_S))
        http = await stack.enter_async_context(httpx2.AsyncClient(timeout=60))
        door = await stack.enter_async_context(Door())
        url = f"http://127.0.0.1:{port}/fhir"
        server = FhirServer("served", url, http, FhirClient(door, url), door)
        settings = _settings(folder, database, fhir_url=f"{proxy.origin}/fhir")
        yield World("served", settings, server, proxy, folder)


@asynccontextmanager
async def other(folder: Path, peer: FhirPeer, *, seed: int, database: str | None = None) -> AsyncIterator[World]:
    """The server of another maker, behind the proxy."""
    at = urlsplit(peer.url)
    assert at.hostname and at.port
    async with (
        fault_proxy(at.hostname, at.port, seed=seed, slow_s=_SLOW_S) as proxy,
        other_maker(peer) as server,
    ):
        settings = _settings(
            folder,
            database,
            fhir_url=f"{proxy.origin}{at.path}",
            fhir_client_id=peer.client_id,
            fhir_client_secret=peer.client_secret,
        )
        yield World("peer", settings, server, proxy, folder)


def _settings(folder: Path, database: str | None, **more: Any) -> dict[str, Any]:
    where = {} if database is None else {"database_url": database}
    return {"home": folder, "model": "rules", "sources": "pack", "tool_deadline_s": DEADLINE_S / 0.8, **where, **more}


@asynccontextmanager
async def _serving(home: Path) -> AsyncIterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    home.mkdir(parents=True, exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "docgemma", "ehr", "serve", "--port", str(port),
        env={**os.environ, "DOCGEMMA_HOME": str(home)}, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        assert b"FHIR R4 at" in await process.stderr.readline()
        yield port
    finally:
        process.terminate()
        await process.wait()
