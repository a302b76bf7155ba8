"""The record over real HTTP: who may come in, and that it answers as it does in process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from pathlib import Path

import httpx2
import pytest

from docgemma.ehr.embedded.rest.access import Access
from docgemma.ehr.embedded.rest.serving import http_app, serve
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.errors import BadInput, Unavailable
from tests.support.fhir_rest import Rest, patient
from tests.support.http import serving

TOKEN = "a-token-long-enough"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    ("bound", "token", "headers", "status"),
    [
        ("127.0.0.1", None, {}, 200),
        ("127.0.0.1", None, {"origin": "http://localhost:3000"}, 200),
        ("127.0.0.1", None, {"host": "records.evil.example"}, 421),
        ("127.0.0.1", None, {"host": "127.0.0.1.evil.example:80"}, 421),
        ("127.0.0.1", None, {"host": ""}, 421),
        ("127.0.0.1", None, {"origin": "https://evil.example"}, 403),
        ("127.0.0.1", None, {"origin": "http://[::1"}, 403),
        ("127.0.0.1", None, {"origin": "null"}, 403),
        ("127.0.0.1", TOKEN, {}, 401),
        ("127.0.0.1", TOKEN, BEARER, 200),
        ("0.0.0.0", TOKEN, {}, 401),
        ("0.0.0.0", TOKEN, {"authorization": "Bearer wrong"}, 401),
        ("0.0.0.0", TOKEN, BEARER | {"host": "records.hospital.example"}, 200),
        ("0.0.0.0", TOKEN, BEARER | {"origin": "http://localhost:3000"}, 403),
    ],
)
async def test_who_may_come_in(
    server: Rest, bound: str, token: str | None, headers: dict[str, str], status: int
) -> None:
    await server.put("Patient/p1", patient("p1"))
    async with serving(http_app(server.store, bound, token)) as base, httpx2.AsyncClient() as http:
        answer = await http.get(f"{base}/fhir/Patient/p1", headers=headers)
    assert answer.status_code == status
    assert answer.json()["resourceType"] == ("Patient" if status == 200 else "OperationOutcome")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "192.168.1.5", "records.hospital.example", ""])
def test_an_open_address_needs_a_token(tmp_path: Path, bound: str) -> None:
    with pytest.raises(BadInput, match=r"patient records.*DOCGEMMA_TOKEN"):
        http_app(FhirStore(tmp_path / "x"), bound, None)


def test_a_token_must_be_worth_the_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="too short"):
        http_app(FhirStore(tmp_path / "x"), "0.0.0.0", "short")


async def test_it_serves_where_it_says_and_links_lead_back(server: Rest) -> None:
    await server.store.put_many(patient(f"p{number}") for number in range(3))
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    heard: list[Access] = []

    async def on_access(accesses: Sequence[Access]) -> None:
        heard.extend(accesses)

    task = asyncio.create_task(serve(server.store, port=0, ready=address.set_result, on_access=on_access))
    try:
        base = await address
        async with httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(retries=5)) as http:
            first = (await http.get(f"{base}/Patient?name=okafor&_count=2")).json()
            link = next(one["url"] for one in first["link"] if one["relation"] == "next")
            assert link.startswith(f"{base}/Patient?")
            second = (await http.get(link)).json()
        assert [entry["resource"]["id"] for entry in second["entry"]] == ["p2"]
        assert [access.patients for access in heard] == [("p0", "p1"), ("p2",)]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_port_that_is_taken(server: Rest) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=f"port {port}"):
            await serve(server.store, port=port)
