"""Taking a request apart: one part for each need by rule, the model's parts as they are, entries last."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.agent.graphs.decompose import after_decomposition
from docgemma.agent.nodes.complexity_router import complexity_router
from docgemma.agent.nodes.decompose_request import decompose_request
from docgemma.agent.state import AttachedImage, State
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import assembled, runtime


async def begun(message: str, **more: Any) -> State:
    state = await assembled(message, **more)
    return state | await complexity_router(state, runtime())


@pytest.mark.parametrize(
    ("message", "more", "parts"),
    [
        (
            "Check FDA warnings for dofetilide and amiodarone",
            {},
            [("check_drug_safety", "dofetilide"), ("check_drug_safety", "amiodarone")],
        ),
        ("Find patient John Smith and check his chart", {}, [("get_patient_record", "")]),
        (
            "Prescribe metformin 500 mg twice daily for abc-123. Any warnings for metformin?",
            {},
            [("check_drug_safety", "metformin"), ("update_patient_record", "")],
        ),
        ("What do you see on this x-ray?", {"image": AttachedImage("img-1")}, [("analyze_medical_image", "")]),
        ("What is hypertension?", {}, []),
    ],
)
async def test_by_rule(message: str, more: dict[str, Any], parts: list[tuple[str, str]]) -> None:
    state = await begun(message, **more)
    update = await decompose_request(state, runtime())
    assert [(part.hint, part.query) for part in update["parts"]] == parts
    assert after_decomposition(state | update).node == ("plan_call" if parts else "synthesize")


async def test_the_models_parts_are_used_as_they_are_with_entries_last() -> None:
    told = [
        {"intent": "order", "requires_tool": "update_patient_record", "context": "metformin"},
        {"intent": "read up", "requires_tool": None, "context": ""},
    ]
    state = await begun("What is hypertension?") | {"thought": "Think first."}
    model = ScriptedModel({"requires_clarification": False, "subtasks": told})
    update = await decompose_request(state, runtime(model))
    assert [(part.words, part.hint, part.need) for part in update["parts"]] == [
        ("read up", None, None),
        ("order", "update_patient_record", None),
    ]
    assert "Think first." in model.prompts[0].messages[-1].text


async def test_an_amount_that_only_the_models_question_names_is_marked() -> None:
    asked = {"requires_clarification": True, "subtasks": [], "clarification_question": "Start warfarin 50 mg hourly?"}
    update = await decompose_request(await begun("how is she?"), runtime(ScriptedModel(asked)))
    assert update["clarification"] is not None
    assert update["clarification"].question.endswith("hourly? [not from the sources]")
