"""The unit rows of the specification's test table, node by node.

Each row runs twice where a model node is concerned: with a scripted model that answers as the row expects (the node
passes it on and asks rightly), and with the node's own rule (so that the row also holds without any model).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from docgemma.agent.nodes.error_handler import error_handler, gives_up
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.nodes.intent_classify import intent_classify
from docgemma.agent.nodes.result_classify import result_classify
from docgemma.agent.nodes.tool_select import tool_select
from docgemma.agent.router import after_error, after_result
from docgemma.agent.rules import RULES
from docgemma.agent.shortcuts import ALL, NONE
from docgemma.agent.state import Services, State, ToolRun
from docgemma.clinical import ToolResult
from docgemma.llm.contract import LanguageModel
from docgemma.llm.rules import RulesModel
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import DrugSafetyReport, LiteratureResult
from tests.support import results as r


class NoTools:
    async def call(self, name: str, args: dict[str, Any], *, deadline_s: float | None = None) -> ToolResult:
        raise AssertionError(f"{name} was called")


def runtime(model: LanguageModel | None = None, *, shortcuts: bool = False) -> Runtime[Services]:
    return Runtime(context=Services(model or RulesModel(RULES), NoTools(), shortcuts=ALL if shortcuts else NONE))


async def assembled(message: str, **more: Any) -> State:
    state: State = {"message": message, "errors": [], "timeline": [], "notices": []}
    state.update(more)  # type: ignore[typeddict-item]
    return state | await input_assembly(state, runtime())


def after(tool: str, result: ToolResult, quality: str | None, **more: Any) -> State:
    run = ToolRun(REGISTRY[tool].name, more.pop("args", {}), result, quality)  # type: ignore[arg-type]
    state = {"request": "…", "runs": (run,), "steps": 1, "retries": 0, "total_retries": 0, "needs": (), "errors": []}
    return state | more  # type: ignore[return-value]


INTENTS = [
    ("Hello", "DIRECT", None),
    ("Check FDA warnings for dofetilide", "TOOL_NEEDED", "check_drug_safety"),
    ("What is hypertension?", "DIRECT", None),
    ("Find patient John Smith and check his meds", "TOOL_NEEDED", "search_patient"),
]


@pytest.mark.parametrize(("message", "intent", "tool"), INTENTS)
async def test_intent_classify(message: str, intent: str, tool: str | None) -> None:
    state = await assembled(message)
    by_rule = await intent_classify(state, runtime())
    assert (by_rule["intent"], by_rule["suggested_tool"]) == (intent, tool)
    model = ScriptedModel({"intent": intent, "task_summary": "summary", "suggested_tool": tool})
    by_model = await intent_classify(state, runtime(model))
    assert (by_model["intent"], by_model["suggested_tool"]) == (intent, tool)
    assert message in model.prompts[0].messages[-1].text


SELECTIONS = [
    ("Check FDA warnings for dofetilide", "check_drug_safety", {"drug_name": "dofetilide"}),
    (
        "Check interactions between warfarin and aspirin",
        "check_drug_interactions",
        {"drug_names": ["warfarin", "aspirin"]},
    ),
    ("Check amoxicillin info for my patient", "check_drug_safety", {"drug_name": "amoxicillin"}),
    ("Write a note for patient abc-123", "save_clinical_note", {"patient_id": "abc-123"}),
]


@pytest.mark.parametrize(("message", "tool", "args"), SELECTIONS)
async def test_tool_select(message: str, tool: str, args: dict[str, Any]) -> None:
    state = await assembled(message)
    by_rule = await tool_select(state, runtime())
    assert by_rule["tool"] == tool
    assert {name: sourced.value for name, sourced in by_rule["args"].items()} == args
    stage_2 = args | ({"note_type": ""} if tool == "save_clinical_note" else {})
    model = ScriptedModel({"tool_name": tool}, stage_2)
    by_model = await tool_select(state, runtime(model))
    assert by_model["tool"] == tool
    assert {name: sourced.value for name, sourced in by_model["args"].items()} == args
    assert [call.name for call in model.calls] == ["tool_select", "tool_select_arguments"]


async def test_tool_select_shows_all_ten_tools_and_one_matching_example() -> None:
    state = await assembled("Check FDA warnings for dofetilide") | {"suggested_tool": "check_drug_safety"}
    model = ScriptedModel({"tool_name": "check_drug_safety"}, {"drug_name": "dofetilide"})
    await tool_select(state, runtime(model))
    shown = model.prompts[0].messages[0].text
    assert all(tool.description in shown for tool in REGISTRY.values())
    assert shown.count("Example:") == 1
    assert "Tool: check_drug_safety" in shown
    assert "Detected drug name: dofetilide" in model.prompts[1].messages[0].text


TIMEOUT = DrugSafetyReport(status="unavailable", error_type="timeout")
NOTHING = LiteratureResult(status="none", origin="live", message="No articles were found.")
QUALITIES = [
    ("rich drug safety data", "check_drug_safety", r.DOFETILIDE, "success_rich"),
    ("no articles found", "search_medical_literature", NOTHING, "no_results"),
    ("pre-formatted timeout error", "check_drug_safety", TIMEOUT, "error_retryable"),
]


@pytest.mark.parametrize(("case", "tool", "result", "quality"), QUALITIES, ids=[row[0] for row in QUALITIES])
async def test_result_classify(case: str, tool: str, result: ToolResult, quality: str) -> None:
    state = after(tool, result, None)
    by_rule = await result_classify(state, runtime())
    assert by_rule["runs"][-1].quality == quality
    model = ScriptedModel({"quality": quality, "brief_summary": "as read"})
    by_model = await result_classify(state, runtime(model))
    assert by_model["runs"][-1].quality == quality


async def test_result_classify_shows_an_error_only_in_its_prepared_words() -> None:
    model = ScriptedModel({"quality": "error_retryable", "brief_summary": "it timed out"})
    await result_classify(after("check_drug_safety", TIMEOUT, None), runtime(model))
    shown = model.prompts[0].messages[0].text
    assert "The Drug Safety Report was temporarily unavailable." in shown
    assert "timeout" not in shown


@pytest.mark.parametrize("said", ["success_rich", "no_results", "error_fatal"])
async def test_a_model_cannot_talk_an_error_away(said: str) -> None:
    model = ScriptedModel({"quality": said, "brief_summary": "all is well"})
    graded = await result_classify(after("check_drug_safety", TIMEOUT, None), runtime(model))
    assert graded["runs"][-1].quality == "error_retryable"


async def test_router_three_patient_matches_asks_the_user() -> None:
    state = after("search_patient", r.WILSONS, "success_rich", args={"name": "James Wilson"})
    chosen = after_result(state)
    assert (chosen.node, chosen.reason.split(":")[0]) == ("error_handler", "ask_user")
    asked = await error_handler(state, runtime())
    assert asked["action"] == "ask_user"
    assert asked["clarification"] is not None
    assert asked["clarification"].reason == "multiple_patient_matches"
    assert len(asked["clarification"].options) == 3
    assert after_error(state | asked).node == "synthesize"


async def test_router_step_count_4_goes_to_synthesize() -> None:
    state = await assembled("Find patient John Smith, check his chart, and verify metformin safety")
    run = ToolRun("check_drug_safety", {"drug_name": "warfarin"}, r.DOFETILIDE, "success_rich")
    unmet = state | {"runs": (run,), "steps": 3}
    assert after_result(unmet).node == "tool_select"
    assert after_result(unmet | {"steps": 4}).node == "synthesize"


async def test_error_handler_timeout_first_time_retries_the_same() -> None:
    state = after("check_drug_safety", TIMEOUT, "error_retryable", args={"drug_name": "amiodarone"})
    by_rule = await error_handler(state, runtime())
    assert (by_rule["action"], by_rule["retries"], by_rule["total_retries"]) == ("retry_same", 1, 1)
    by_model = await error_handler(state, runtime(ScriptedModel({"strategy": "retry_same"})))
    assert by_model["action"] == "retry_same"
    assert after_error(state | by_model).node == "tool_select"


async def test_error_handler_drug_not_in_database_is_skipped() -> None:
    missing = DrugSafetyReport(status="not_found", error_type="drug_not_in_database")
    state = after("check_drug_safety", missing, "error_fatal", args={"drug_name": "zzyzxium"})
    skipped = await error_handler(state, runtime(ScriptedModel()))
    assert skipped["action"] == "skip"
    assert skipped["errors"] == ["zzyzxium was not found in the drug database."]


LIMITS = [
    ("second retry is still made", "timeout", 1, 1, False),
    ("the third try is the last", "timeout", 2, 2, True),
    ("four retries a turn in all", "timeout", 0, 4, True),
    ("unavailable is retried once", "service_unavailable", 0, 0, False),
    ("unavailable twice is enough", "service_unavailable", 1, 1, True),
    ("a source that is not set up will not appear", "not_configured", 0, 0, True),
]


@pytest.mark.parametrize(("case", "error", "retries", "total", "expected"), LIMITS, ids=[row[0] for row in LIMITS])
def test_error_handler_limits(case: str, error: Any, retries: int, total: int, expected: bool) -> None:
    result = DrugSafetyReport(status="unavailable", error_type=error)
    state = after("check_drug_safety", result, "error_retryable", retries=retries, total_retries=total)
    assert gives_up(state, state["runs"][-1]) is expected


async def test_a_write_is_never_retried(tmp_path: Path) -> None:
    failed = REGISTRY["prescribe_medication"].result(status="unavailable", error_type="timeout")
    state = after("prescribe_medication", failed, "error_retryable")
    assert (await error_handler(state, runtime(ScriptedModel())))["action"] == "skip"
