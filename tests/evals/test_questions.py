"""Each way of asking differs from its base in the one thing it is named for, and `standard` is the product itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from docgemma.agent.nodes.error_handler import error_handler
from docgemma.agent.nodes.intent_classify import intent_classify
from docgemma.agent.nodes.result_classify import result_classify
from docgemma.agent.nodes.tool_select import EXAMPLE_OF, tool_select
from docgemma.agent.schemas import ResultAssessment
from docgemma.evals.nodes import Case, Nodes, state_of
from docgemma.evals.question_schemas import TaskPlan, joint, nullable_arguments
from docgemma.evals.questions import Asker, tool_words, ways
from docgemma.llm.contract import Message, Prompt, T, deciding_temperature
from docgemma.llm.schema import json_schema
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, TOOLS
from tests.agent.nodes.states import runtime
from tests.evals.questions import FOUND, TIMEOUT, case, one_of_each, selection
from tests.support.model_server import instance

NOTHING = dict.fromkeys(joint().model_fields)
SAFETY = NOTHING | {"tool_name": "check_drug_safety", "drug_name": "dofetilide"}


async def asked(way: str, of: Case, *answers: Any) -> ScriptedModel:
    model = ScriptedModel(*answers)
    await ways()[way].ask(Asker(model), of, state_of(of))
    model.assert_done()
    return model


async def shown(way: str, of: Case, *answers: Any) -> str:
    """All that the model reads, of the last question."""
    model = await asked(way, of, *(answers or ({"tool_name": "check_drug_safety"},)))
    return "\n".join(message.text for message in model.prompts[-1].messages)


class Noting:
    """Answers anything that fits, and keeps what it was asked."""

    name = "noting"

    def __init__(self) -> None:
        self.asked: dict[str, tuple[tuple[Message, ...], int]] = {}

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        self.asked[prompt.name] = (prompt.messages, max_tokens)
        return schema.model_validate(instance(json_schema(schema)))

    def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        raise AssertionError("no node of these writes")


@pytest.mark.parametrize("of", one_of_each(), ids=lambda of: of.kind)
async def test_standard_asks_word_for_word_what_the_node_asks(of: Case) -> None:
    alone, in_graph = Noting(), Noting()
    await ways()["standard"].ask(Asker(alone), of, state_of(of))
    nodes = {"intent": intent_classify, "result": result_classify, "retry": error_handler}
    await nodes.get(of.kind, tool_select)(state_of(of), runtime(in_graph))
    ((name, question),) = alone.asked.items()
    assert in_graph.asked[name] == question


async def test_all_ten_are_open_and_none_only_after_a_result() -> None:
    first = await asked("standard", selection(), {"tool_name": "add_allergy"})
    later = await asked("standard", case("step", expect="none", results=[FOUND]), {"tool_name": "none"})
    assert [_choices(model) for model in (first, later)] == [list(TOOL_NAMES), [*TOOL_NAMES, "none"]]


async def test_descriptions_are_full_short_or_left_out() -> None:
    full, short, bare = [await shown(f"selection_{name}", selection()) for name in ("full", "short", "none")]
    for tool in TOOLS:
        assert tool.line() in full
        assert f"- {tool.name}: {tool_words()[tool.name]['short']}" in short
        assert tool.description not in short + bare
        assert f"- {tool.name}\n" in bare


async def test_examples_are_as_many_as_named_and_the_likeliest_comes_first() -> None:
    for number in (0, 1, 3, 5):
        text = await shown(f"selection_shots_{number}", selection())
        assert text.count("Example:") == number
        assert (EXAMPLE_OF["check_drug_safety"] in text) == (number > 0)
    misled = await shown("selection_shot_misleading", selection())
    assert misled.count("Example:") == 1
    assert EXAMPLE_OF["check_drug_safety"] not in misled


async def test_the_opening_words_are_all_that_differs() -> None:
    plain, opened = await shown("selection_full", selection()), await shown("selection_prefix", selection())
    assert opened == f"{plain}\n\nAnalyzing the task requirements, the tool is:"
    assert await shown("selection_shots_0", selection()) == plain


async def test_examples_are_all_that_the_intent_gains() -> None:
    of, answer = case("intent", expect="DIRECT"), {"intent": "DIRECT", "task_summary": "x"}
    plain, worked = await shown("intent_standard", of, answer), await shown("intent_shots", of, answer)
    before, *examples = worked.split("Example:\n")
    assert len(examples) == 6
    assert before + examples[-1].split("\n\n", 1)[1] == plain
    assert [text.split("Intent: ")[1].split("\n")[0] for text in examples] == ["DIRECT", "TOOL_NEEDED"] * 3


async def test_reasoning_is_written_first_and_then_read() -> None:
    model = await asked("selection_reasoned", selection(), "Safety comes to mind.", {"tool_name": "add_allergy"})
    assert [call.schema is None for call in model.calls] == [True, False]
    assert "Reasoning so far:\nSafety comes to mind." in model.prompts[1].messages[-1].text


async def test_probing_asks_ten_times_and_takes_the_first_yes() -> None:
    answers = [{"suitable": "yes" if name in ("search_patient", "add_allergy") else "no"} for name in TOOL_NAMES]
    model = ScriptedModel(*answers)
    reply = await ways()["selection_probed"].ask(Asker(model), selection(), state_of(selection()))
    assert (reply.choice, reply.approved) == ("search_patient", ("search_patient", "add_allergy"))
    assert [tool.line()[2:] in prompt.messages[-1].text for tool, prompt in zip(TOOLS, model.prompts, strict=True)] == (
        [True] * 10
    )


async def test_joint_gives_the_tool_with_its_own_arguments_only() -> None:
    of = selection()
    model = ScriptedModel(SAFETY | {"name": "somebody"})
    reply = await ways()["selection_joint"].ask(Asker(model), of, state_of(of))
    assert (reply.choice, reply.arguments) == ("check_drug_safety", {"drug_name": "dofetilide"})
    assert "fill in its arguments" in model.prompts[0].messages[0].text


def test_reversed_schemas_are_reversed_and_otherwise_the_same() -> None:
    for first, last in [
        (joint(), joint(reverse=True)),
        *((nullable_arguments(tool), nullable_arguments(tool, reverse=True)) for tool in TOOLS),
    ]:
        ahead, behind = json_schema(first), json_schema(last)
        assert list(ahead["properties"]) == list(reversed(behind["properties"]))
        assert ahead["properties"] == behind["properties"]
        assert set(ahead["required"]) == set(ahead["properties"]), "null is written down, not left out"
    assert next(iter(json_schema(joint())["properties"])) == "tool_name"
    assert list(nullable_arguments(REGISTRY["add_allergy"]).model_fields) == list(
        REGISTRY["add_allergy"].args.model_fields
    )
    assert nullable_arguments(REGISTRY["search_patient"]).model_validate({"name": None})


async def test_hints_stand_in_the_product_alone() -> None:
    of = case(
        "arguments", say="Warnings for dofetilide?", tool="check_drug_safety", arguments={"drug_name": "dofetilide"}
    )
    answer = {"drug_name": "dofetilide"}
    hinted, plain, worked = [await shown(f"arguments_{name}", of, answer) for name in ("hints", "no_hints", "shot")]
    assert "Detected drug name: dofetilide" in hinted
    assert "Detected" not in plain + worked
    assert hinted.replace("Detected drug name: dofetilide\n", "") == plain
    assert 'Arguments: {"drug_name": "flecainide"}' in worked


def test_the_worked_arguments_fit_their_tools() -> None:
    for name in TOOL_NAMES:
        REGISTRY[name].args.model_validate(tool_words()[name]["worked"])


async def test_a_raw_result_is_the_librarys_word_or_the_data() -> None:
    error = case("result", expect="error_retryable", results=[TIMEOUT], raw="ReadTimeout: timed out")
    answer = ResultAssessment(quality="error_retryable", brief_summary="x")
    assert "ReadTimeout: timed out" in await shown("result_raw", error, answer)
    assert "temporarily unavailable" in await shown("result_formatted", error, answer)
    found = case("result", expect="success_rich", results=[FOUND])
    raw = await shown("result_raw", found, answer)
    assert '"boxed_warnings":["Start under ECG monitoring."]' in raw
    assert "Tool used: check_drug_safety" in raw


async def test_a_plan_is_what_its_slots_hold() -> None:
    of = case("plan", plan=["search_patient"])
    slots = {"step_1": "search_patient", "step_2": "get_patient_chart", "step_3": None, "step_4": None, "step_5": None}
    reply = await ways()["plan_full"].ask(Asker(ScriptedModel(slots)), of, state_of(of))
    assert reply.steps == ("search_patient", "get_patient_chart")
    assert list(TaskPlan.model_fields) == list(slots)


async def test_control_questions_show_what_they_ask_about() -> None:
    enough = case("sufficiency", expect="sufficient", results=[FOUND])
    assert "Start under ECG monitoring." in await shown("sufficiency", enough, {"verdict": "sufficient"})
    failed = case("deferral", expect="skip_and_continue", results=[TIMEOUT], tries=3)
    text = await shown("deferral", failed, {"action": "ask_user"})
    assert "Tried so far: 3" in text
    assert "temporarily unavailable" in text


async def test_only_the_warm_way_is_warm() -> None:
    felt: list[float] = []

    class Feeling(ScriptedModel):
        async def decide(self, prompt: Any, schema: Any, *, max_tokens: int) -> Any:
            felt.append(deciding_temperature.get())
            return await super().decide(prompt, schema, max_tokens=max_tokens)

    for name in ("selection_full", "selection_warm"):
        way = ways()[name]
        asker = Asker(Feeling({"tool_name": "add_allergy"}), temperature=way.temperature)
        await way.ask(asker, selection(), state_of(selection()))
    assert felt == [0.0, 0.3]
    assert [way.name for way in ways().values() if way.temperature] == ["selection_warm"]
    assert deciding_temperature.get() == 0.0


def test_every_way_has_cases_and_every_case_a_way() -> None:
    cases = Nodes().load()
    taken = {way.name: [of for of in cases if way.takes(of)] for way in ways().values()}
    assert all(taken.values())
    assert {of.id for group in taken.values() for of in group} == {of.id for of in cases}
    assert len(taken["selection_probed"]) == 10
    assert {of.kind for of in taken["standard"]} == {"intent", "selection", "step", "arguments", "result", "retry"}
    assert all(len(REGISTRY[of.tool or ""].args.model_fields) > 1 for of in taken["arguments_reversed"])


def _choices(model: ScriptedModel) -> list[str]:
    schema = model.calls[0].schema
    assert schema is not None
    chosen: list[str] = json_schema(schema)["properties"]["tool_name"]["enum"]
    return chosen
