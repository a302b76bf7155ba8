"""Thoughts are bounded, told by number only, and nobody's without a model."""

from __future__ import annotations

from docgemma.agent.nodes.thinking_mode import thinking_mode
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import assembled, runtime


async def test_thinking_mode() -> None:
    state = await assembled("Is metformin safe for abc-123?")
    assert (await thinking_mode(state, runtime()))["thought"] == ""
    update = await thinking_mode(state, runtime(ScriptedModel({"reasoning": " Renal function first. "})))
    assert update["thought"] == "Renal function first."
    assert [entry.detail for entry in update["timeline"]] == ["3 words"]
    assert "reasoning" not in update, "that key is shown to the node that writes the answer"
