"""Thinking again over what was found, and not where nothing was."""

from __future__ import annotations

from docgemma.agent.nodes.reasoning import reasoning
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import TIMEOUT, after, runtime
from tests.support import results as r

FIRST = "Is dofetilide safe here? Look at its label."


async def test_reasoning_goes_on_over_the_results() -> None:
    state = after("check_drug_safety", r.DOFETILIDE, "success_rich", reasoning=FIRST)
    model = ScriptedModel("It needs an ECG for three days.")
    thought = await reasoning(state, runtime(model))
    assert thought["reasoning"] == "It needs an ECG for three days."
    asked = model.prompts[0].messages[-1].text
    assert FIRST in asked
    assert "continuous ECG monitoring" in asked


async def test_reasoning_keeps_the_first_thoughts_where_no_others_come() -> None:
    state = after("check_drug_safety", r.DOFETILIDE, "success_rich", reasoning=FIRST)
    assert (await reasoning(state, runtime()))["reasoning"] == FIRST


async def test_reasoning_over_nothing_is_left_out_and_what_was_thought_before_is_dropped() -> None:
    """A model whose look-up failed would otherwise answer from what it thought."""
    state = after("check_drug_safety", TIMEOUT, "error_retryable", reasoning=FIRST)
    assert (await reasoning(state, runtime(ScriptedModel(), shortcuts=True)))["reasoning"] == ""
