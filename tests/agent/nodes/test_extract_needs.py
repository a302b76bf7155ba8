"""What the thoughts want looked up: at most two calls, entries last, none that the user did not ask for."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from docgemma.agent.graphs.triage import after_needs
from docgemma.agent.nodes.extract_needs import extract_needs
from docgemma.agent.state import Part
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import assembled, runtime

THOUGHT = "The interaction of lisinopril with amlodipine should be checked."
NONE = {"first_tool": "none", "second_tool": "none"}
NEEDS: list[tuple[dict[str, Any], list[tuple[str | None, str]], str]] = [
    (NONE, [], "synthesize"),
    (
        NONE | {"first_tool": "check_drug_safety", "first_query": "lisinopril"},
        [("check_drug_safety", "lisinopril")],
        "plan_tool",
    ),
    (
        {
            "first_tool": "check_drug_safety",
            "second_tool": "check_drug_safety",
            "first_query": "a",
            "second_query": "a",
        },
        [("check_drug_safety", "a")],
        "plan_tool",
    ),
    (NONE | {"second_tool": "search_medical_literature"}, [("search_medical_literature", "")], "plan_tool"),
]


@pytest.mark.parametrize(("answer", "calls", "node"), NEEDS)
async def test_extract_needs(answer: dict[str, Any], calls: list[tuple[str | None, str]], node: str) -> None:
    state = await assembled("Add lisinopril to her amlodipine?", reasoning=THOUGHT)
    model = ScriptedModel(answer)
    found = await extract_needs(state, runtime(model))
    assert [(task.tool, task.query) for task in found["parts"]] == calls
    assert found["intent"] == ("TOOL_NEEDED" if calls else "DIRECT")
    assert after_needs(state | found).node == node
    assert THOUGHT in model.prompts[0].messages[-1].text


async def test_extract_needs_puts_an_entry_last_and_opens_only_the_one_asked_for() -> None:
    state = await assembled("prescribe metformin 500 mg twice daily for abc-123", reasoning=THOUGHT)
    model = ScriptedModel({"first_tool": "prescribe_medication", "second_tool": "check_drug_safety"})
    found = await extract_needs(state, runtime(model))
    assert [task.tool for task in found["parts"]] == ["check_drug_safety", "prescribe_medication"]
    schema = model.calls[0].schema
    assert schema is not None
    assert not {"add_allergy", "save_clinical_note"} & set(get_args(schema.model_fields["first_tool"].annotation))


async def test_extract_needs_by_rule_takes_what_the_words_ask_for() -> None:
    two = await extract_needs(await assembled("Check FDA warnings for dofetilide and amiodarone"), runtime())
    none = await extract_needs(await assembled("What is hypertension?"), runtime())
    assert two["parts"] == (
        Part("", "check_drug_safety", "dofetilide"),
        Part("", "check_drug_safety", "amiodarone"),
    )
    assert none["parts"] == ()
