"""Charts for other agents over MCP: only where the operator asked for it, and in the audit log under that name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult

from docgemma.audit.log import AuditLog
from docgemma.clinical import PURPOSE_KEY
from docgemma.config import Settings
from docgemma.wiring.app import open_app
from tests.support.charts import put_demo_charts


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put_demo_charts(tmp_path)
    return tmp_path


async def called(client: Client, name: str, args: dict[str, Any], meta: dict[str, Any] | None = None) -> dict[str, Any]:
    params = CallToolRequestParams(name=name, arguments=args, _meta=meta)
    answer = await client.session.send_request(CallToolRequest(params=params), CallToolResult)
    assert isinstance(answer.structured_content, dict)
    return answer.structured_content


async def test_a_chart_is_read_in_the_operators_name_whatever_the_caller_says(home: Path) -> None:
    forged = {PURPOSE_KEY: {"who": "somebody else", "why": "turn", "session_id": "s", "turn_id": "t"}}
    async with open_app(Settings(home=home, model="rules", sources="pack")) as app:
        async with Client(app.mcp_server("operator", chart=True)) as client:
            chart = await called(client, "get_patient_chart", {"patient_id": "abc-123"}, forged)
        rows = await AuditLog(app.store.database).entries(patient="abc-123")
    assert chart["status"] == "found"
    assert "John Smith" in chart["banner"]
    assert {(row.who, row.why, row.turn_id) for row in rows} == {("operator", "mcp", "")}


async def test_without_the_operators_word_there_are_no_charts(home: Path) -> None:
    async with (
        open_app(Settings(home=home, model="rules", sources="pack")) as app,
        Client(app.mcp_server("operator")) as client,
    ):
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert "check_drug_safety" in names
    assert not {"search_patient", "get_patient_chart", "prescribe_medication"} & set(names)
