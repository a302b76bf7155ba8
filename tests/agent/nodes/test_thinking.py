"""Thinking first: kept as context, told by its length alone."""

from __future__ import annotations

from docgemma.agent.asking import LONGEST_THOUGHT, THOUGHT_TOKENS
from docgemma.agent.nodes.thinking import thinking
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import assembled, runtime

QUESTION = "Best antihypertensive in stage 3 kidney disease?"


async def test_thinking() -> None:
    model = ScriptedModel("Start an ACE inhibitor; watch potassium.")
    thought = await thinking(await assembled(QUESTION), runtime(model))
    assert thought["reasoning"] == "Start an ACE inhibitor; watch potassium."
    assert [entry.detail for entry in thought["timeline"]] == ["6 words"]
    assert model.calls[0].max_tokens == THOUGHT_TOKENS == 1024
    assert QUESTION in model.prompts[0].messages[-1].text


async def test_thinking_that_does_not_end_is_cut() -> None:
    thought = await thinking(await assembled(QUESTION), runtime(ScriptedModel("potassium " * 2_000)))
    assert 0 < len(thought["reasoning"]) <= LONGEST_THOUGHT


async def test_without_a_model_nobody_thinks() -> None:
    thought = await thinking(await assembled(QUESTION), runtime())
    assert (thought["reasoning"], thought["timeline"][0].detail) == ("", "nothing was written")


async def test_nobody_hears_a_thought() -> None:
    heard: list[object] = []
    live = runtime(ScriptedModel("Give her warfarin."))
    object.__setattr__(live.context, "emit", heard.append)
    await thinking(await assembled(QUESTION), live)
    assert heard == []
