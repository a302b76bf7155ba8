"""Choosing a tool and its arguments. Rows of the specification run with the rule and with a scripted model."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.agent.nodes.tool_select import tool_select
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import REGISTRY
from tests.agent.nodes.states import assembled, runtime

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


@pytest.mark.parametrize(
    ("message", "tool", "again", "args"),
    [
        (
            "Check FDA warnings for dofetilide",
            "check_drug_safety",
            {"drug_name": "oxycodone"},
            {"drug_name": "dofetilide"},
        ),
        ("Check FDA warnings for dofetilide", "check_drug_safety", {"drug_name": "Tikosyn"}, {"drug_name": "Tikosyn"}),
        ("studies on gout flares", "search_medical_literature", {"query": "gout attack"}, {"query": "gout attack"}),
    ],
)
async def test_a_retry_changes_the_words_and_not_the_drug(
    message: str, tool: str, again: dict[str, Any], args: dict[str, Any]
) -> None:
    state = await assembled(message)
    first = await tool_select(state, runtime())
    retried = await tool_select(state | first | {"action": "retry_different_args"}, runtime(ScriptedModel(again)))
    assert retried["tool"] == tool
    assert {name: sourced.value for name, sourced in retried["args"].items()} == args
