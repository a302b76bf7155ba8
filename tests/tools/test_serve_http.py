"""Who may reach the tools over HTTP: the matrix of address, token, Host and Origin."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from docgemma.errors import BadInput, Unavailable
from docgemma.tools.registry import offered
from docgemma.tools.scripted import ScriptedTools
from docgemma.tools.serve import http_app, serve_http
from tests.support.http import serving
from tests.tools.calls import RESULTS

TOKEN = "a-token-long-enough"
BEARER = {"authorization": f"Bearer {TOKEN}"}
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
PLAIN = {"accept": "application/json, text/event-stream"}


@pytest.mark.parametrize(
    ("bound", "token", "headers", "status"),
    [
        ("127.0.0.1", None, {}, 200),
        ("127.0.0.1", None, {"origin": "http://localhost:3000"}, 200),
        ("127.0.0.1", None, {"host": "tools.evil.example"}, 421),
        ("127.0.0.1", None, {"host": "127.0.0.1.evil.example:80"}, 421),
        ("127.0.0.1", None, {"origin": "https://evil.example"}, 403),
        ("127.0.0.1", None, {"origin": "null"}, 403),
        ("127.0.0.1", TOKEN, {}, 401),
        ("127.0.0.1", TOKEN, BEARER, 200),
        ("127.0.0.1", TOKEN, BEARER | {"host": "tools.evil.example"}, 421),
        ("127.0.0.1", TOKEN, BEARER | {"origin": "https://evil.example"}, 403),
        ("0.0.0.0", TOKEN, {}, 401),
        ("0.0.0.0", TOKEN, {"authorization": "Bearer"}, 401),
        ("0.0.0.0", TOKEN, {"authorization": "Bearer wrong"}, 401),
        ("0.0.0.0", TOKEN, {"authorization": f"Basic {TOKEN}"}, 401),
        ("0.0.0.0", TOKEN, {"authorization": f"Bearer {TOKEN}x"}, 401),
        ("0.0.0.0", TOKEN, BEARER, 200),
        ("0.0.0.0", TOKEN, BEARER | {"host": "docgemma.hospital.example"}, 200),
        ("0.0.0.0", TOKEN, BEARER | {"origin": "http://localhost:3000"}, 403),
        ("::", TOKEN, {"origin": "https://evil.example"}, 403),
    ],
)
async def test_who_may_come_in(bound: str, token: str | None, headers: dict[str, str], status: int) -> None:
    app = http_app(ScriptedTools({}).server(), bound, token)
    async with serving(app) as base, httpx2.AsyncClient() as http:
        answer = await http.post(f"{base}/mcp", json=HELLO, headers=PLAIN | headers)
    assert answer.status_code == status


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "192.168.1.5", "docgemma.hospital.example", ""])
def test_an_open_address_needs_a_token(bound: str) -> None:
    with pytest.raises(BadInput, match="DOCGEMMA_TOKEN"):
        http_app(ScriptedTools({}).server(), bound, None)


@pytest.mark.parametrize("token", ["", "short"])
def test_a_token_must_be_worth_the_name(token: str) -> None:
    with pytest.raises(BadInput, match="too short"):
        http_app(ScriptedTools({}).server(), "0.0.0.0", token)


async def test_it_listens_where_it_says_and_says_when_it_cannot() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=f"port {port}"):
            await serve_http(ScriptedTools({}).server(), port=port)
    task = asyncio.create_task(serve_http(ScriptedTools({}).server(), port=port))
    try:
        async with httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(retries=5)) as http:
            answer = await http.post(f"http://127.0.0.1:{port}/mcp", json=HELLO, headers=PLAIN)
        assert answer.json()["result"]["serverInfo"]["name"] == "docgemma"
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_real_client_sees_the_tools_without_patient_data() -> None:
    tools = ScriptedTools({"check_drug_safety": [RESULTS["check_drug_safety"]]})
    app = http_app(tools.server(offered(chart=False)), "0.0.0.0", TOKEN)
    async with (
        serving(app) as base,
        httpx2.AsyncClient(headers=BEARER) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
    ):
        names = [tool.name for tool in (await client.list_tools()).tools]
        answer = await client.call_tool("check_drug_safety", {"drug_name": "dofetilide"})
    assert names == list(offered(chart=False))
    assert answer.structured_content["boxed_warnings"] == ["QT prolongation"]
