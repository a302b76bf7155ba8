"""The four worked examples of the specification, call by call."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.agent.schemas import IntentClassification, ResultAssessment, RetryStrategy
from docgemma.tools.arguments import DrugSafetyArgs
from scripts.walkthroughs import DOCUMENT, draw
from tests.agent.walkthroughs import DIRECT, ERROR_RECOVERY, MULTI_TOOL, SINGLE_TOOL, WALKTHROUGHS, Walkthrough, play
from tests.support.turns import steps


@pytest.mark.parametrize("walkthrough", WALKTHROUGHS, ids=lambda walkthrough: walkthrough.title)
async def test_asks_the_model_in_exactly_this_order(walkthrough: Walkthrough, tmp_path: Path) -> None:
    played = await play(walkthrough, tmp_path)
    assert [call.name for call in played.calls] == [name for name, _ in walkthrough.script]
    assert played.record.llm_calls == len(walkthrough.script)


async def test_example_1_direct_response(tmp_path: Path) -> None:
    played = await play(DIRECT, tmp_path)
    assert played.record.intent == "DIRECT"
    assert played.record.llm_calls == 2
    assert played.tool_calls == []
    assert steps(played.record) == ["input_assembly", "intent_classify", "router", "synthesize"]
    intent, answer = played.calls
    assert (intent.schema, intent.temperature, intent.max_tokens) == (IntentClassification, 0.0, 256)
    assert (answer.schema, answer.temperature, answer.max_tokens) == (None, 0.5, 256)
    assert "≥130 mmHg" in played.record.response
    assert played.record.confidence == "low"
    assert any("not checked" in notice for notice in played.record.notices)


async def test_example_2_single_tool(tmp_path: Path) -> None:
    """The specification says 4 calls; selection takes two, so it is 5 without shortcuts."""
    played = await play(SINGLE_TOOL, tmp_path)
    assert played.record.llm_calls == 5
    assert played.tool_calls == [("check_drug_safety", {"drug_name": "dofetilide"})]
    assert steps(played.record) == [
        "input_assembly",
        "intent_classify",
        "router",
        "tool_select",
        "tool_execute",
        "result_classify",
        "router",
        "synthesize",
    ]
    _, stage_1, stage_2, assessment, _ = played.calls
    assert stage_1.max_tokens == 64
    assert (stage_2.schema, stage_2.max_tokens) == (DrugSafetyArgs, 128)
    assert (assessment.schema, assessment.max_tokens) == (ResultAssessment, 128)
    assert played.record.confidence == "high"
    assert any("Torsade" in notice for notice in played.record.notices)
    assert [source.id for source in played.record.sources] == ["S1"]


async def test_example_3_multi_tool(tmp_path: Path) -> None:
    """The specification says 8 calls; with two per selection it is 11 without shortcuts."""
    played = await play(MULTI_TOOL, tmp_path)
    assert [name for name, _ in played.tool_calls] == ["search_patient", "get_patient_chart", "check_drug_safety"]
    assert played.tool_calls[1][1]["patient_id"] == "abc-123"
    assert played.record.llm_calls == 11
    assert played.record.outcome == "answer"
    assert "71 mL/min" in played.record.response


async def test_example_4_error_recovery(tmp_path: Path) -> None:
    """A time-out is told apart by code, retried the same way, and the second answer is used: 7 calls."""
    played = await play(ERROR_RECOVERY, tmp_path)
    assert [name for name, _ in played.tool_calls] == ["check_drug_safety"] * 2
    [call] = played.record.tool_calls
    assert (call.attempts, call.status) == (2, "found")
    assert played.calls[4].schema is RetryStrategy
    assert played.record.llm_calls == 7
    assert "error_handler" in steps(played.record)
    assert "pulmonary toxicity" in played.record.response


async def test_the_document_shows_what_runs(tmp_path: Path) -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == await draw(tmp_path), "run: make docs"
