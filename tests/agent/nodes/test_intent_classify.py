"""Sorting a message. Rows of the specification run with the rule and with a scripted model."""

from __future__ import annotations

import pytest

from docgemma.agent.nodes.intent_classify import intent_classify
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import assembled, runtime

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
