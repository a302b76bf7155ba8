"""Reading the details again: what has a source fills the gap, and nothing else does."""

from __future__ import annotations

from docgemma.agent.graphs.triage import fast_path
from docgemma.agent.nodes.fix_args import fix_args
from docgemma.agent.state import State
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import assembled, runtime


async def lacking(message: str, tool: str, query: str = "") -> State:
    state = await assembled(message, suggested_tool=tool, query=query)
    return state | await fast_path(state, runtime())


async def test_fix_args_fills_what_a_look_up_lacks() -> None:
    state = await lacking("interactions of warfarin?", "check_drug_interactions")
    model = ScriptedModel({"drug_names": ["warfarin", "aspirin"]})
    fixed = await fix_args(state, runtime(model))
    assert fixed["args"]["drug_names"].value == ["warfarin", "aspirin"]
    assert (fixed["missing"], fixed["asked"]) == ((), 1)
    assert "Missing: drug names" in model.prompts[0].messages[-1].text


async def test_fix_args_writes_nothing_that_the_user_did_not_say() -> None:
    state = await lacking("prescribe metformin for abc-123", "prescribe_medication")
    invented = {"patient_id": "xyz-999", "medication_name": "warfarin", "dosage": "80 mg", "frequency": "hourly"}
    fixed = await fix_args(state, runtime(ScriptedModel(invented)))
    assert {name: sourced.value for name, sourced in fixed["args"].items()} == {
        "patient_id": "abc-123",
        "medication_name": "metformin",
    }
    assert fixed["missing"] == ("dosage", "frequency")


async def test_fix_args_by_rule_leaves_the_gap_for_the_user() -> None:
    state = await lacking("interactions of warfarin?", "check_drug_interactions")
    fixed = await fix_args(state, runtime())
    assert fixed["missing"] == ("drug_names",)
