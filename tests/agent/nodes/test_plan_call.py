"""One part, one call: which tool an old name stands for, and whose words its arguments are."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.agent.aliases import MEANT, OLD_NAMES, OLD_TOOL_LIST, old_name
from docgemma.agent.nodes.plan_call import plan_call
from docgemma.agent.schemas import PlannedCall
from docgemma.agent.state import Part, State, ToolRun
from docgemma.clinical import Patient
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import TOOL_NAMES
from tests.agent.nodes.states import assembled, runtime
from tests.support import results as r


async def at(message: str, *parts: Part, **more: Any) -> State:
    return await assembled(message, **more) | {"parts": parts, "part": 0, "iterations": 0}


def said(tool: str, **arguments: str) -> ScriptedModel:
    told = [{"name": name, "value": value} for name, value in arguments.items()]
    return ScriptedModel({"tool_name": tool, "arguments": told, "reasoning": ""})


def planned(update: State) -> tuple[str, dict[str, Any]] | None:
    if not update["planned"]:
        return None
    return update["tool"], {name: sourced.value for name, sourced in update["args"].items()}


def test_every_tool_is_reached_under_one_old_name() -> None:
    assert sorted(tool for tools in MEANT.values() for tool in tools) == sorted(TOOL_NAMES)
    assert {old_name(tool) for tool in TOOL_NAMES} == set(OLD_NAMES)
    assert all(f"- {name}(" in OLD_TOOL_LIST for name in OLD_NAMES)


DRUG = "Check FDA warnings for dofetilide and amiodarone"
BOTH = "Compare the charts of abc-123 and mgr-204"
CALLS = [
    (DRUG, Part("second drug"), said("check_drug_safety", drug_name="amiodarone"),
     ("check_drug_safety", {"drug_name": "amiodarone"})),
    (DRUG, Part("look up", query="amiodarone"), said("check_drug_safety"),
     ("check_drug_safety", {"drug_name": "amiodarone"})),
    (DRUG, Part("other"), said("check_drug_safety", drug_name="sotalol"),
     ("check_drug_safety", {"drug_name": "dofetilide"})),
    ("Any evidence on this?", Part("search"), said("search_medical_literature", query="colchicine in gout"),
     ("search_medical_literature", {"query": "colchicine in gout"})),
    (BOTH, Part("second", query="mgr-204"), said("get_patient_record"),
     ("get_patient_chart", {"patient_id": "mgr-204"})),
    ("Show John Smith's chart", Part("record"), said("get_patient_record", patient="Jane Doe"),
     ("search_patient", {"name": "John Smith"})),
    ("Show the chart", Part("record"), said("get_patient_record", patient="abc-123"), ("get_patient_chart", {})),
    ("Document a penicillin allergy (hives) for abc-123", Part("allergy"), said("update_patient_record"),
     ("add_allergy", {"patient_id": "abc-123", "substance": "penicillin", "reaction": "hives"})),
    ("Is metformin safe?", Part("order"), said("update_patient_record", medication_name="metformin"), None),
]  # fmt: skip


@pytest.mark.parametrize(("message", "part", "model", "call"), CALLS, ids=[f"{row[0]}-{row[1].words}" for row in CALLS])
async def test_what_a_plan_comes_to(message: str, part: Part, model: ScriptedModel, call: Any) -> None:
    assert planned(await plan_call(await at(message, part), runtime(model))) == call


async def test_a_name_that_was_searched_for_is_read_by_its_own_id_alone() -> None:
    runs = (
        ToolRun("search_patient", {"name": "Maria Garcia"}, r.MARIA, "success_rich"),
        ToolRun("search_patient", {"name": "John Smith"}, r.patients(), "no_results"),
    )
    state = await at("Show the charts of Maria Garcia and John Smith", Part("chart", query="John Smith"))
    state |= {"runs": runs}
    assert planned(await plan_call(state, runtime(said("get_patient_record")))) is None, "nobody of that name"
    state |= {"parts": (Part("chart", query="Maria Garcia"),)}
    update = await plan_call(state, runtime(said("get_patient_record")))
    assert planned(update) == ("get_patient_chart", {"patient_id": "mgr-204"})


async def test_the_patient_on_screen_is_not_searched_for() -> None:
    here = Patient(id="abc-123", banner="John Smith, born 1958-09-30")
    state = await at("Show John Smith's chart", Part("record"), pinned=here)
    update = await plan_call(state, runtime(said("get_patient_record", patient="John Smith")))
    assert planned(update) == ("get_patient_chart", {"patient_id": "abc-123"})


def test_drugs_are_read_however_they_are_listed() -> None:
    call = PlannedCall.model_validate(
        {
            "tool_name": "check_drug_interactions",
            "arguments": [
                {"name": "drug_names", "value": "warfarin, aspirin"},
                {"name": "drug_names", "value": "ibuprofen"},
                {"name": "query", "value": "bleeding"},
            ],
            "reasoning": "",
        }
    )
    assert call.values() == {"query": "bleeding", "drug_names": ["warfarin", "aspirin", "ibuprofen"]}
