"""Over stdio, with a real process and a real client."""

from __future__ import annotations

import sys

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from docgemma.tools.registry import offered

SERVER = """
import asyncio
from docgemma.tools.handlers import ClinicalTools
from docgemma.tools.registry import offered
from docgemma.tools.serve import serve_stdio
from docgemma.tools.server import build_server

tools = ClinicalTools()
inner = tools.handlers()

async def chatty(args):
    print("this must not reach the protocol")
    return await inner["check_drug_safety"](args)

asyncio.run(serve_stdio(build_server(inner | {"check_drug_safety": chatty}, names=offered(chart=False))))
"""


async def test_a_client_lists_calls_and_is_refused_the_chart() -> None:
    parameters = StdioServerParameters(command=sys.executable, args=["-c", SERVER])
    async with Client(parameters) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(offered(chart=False))
        answer = await client.call_tool("check_drug_safety", {"drug_name": "dofetilide"})
        assert answer.structured_content["error_type"] == "not_configured"
        incomplete = await client.call_tool("check_drug_safety", {})
        assert incomplete.structured_content["missing"] == ["drug_name"]
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("get_patient_chart", {"patient_id": "abc-123"})
