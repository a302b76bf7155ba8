"""The regression rows of the specification's test table: known failures of small models that must not come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.clinical import ToolResult
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import TOOL_NAMES
from docgemma.tools.scripted import Timeout
from tests.agent.walkthroughs import MULTI_TOOL, SINGLE_TOOL, play
from tests.support import results as r
from tests.support.turns import stage


async def test_multi_tool_query_makes_no_plan_upfront(tmp_path: Path) -> None:
    """One tool at a time, each chosen with the results before it in view."""
    played = await play(MULTI_TOOL, tmp_path)
    selections = [call for call in played.calls if call.name == "tool_select"]
    assert len(selections) == 3
    for call in selections:
        assert call.schema is not None
        assert list(call.schema.model_fields) == ["tool_name"]


async def test_sufficiency_is_never_asked_of_the_model(tmp_path: Path) -> None:
    """After enough was found the next call is the answer; no prompt asks whether it is enough."""
    played = await play(SINGLE_TOOL, tmp_path)
    assert [call.name for call in played.calls][-2:] == ["result_classify", "synthesize"]
    folder = Path(__file__).parents[2] / "src" / "docgemma" / "agent" / "prompts"
    for prompt in folder.glob("*.md"):
        text = prompt.read_text(encoding="utf-8").lower()
        assert "enough" not in text
        assert "sufficient" not in text


async def test_multiple_patient_matches_ask_the_user_and_do_not_retry(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"search_patient": [r.WILSONS]}) as on:
        record = await on.ask("Search for patient James Wilson")
        assert len(on.tools.calls) == 1
    assert record.outcome == "ask_user"
    assert "error_handler" in {step.step for step in record.timeline}


async def test_tool_error_is_not_answered_from_pretrained_knowledge(tmp_path: Path) -> None:
    """Nothing was found, so the model is not even asked to write: code says what was not available."""
    down = ToolResult(status="unavailable", error_type="service_unavailable")
    model = ScriptedModel.by_prompt(
        {
            "intent_classify": [{"intent": "TOOL_NEEDED", "task_summary": "", "suggested_tool": "check_drug_safety"}],
            "error_handler": [{"strategy": "retry_same"}],
        }
    )
    async with stage(tmp_path, model, {"check_drug_safety": [down, down]}) as on:
        record = await on.ask("Check FDA warnings for dofetilide")
    assert "synthesize" not in on.asked
    assert record.response.startswith("[Drug Safety Report]")
    assert "unavailable" in record.response
    assert "safe" not in record.response.lower().replace("drug safety report", "")
    assert record.confidence == "low"
    assert any("Drug Safety Report" in notice for notice in record.notices)


@pytest.mark.parametrize(
    "leak", ["[check_drug_safety] ", "I used check_drug_safety. ", "The `check_drug_safety` tool says: "]
)
async def test_synthesis_shows_no_tool_names(tmp_path: Path, leak: str) -> None:
    model = ScriptedModel.by_prompt(
        {
            "intent_classify": [{"intent": "TOOL_NEEDED", "task_summary": "", "suggested_tool": "check_drug_safety"}],
            "result_classify": [{"quality": "success_rich", "brief_summary": ""}],
            "synthesize": [f"{leak}Torsade de pointes is the boxed warning."],
        }
    )
    async with stage(tmp_path, model, {"check_drug_safety": [r.DOFETILIDE]}) as on:
        record = await on.ask("Check FDA warnings for dofetilide")
        assert on.streamed.strip() == record.response
    assert not any(name in record.response for name in TOOL_NAMES)
    assert "Torsade de pointes is the boxed warning." in record.response


EMPTIES = ["", "  \n", "<unused94>thought\nI should look this up", "<end_of_turn>", "The prescription has been sent."]


@pytest.mark.parametrize("empty", EMPTIES)
async def test_synthesis_never_ends_with_nothing(tmp_path: Path, empty: str) -> None:
    model = ScriptedModel.by_prompt(
        {
            "intent_classify": [{"intent": "TOOL_NEEDED", "task_summary": "", "suggested_tool": "check_drug_safety"}],
            "result_classify": [{"quality": "success_rich", "brief_summary": ""}],
            "synthesize": [empty],
        }
    )
    async with stage(tmp_path, model, {"check_drug_safety": [r.DOFETILIDE]}) as on:
        record = await on.ask("Check FDA warnings for dofetilide")
    assert "Torsade de pointes" in record.response, "composed from what was found"
    assert "unused94" not in record.response
    assert "sent" not in record.response


async def test_a_look_up_that_keeps_failing_ends_after_three_attempts(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"check_drug_safety": [Timeout()] * 9}) as on:
        record = await on.ask("Check FDA warnings for amiodarone")
        assert len(on.tools.calls) == 3
    [call] = record.tool_calls
    assert (call.attempts, call.status, call.error_type) == (3, "unavailable", "timeout")
    assert record.outcome == "answer"
    assert record.confidence == "low"
