from __future__ import annotations

import socket

import pytest
from mcp import Client, StdioServerParameters

from docgemma.cli.main import run
from docgemma.tools.registry import TOOLS
from tests.cli.conftest import Terminal

OPEN_TOOLS = {tool.name for tool in TOOLS if not tool.patient}
ALL_TOOLS = {tool.name for tool in TOOLS}


@pytest.mark.parametrize(("arguments", "offered"), [([], OPEN_TOOLS), (["--chart"], ALL_TOOLS)])
async def test_patient_tools_are_offered_only_when_asked_for(
    terminal: Terminal, arguments: list[str], offered: set[str]
) -> None:
    command, *rest = terminal.command("mcp", *arguments)
    server = StdioServerParameters(command=command, args=rest, env=terminal.env)
    async with Client(server) as client:
        listed = await client.list_tools()
        assert {tool.name for tool in listed.tools} == offered


def test_a_port_that_is_taken_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert run(["mcp", "--http", "--port", str(taken.getsockname()[1])]) == 4
    assert "Try another --port" in capsys.readouterr().err


def test_an_open_address_needs_a_token(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert run(["mcp", "--http", "--host", "0.0.0.0", "--port", str(port)]) == 2
    assert "DOCGEMMA_TOKEN" in capsys.readouterr().err
