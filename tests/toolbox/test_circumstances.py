"""What travels with a call besides its arguments: until when, about whom; and what another server is never told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from docgemma.clinical import People, ToolResult, ends_at, holding, withheld
from docgemma.toolbox import Remote, Toolbox, pins
from docgemma.tools.arguments import DrugSafetyArgs
from docgemma.tools.registry import PATIENT, READS, RESULT_TYPES
from docgemma.tools.results import DrugSafetyReport
from docgemma.tools.scripted import ScriptedTools
from docgemma.tools.serve import http_app
from docgemma.tools.server import build_server
from tests.support.http import serving

MARIA = People(names=("Maria Garcia",), ids=("abc-123",), birth_dates=("1958-03-12",))
ABOUT_HER = ("warfarin for Maria Garcia", "warfarin, Garcia Maria", "abc-123", "born 12 March 1958")


async def test_a_tool_of_this_process_knows_until_when_and_about_whom() -> None:
    seen: list[tuple[float, People | None]] = []

    async def handler(_: DrugSafetyArgs) -> ToolResult:
        seen.append((ends_at.get() - asyncio.get_running_loop().time(), withheld.get(None)))
        return DrugSafetyReport(status="found", drug="dofetilide")

    tools = ScriptedTools({}).handlers() | {"check_drug_safety": handler}
    server = build_server(tools)
    async with Toolbox({"check_drug_safety": server}, RESULT_TYPES, reads=READS) as box:
        with holding(withheld, MARIA):
            await box.call("check_drug_safety", {"drug_name": "dofetilide"}, deadline_s=4)
        await box.call("check_drug_safety", {"drug_name": "dofetilide"}, deadline_s=8)
    (first_s, first), (second_s, second) = seen
    assert (first, second) == (MARIA, None)
    assert 3 < first_s <= 4 < second_s <= 8


@pytest.mark.parametrize("drug", ABOUT_HER)
async def test_another_server_is_not_told_who_a_look_up_is_about(drug: str) -> None:
    scripted = ScriptedTools({}, default=DrugSafetyReport(status="found", drug="warfarin"))
    assert (await _asked_elsewhere(scripted, "check_drug_safety", {"drug_name": drug})).error_type == "patient_data"
    assert scripted.calls == []


async def test_a_look_up_without_her_passes_and_so_does_her_own_chart() -> None:
    scripted = ScriptedTools({}, default=ToolResult(status="none"))
    for name, args in (("check_drug_safety", {"drug_name": "warfarin"}), ("search_patient", {"name": "Maria Garcia"})):
        assert (await _asked_elsewhere(scripted, name, args)).status == "none"
    assert len(scripted.calls) == 2


async def _asked_elsewhere(scripted: ScriptedTools, name: str, args: dict[str, Any]) -> ToolResult:
    async with serving(http_app(scripted.server(), "127.0.0.1", None)) as base:
        url = f"{base}/mcp"
        remote = Remote(url, pin=(await pins(url))[name])
        async with Toolbox({name: remote}, RESULT_TYPES, reads=READS, patient=PATIENT) as box:
            with holding(withheld, MARIA):
                return await box.call(name, args)
