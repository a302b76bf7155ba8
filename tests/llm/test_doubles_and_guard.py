"""The model without a model, the scripted one, and the guard that joins a real one with its rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from docgemma.agent.schemas import IntentClassification, ToolSelection, tool_selection
from docgemma.errors import ModelCannotSee, ModelOutputInvalid, ModelUnreachable
from docgemma.llm.contract import STOPPED_EARLY, LanguageModel, Prompt, Usage
from docgemma.llm.rules import DID_NOT_FIT, INSTEAD, WROTE_NOTHING, GuardedModel, RulesModel
from docgemma.llm.scripted import ScriptedModel

SELECT = Prompt("tool_select", {"message": "is warfarin safe?"})
ANSWER = Prompt("synthesize", {"found": "a boxed warning"})


def _select(variables: Mapping[str, Any]) -> ToolSelection:
    return ToolSelection(tool_name="check_drug_safety" if "safe" in variables["message"] else "search_patient")


RULES = RulesModel({"tool_select": _select, "synthesize": lambda variables: f"Found: {variables['found']}."})


async def _text(pieces: AsyncIterator[str]) -> str:
    return "".join([piece async for piece in pieces])


def _written(model: LanguageModel) -> AsyncIterator[str]:
    return model.write(ANSWER, temperature=0.5, max_tokens=64)


async def test_rules_decide_from_the_variables() -> None:
    chosen = await RULES.decide(SELECT, tool_selection(("check_drug_safety", "none")), max_tokens=64)
    assert chosen.tool_name == "check_drug_safety"
    assert await _text(_written(RULES)) == "Found: a boxed warning."


async def test_a_rule_may_not_leave_the_choices_either() -> None:
    with pytest.raises(ValidationError):
        await RULES.decide(SELECT, tool_selection(("search_patient",)), max_tokens=64)


async def test_a_prompt_without_a_rule_is_a_bug() -> None:
    with pytest.raises(KeyError):
        await RULES.decide(Prompt("unheard_of"), ToolSelection, max_tokens=64)


async def test_script_answers_in_order_and_remembers(turn: Usage) -> None:
    model = ScriptedModel(
        ToolSelection(tool_name="search_patient"),
        {"tool_name": "none"},
        '```json\n{"tool_name":"add_allergy"}\n```',
        ["<unused94>plan<unu", "sed95>Take", " it."],
    )
    names = [(await model.decide(SELECT, ToolSelection, max_tokens=9)).tool_name for _ in range(3)]
    assert names == ["search_patient", "none", "add_allergy"]
    assert await _text(_written(model)) == "Take it."
    assert [call.name for call in model.calls] == ["tool_select"] * 3 + ["synthesize"]
    assert (model.calls[3].temperature, model.calls[3].max_tokens, model.calls[0].schema) == (0.5, 64, ToolSelection)
    assert model.prompts[0] is SELECT
    assert turn.calls == 4
    model.assert_done()


async def test_script_that_runs_out_or_over_says_so() -> None:
    with pytest.raises(AssertionError, match="no answer left for 'tool_select'"):
        await ScriptedModel().decide(SELECT, ToolSelection, max_tokens=9)
    with pytest.raises(AssertionError, match="left over"):
        ScriptedModel("one").assert_done()


async def test_script_by_prompt_keeps_its_orders_apart() -> None:
    model = ScriptedModel.by_prompt({"synthesize": ["first", "second"], "tool_select": [{"tool_name": "none"}]})
    assert await _text(_written(model)) == "first"
    assert (await model.decide(SELECT, ToolSelection, max_tokens=9)).tool_name == "none"
    assert await _text(_written(model)) == "second"
    model.assert_done()
    with pytest.raises(AssertionError, match="no answer left"):
        await model.decide(Prompt("intent_classify"), IntentClassification, max_tokens=9)


async def test_guard_uses_the_model_while_it_works(turn: Usage) -> None:
    guarded = GuardedModel(ScriptedModel({"tool_name": "none"}, "Written."), RULES)
    assert (await guarded.decide(SELECT, ToolSelection, max_tokens=9)).tool_name == "none"
    assert await _text(_written(guarded)) == "Written."
    assert guarded.name == "scripted"
    assert turn.notices == []


async def test_guard_decides_by_rule_when_the_answer_does_not_fit(turn: Usage) -> None:
    model = ScriptedModel("nonsense", {"tool_name": "none"})
    guarded = GuardedModel(model, RULES)
    assert (await guarded.decide(SELECT, ToolSelection, max_tokens=9)).tool_name == "check_drug_safety"
    assert turn.notices == [DID_NOT_FIT]
    assert (await guarded.decide(SELECT, ToolSelection, max_tokens=9)).tool_name == "none"


async def test_guard_goes_on_asking_a_model_that_only_cannot_see(turn: Usage) -> None:
    guarded = GuardedModel(ScriptedModel(ModelCannotSee("no eyes"), {"tool_name": "none"}), RULES)
    assert (await guarded.decide(SELECT, ToolSelection, max_tokens=9)).tool_name == "check_drug_safety"
    assert (await guarded.decide(SELECT, ToolSelection, max_tokens=9)).tool_name == "none"
    assert turn.notices == [], "who shows an image says what became of it"


async def test_guard_asks_an_unreachable_model_once_a_turn(turn: Usage) -> None:
    model = ScriptedModel(ModelUnreachable("down"))
    guarded = GuardedModel(model, RULES)
    for _ in range(3):
        assert (await guarded.decide(SELECT, ToolSelection, max_tokens=9)).tool_name == "check_drug_safety"
    assert await _text(_written(guarded)) == "Found: a boxed warning."
    assert len(model.calls) == 1
    assert turn.notices == [f"down {INSTEAD}"]


@pytest.mark.parametrize("nothing", ["", " \n", ["", " "], "<unused94>thought only", ModelOutputInvalid("cut")])
async def test_guard_never_lets_an_answer_be_blank(turn: Usage, nothing: Any) -> None:
    assert await _text(_written(GuardedModel(ScriptedModel(nothing), RULES))) == "Found: a boxed warning."
    assert turn.notices == [WROTE_NOTHING]


class BreaksOff(ScriptedModel):
    """Writes half a sentence, then fails."""

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        yield "  Half a"
        raise ModelUnreachable("gone")


async def test_guard_keeps_what_was_shown_when_the_model_breaks_off(turn: Usage) -> None:
    guarded = GuardedModel(BreaksOff(), RULES)
    assert await _text(_written(guarded)) == "  Half a"
    assert turn.notices == [STOPPED_EARLY]
    assert turn.unreachable
