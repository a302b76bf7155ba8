"""One call for each part: planned by the model out of what is open, or known already."""

from __future__ import annotations

from typing import Any, get_args

from docgemma.agent.graphs.triage import after_plan
from docgemma.agent.nodes.plan_tool import plan_tool
from docgemma.agent.progress import MAX_ASKED, parts_of_needs, start_parts
from docgemma.agent.state import Part, State
from docgemma.agent.understanding.needs import Need
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import REGISTRY
from tests.agent.nodes.states import assembled, runtime

BOTH = "Check FDA warnings for dofetilide and amiodarone"
ORDER = "check warfarin with aspirin and prescribe metformin 500 mg twice daily for abc-123"


async def working_on(message: str, *words: str, **more: Any) -> State:
    state = await assembled(message) | start_parts(tuple(map(Part, words)))
    return state | more  # type: ignore[return-value]


async def test_plan_tool() -> None:
    state = await working_on(BOTH, "warnings for amiodarone", "warnings for dofetilide")
    model = ScriptedModel({"tool_name": "check_drug_safety", "query": "amiodarone"})
    plan = await plan_tool(state, runtime(model))
    assert (plan["tool"], plan["args"]["drug_name"].value, plan["asked"]) == ("check_drug_safety", "amiodarone", 1)
    assert after_plan(state | plan).node == "tool_execute"
    assert "Subtask: warnings for amiodarone" in model.prompts[0].messages[-1].text
    by_rule = await plan_tool(state, runtime())
    assert by_rule["args"]["drug_name"].value == "dofetilide"


async def test_a_part_that_needs_no_tool_leads_to_the_next_and_then_to_the_answer() -> None:
    state = await working_on(BOTH, "warnings for amiodarone", "sum up")
    none = {"tool_name": "none", "query": ""}
    first = state | await plan_tool(state, runtime(ScriptedModel(none)))
    assert (first["part"], after_plan(first | {"route": "multi_step"}).node) == (1, "plan_tool")
    last = first | await plan_tool(first, runtime(ScriptedModel(none)))
    assert after_plan(last | {"route": "multi_step"}).node == "synthesize"


async def test_an_entry_waits_until_the_other_parts_had_their_turn() -> None:
    state = await working_on(ORDER, "prescribe metformin", "warfarin with aspirin")
    model = ScriptedModel({"tool_name": "prescribe_medication", "query": "metformin"})
    put_off = state | await plan_tool(state, runtime(model))
    assert (put_off["planned"], put_off["part"]) == (False, 0)
    assert [task.tool for task in put_off["parts"]] == [None, "prescribe_medication"]
    at_last = await plan_tool(put_off | {"part": 1}, runtime(ScriptedModel()))
    assert (at_last["tool"], at_last["args"]["dosage"].value) == ("prescribe_medication", "500 mg")


async def test_only_an_entry_that_was_asked_for_is_open() -> None:
    model = ScriptedModel({"tool_name": "none", "query": ""})
    await plan_tool(await working_on(ORDER, "document everything"), runtime(model))
    schema = model.calls[0].schema
    assert schema is not None
    open_names = set(get_args(schema.model_fields["tool_name"].annotation))
    assert {name for name in open_names - {"none"} if REGISTRY[name].writes} == {"prescribe_medication"}


async def test_other_words_for_an_empty_search_have_to_be_other_words() -> None:
    state = await working_on("evidence on colchicine in gout", "colchicine in gout")
    query = {"tool_name": "search_medical_literature", "query": "colchicine gout flare prophylaxis"}
    first = state | await plan_tool(state, runtime(ScriptedModel(query)))
    again = first | {"action": "retry_different_args", "retries": 1}
    same = await plan_tool(again, runtime(ScriptedModel(query)))  # type: ignore[arg-type]
    assert (same["planned"], same["part"]) == (False, 1)
    model = ScriptedModel(query | {"query": "colchicine prevention of gout"})
    other = await plan_tool(again, runtime(model))  # type: ignore[arg-type]
    assert (other["planned"], other["args"]["query"].value) == (True, "colchicine prevention of gout")
    assert "retries" not in other
    assert "Nothing was found for: colchicine gout flare prophylaxis" in model.prompts[0].messages[-1].text


async def test_another_tool_is_no_second_try_of_the_first() -> None:
    state = await working_on("evidence on colchicine in gout", "colchicine in gout")
    tried = {"action": "retry_different_args", "retries": 1, "tool": "search_medical_literature", "args": {}}
    model = ScriptedModel({"tool_name": "find_clinical_trials", "query": "gout"})
    other = await plan_tool(state | tried, runtime(model))  # type: ignore[arg-type]
    assert (other["tool"], other["retries"]) == ("find_clinical_trials", 0)


async def test_what_code_planned_asks_no_model_and_is_passed_over_when_it_is_covered() -> None:
    state = await assembled(BOTH)
    planned = state | start_parts(parts_of_needs(state["needs"]))
    first = await plan_tool(planned, runtime(ScriptedModel()))
    assert first["args"]["drug_name"].value == "dofetilide"
    covered = planned | start_parts(parts_of_needs([Need("search_patient")]))
    assert (await plan_tool(covered, runtime(ScriptedModel())))["planned"] is False


async def test_details_are_read_again_only_while_the_part_may_still_ask() -> None:
    state = await working_on("interactions of warfarin?", "interactions")
    model = ScriptedModel({"tool_name": "check_drug_interactions", "query": "warfarin"})
    plan = state | await plan_tool(state, runtime(model))
    assert after_plan(plan).node == "fix_args"
    assert after_plan(plan | {"asked": MAX_ASKED}).node == "tool_execute"
