"""The scripted tools play what was written, in order, and stop loudly at the end."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from docgemma.clinical import ToolResult
from docgemma.errors import BadInput
from docgemma.toolbox import Toolbox
from docgemma.tools.registry import READS, RESULT_TYPES, TOOL_NAMES
from docgemma.tools.results import DrugSafetyReport, Proposal
from docgemma.tools.scripted import ScriptedTools, ScriptRanOut, Slow, Timeout

FOUND = DrugSafetyReport(status="found", drug="dofetilide", boxed_warnings=("QT",))


async def play(tools: ScriptedTools, *calls: tuple[str, dict[str, Any]], deadline_s: float = 5) -> list[ToolResult]:
    server = tools.server()
    async with Toolbox(dict.fromkeys(TOOL_NAMES, server), RESULT_TYPES, reads=READS, deadline_s=deadline_s) as box:
        return [await box.call(name, args) for name, args in calls]


SAFETY = ("check_drug_safety", {"drug_name": "dofetilide"})


async def test_steps_are_played_in_order_and_calls_are_kept() -> None:
    tools = ScriptedTools({"check_drug_safety": [Timeout, RuntimeError("bug"), ToolResult(status="none"), FOUND]})
    results = await play(tools, SAFETY, SAFETY, SAFETY, SAFETY)
    assert [(result.status, result.error_type) for result in results] == [
        ("unavailable", "timeout"),
        ("unavailable", "server_error"),
        ("none", None),
        ("found", None),
    ]
    assert all(isinstance(result, DrugSafetyReport) for result in results)
    assert tools.calls == [SAFETY] * 4


async def test_a_function_answers_by_arguments() -> None:
    tools = ScriptedTools(
        {"check_drug_safety": lambda args: FOUND.model_copy(update={"drug": args["drug_name"].upper()})}
    )
    [result] = await play(tools, SAFETY)
    assert isinstance(result, DrugSafetyReport)
    assert result.drug == "DOFETILIDE"


@pytest.mark.parametrize("scripts", [{}, {"check_drug_safety": [FOUND]}])
async def test_a_script_that_runs_out_fails_the_run(scripts: dict[str, list[ToolResult]]) -> None:
    with pytest.raises(ScriptRanOut, match=rf"call {len(scripts) + 1} of check_drug_safety"):
        await play(ScriptedTools(scripts), SAFETY, SAFETY)


async def test_a_default_answers_instead() -> None:
    tools = ScriptedTools({}, default=ToolResult(status="not_found", error_type="not_found"))
    [result] = await play(tools, ("add_allergy", {"patient_id": "1", "substance": "nuts", "reaction": "rash"}))
    assert isinstance(result, Proposal)
    assert result.status == "not_found"


async def test_slow_meets_a_real_deadline() -> None:
    tools = ScriptedTools({"check_drug_safety": [Slow(3600, FOUND), Slow(0, FOUND), Slow(0)]})
    cut, late, never = await play(tools, SAFETY, SAFETY, SAFETY, deadline_s=0.2)
    assert (cut.error_type, late.status, never.error_type) == ("timeout", "found", "timeout")


async def test_concurrent_calls_take_one_step_each() -> None:
    tools = ScriptedTools({"check_drug_safety": [FOUND] * 20})
    server = tools.server()
    async with Toolbox({"check_drug_safety": server}, RESULT_TYPES, reads=READS) as box:
        results = await asyncio.gather(*(box.call(*SAFETY) for _ in range(20)))
    assert [result.status for result in results] == ["found"] * 20


async def test_cases_ship_as_data(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    steps = [
        {"status": "found", "drug": "dofetilide", "boxed_warnings": ["QT"]},
        {"fault": "timeout"},
        {"fault": "slow", "seconds": 0, "then": {"status": "none"}},
        {"fault": "unavailable", "message": "Down for maintenance."},
        {"fault": "crash"},
    ]
    path.write_text(json.dumps({"check_drug_safety": steps}))
    results = await play(ScriptedTools.from_json(path), *[SAFETY] * 5)
    assert results[0] == FOUND
    kinds = [result.error_type or result.status for result in results[1:]]
    assert kinds == ["timeout", "none", "service_unavailable", "server_error"]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"check_drug_safety": [7]}',
        '{"check_drug_safety": {"status": "found"}}',
        '{"no_such_tool": []}',
        '{"no_such_tool": [{"status": "found"}]}',
        '{"check_drug_safety": [{"status": "maybe"}]}',
        '{"check_drug_safety": [{"status": "found", "drugg": "x"}]}',
        '{"check_drug_safety": [{"fault": "gremlins"}]}',
        '{"check_drug_safety": [{"fault": "slow", "seconds": -1}]}',
    ],
)
def test_a_broken_case_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "case.json"
    path.write_text(text)
    with pytest.raises(BadInput):
        ScriptedTools.from_json(path)
