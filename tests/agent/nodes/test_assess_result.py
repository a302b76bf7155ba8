"""What follows from a result, by code: on, once more, in other words, a question, or without it."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.agent.graphs.triage import after_assessment, assess_result
from docgemma.agent.progress import MAX_ITERATIONS, start_parts
from docgemma.agent.state import Part, State
from docgemma.agent.understanding.needs import Need
from docgemma.clinical import ToolResult
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import DrugSafetyReport, InteractionReport, LiteratureResult
from tests.agent.nodes.states import TIMEOUT, after, runtime
from tests.support import results as r
from tests.support.reading import understood

NO_ARTICLES = LiteratureResult(status="none")
NO_DRUG = DrugSafetyReport(status="not_found", error_type="drug_not_in_database")
GONE = DrugSafetyReport(status="unavailable", error_type="not_configured")
LACKS = InteractionReport(status="invalid", error_type="missing_required_args", missing=("drug_names",))
NO_PAIR = InteractionReport(status="none")
WRITE_FAILED = REGISTRY["add_allergy"].result(status="unavailable", error_type="timeout")
CHART = (Need("get_patient_chart"),)
LAST = {"part": 1}

VERDICTS: list[tuple[str, str, ToolResult, dict[str, Any], str, str]] = [
    ("found", "check_drug_safety", r.DOFETILIDE, {}, "done", "plan_tool"),
    ("found, the last part", "check_drug_safety", r.DOFETILIDE, LAST, "done", "synthesize"),
    ("time-out", "check_drug_safety", TIMEOUT, {}, "tries the same again", "tool_execute"),
    ("time-out, third try", "check_drug_safety", TIMEOUT, {"retries": 2}, "goes on without it", "plan_tool"),
    ("four retries a turn", "check_drug_safety", TIMEOUT, {"total_retries": 4}, "goes on without it", "plan_tool"),
    (
        "three calls a part",
        "check_drug_safety",
        TIMEOUT,
        {"iterations": MAX_ITERATIONS - 1},
        "goes on without it",
        "plan_tool",
    ),
    ("not set up", "check_drug_safety", GONE, {}, "goes on without it", "plan_tool"),
    ("unknown drug", "check_drug_safety", NO_DRUG, {}, "goes on without it", "plan_tool"),
    ("an entry is never tried again", "add_allergy", WRITE_FAILED, {}, "goes on without it", "plan_tool"),
    ("empty search", "search_medical_literature", NO_ARTICLES, {}, "tries other words", "plan_tool"),
    ("empty search, no question left", "search_medical_literature", NO_ARTICLES, {"asked": 3}, "done", "plan_tool"),
    ("no interaction is an answer", "check_drug_interactions", NO_PAIR, {}, "done", "plan_tool"),
    ("a patient, parts left", "search_patient", r.JOHN, {"needs": CHART}, "done", "plan_tool"),
    (
        "a patient with a chart to read",
        "search_patient",
        r.JOHN,
        {"needs": CHART} | LAST,
        "the patient",
        "plan_tool",
    ),
    ("a patient and no more", "search_patient", r.JOHN, LAST, "done", "synthesize"),
    ("a card ends the turn", "add_allergy", r.proposal("…"), {}, "done", "synthesize"),
    ("several patients", "search_patient", r.WILSONS, {}, "asks the user: multiple_patient_matches", "synthesize"),
    ("a missing detail", "check_drug_interactions", LACKS, {}, "asks the user: missing_required_fields", "synthesize"),
]


def working(tool: str, result: ToolResult, **more: Any) -> State:
    state = after(tool, result, None, entities=understood("…"), message="…", route="multi_step")
    parts = start_parts((Part("one part"), Part("another")))
    return state | parts | more  # type: ignore[return-value]


@pytest.mark.parametrize(("case", "tool", "result", "more", "said", "node"), VERDICTS, ids=[row[0] for row in VERDICTS])
async def test_assess_result(
    case: str, tool: str, result: ToolResult, more: dict[str, Any], said: str, node: str
) -> None:
    state = working(tool, result, **more)
    judged = await assess_result(state, runtime(ScriptedModel()))
    assert said in judged["timeline"][-1].detail
    assert after_assessment(state | judged).node == node


async def test_a_skipped_part_is_told_and_the_next_one_starts_afresh() -> None:
    judged = await assess_result(working("check_drug_safety", GONE, iterations=1, asked=2, retries=1), runtime())
    assert judged["runs"][-1].skipped
    assert judged["errors"]
    assert (judged["part"], judged["iterations"], judged["asked"], judged["retries"]) == (1, 0, 0, 0)


async def test_the_same_call_twice_leads_on() -> None:
    state = working("check_drug_safety", r.DOFETILIDE, stuck=True)
    judged = await assess_result(state, runtime())
    assert (judged["stuck"], judged["part"]) == (False, 1)


async def test_a_card_says_what_was_not_looked_up_before_it() -> None:
    needs = (Need("check_drug_safety", "warfarin"), Need("add_allergy"))
    by_model = await assess_result(working("add_allergy", r.proposal("…"), needs=needs), runtime())
    assert by_model["notices"] == ["Not checked before this entry: Drug Safety Report for warfarin."]
    answered = start_parts((Part("", "add_allergy", "", Need("add_allergy")),))
    resumed = working("add_allergy", r.proposal("…"), needs=needs, **answered)
    assert (await assess_result(resumed, runtime()))["notices"] == []


async def test_the_thoughts_go_on_over_what_they_asked_for() -> None:
    state = working("check_drug_safety", r.DOFETILIDE, route="reasoning", **LAST)
    judged = await assess_result(state, runtime())
    assert after_assessment(state | judged).node == "reasoning"
