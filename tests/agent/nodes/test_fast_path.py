"""The short way: the triage's tool and query become a call, or show what it lacks."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.agent.graphs.triage import after_fast_path, fast_path
from tests.agent.nodes.states import assembled, runtime

CALLS = [
    ("Check FDA warnings for dofetilide", "check_drug_safety", "dofetilide", {"drug_name": "dofetilide"}),
    ("is it ok with her tikosyn?", "check_drug_safety", "amiodarone", {"drug_name": "amiodarone"}),
    ("warfarin and aspirin?", "check_drug_interactions", "", {"drug_names": ["warfarin", "aspirin"]}),
    ("what helps in gout", "search_medical_literature", "gout treatment", {"query": "gout treatment"}),
    ("anything new for gout", "find_clinical_trials", "gout", {"condition": "gout"}),
    ("what is abc-123 on?", "get_patient_chart", "abc-123", {"patient_id": "abc-123"}),
    (
        "prescribe metformin 500 mg twice daily for abc-123",
        "prescribe_medication",
        "oxycodone 80 mg hourly for xyz-999",
        {"patient_id": "abc-123", "medication_name": "metformin", "dosage": "500 mg", "frequency": "twice daily"},
    ),
]


@pytest.mark.parametrize(("message", "tool", "query", "args"), CALLS)
async def test_fast_path(message: str, tool: str, query: str, args: dict[str, Any]) -> None:
    state = await assembled(message, suggested_tool=tool, query=query)
    call = await fast_path(state, runtime())
    assert call["tool"] == tool
    assert {name: sourced.value for name, sourced in call["args"].items()} == args
    assert after_fast_path(state | call).node == "tool_execute"


LACKING = [
    ("check this drug", "check_drug_safety", "", "fix_args"),
    ("interactions of warfarin?", "check_drug_interactions", "warfarin", "fix_args"),
    ("prescribe metformin for abc-123", "prescribe_medication", "", "fix_args"),
    ("show the chart", "get_patient_chart", "xyz-999", "tool_execute"),
    ("find the patient", "search_patient", "John Doe", "fix_args"),
]


@pytest.mark.parametrize(("message", "tool", "query", "node"), LACKING)
async def test_a_call_that_lacks_something_is_read_again_unless_only_a_person_can_give_it(
    message: str, tool: str, query: str, node: str
) -> None:
    state = await assembled(message, suggested_tool=tool, query=query)
    call = await fast_path(state, runtime())
    assert call["missing"]
    assert after_fast_path(state | call).node == node


async def test_a_look_up_without_a_tool_gets_the_one_that_is_asked_for() -> None:
    asked = await fast_path(await assembled("Check FDA warnings for dofetilide", query=""), runtime())
    likely = await fast_path(await assembled("metformin?", query=""), runtime())
    assert (asked["tool"], likely["tool"]) == ("check_drug_safety", "check_drug_safety")
