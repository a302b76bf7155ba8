"""Direct or complex: by rule, by a scripted model, and by code where nobody is asked."""

from __future__ import annotations

import pytest

from docgemma.agent.graphs.decompose import after_complexity
from docgemma.agent.nodes.complexity_router import complexity_router
from docgemma.agent.state import AttachedImage
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import assembled, runtime


@pytest.mark.parametrize(
    ("message", "complexity"),
    [
        ("Thank you", "direct"),
        ("Define hypertension", "direct"),
        ("Pull patient 402's records", "complex"),
        ("Find clinical trials for TNBC", "complex"),
        ("Check drug interactions for warfarin and aspirin", "complex"),
    ],
)
async def test_complexity_router(message: str, complexity: str) -> None:
    state = await assembled(message)
    by_rule = await complexity_router(state, runtime())
    assert by_rule["complexity"] == complexity
    model = ScriptedModel({"complexity": complexity, "reasoning": "as in the specification"})
    by_model = await complexity_router(state, runtime(model))
    assert (by_model["complexity"], by_model["timeline"][0].by) == (complexity, "model")
    assert message in model.prompts[0].messages[-1].text
    assert after_complexity(state | by_model).node == ("synthesize" if complexity == "direct" else "thinking_mode")


@pytest.mark.parametrize(
    ("message", "more", "node"),
    [
        ("What does it show?", {"image": AttachedImage("img-1")}, "thinking_mode"),
        ("Cancel the order for metformin", {}, "synthesize"),
        ("Hello", {}, "synthesize"),
    ],
)
async def test_what_code_knows_is_asked_of_nobody(message: str, more: dict[str, object], node: str) -> None:
    state = await assembled(message, **more)
    update = await complexity_router(state, runtime(ScriptedModel(), shortcuts=True))
    assert update["timeline"][0].by == "code"
    assert after_complexity(state | update).node == node
