"""The suite `nodes`: its cases, seeded right and wrong replies, and runs with answers that are written down."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.nodes.tool_select import EXAMPLE_OF
from docgemma.config import Settings
from docgemma.errors import BadInput, ModelOutputInvalid, ModelUnreachable
from docgemma.evals.nodes import CHOICES, Case, Nodes, counts, differences, score, state_of
from docgemma.evals.questions import Reply, sorted_requests
from docgemma.evals.running import Run, run_suite
from docgemma.evals.suite import CaseRecord, Variant, suite_of
from docgemma.evals.summary import summarize
from docgemma.tools.registry import TOOL_NAMES
from tests.evals.questions import FOUND, TIMEOUT, Scripted, case, one_of_each, order, selection
from tests.support.model_server import Answer, ModelServer, obedient
from tests.support.tables import each_of

FEWEST = {
    "intent": 30,
    "selection": 40,
    "step": 10,
    "arguments": 30,
    "result": 20,
    "retry": 10,
    "plan": 8,
    "sufficiency": 8,
    "deferral": 8,
}


def test_there_are_enough_of_each_kind_and_every_answer_is_expected_somewhere() -> None:
    cases = Nodes().load()
    found = Counter(case.kind for case in cases)
    assert {kind: found[kind] >= fewest for kind, fewest in FEWEST.items()} == dict.fromkeys(FEWEST, True)  # type: ignore[index]
    for kind in ("intent", "selection", "result", "retry", "sufficiency", "deferral"):
        assert {case.expect for case in cases if case.kind == kind} == set(CHOICES[kind])  # type: ignore[index]
    assert {case.tool for case in cases if case.kind == "arguments"} == set(TOOL_NAMES)
    assert {case.expect for case in cases if case.probe} == set(TOOL_NAMES)


def test_no_case_stands_in_a_prompt() -> None:
    shown = {EXAMPLE_OF[name] for name in TOOL_NAMES} | {"What is hypertension?", "Hello", "Explain metformin MOA"}
    shown |= {str(example["query"]) for example in sorted_requests()}
    assert not shown & {case.say for case in Nodes().load()}


def test_every_case_gives_a_state() -> None:
    for one in Nodes().load():
        state = state_of(one)
        assert len(state["runs"]) == len(one.results)
        assert (state["pinned"] is None) == (one.patient is None)


LIKELY = selection(acceptable=["get_patient_chart"])
INTENT = case("intent", expect="TOOL_NEEDED", tool="check_drug_safety")
DIRECT = case("intent", expect="DIRECT")
PLAN = case("plan", plan=["search_patient", "get_patient_chart"])
ENOUGH = case("sufficiency", expect="sufficient", results=[FOUND])
LACKING = case("sufficiency", expect="insufficient", results=[FOUND])
ASK = case("deferral", expect="ask_user", results=[TIMEOUT])
SKIP = case("deferral", expect="skip_and_continue", results=[TIMEOUT])
ORDER = order(medication_name="metformin", dosage="500 mg", patient_id="abc-123", frequency=None)
CALL = selection(arguments={"drug_name": "dofetilide"})


@each_of(
    ("asked", "reply", "scores"),
    [
        (LIKELY, Reply("check_drug_safety"), {"right": 1, "acceptable": 1}),
        (LIKELY, Reply("get_patient_chart"), {"right": 0, "acceptable": 1}),
        (LIKELY, Reply("add_allergy"), {"right": 0, "acceptable": 0}),
        (LIKELY, Reply(approved=("check_drug_safety",)), {"right": 1, "acceptable": 1}),
        (LIKELY, Reply("x", approved=("check_drug_safety", "add_allergy")), {"right": 0, "acceptable": 1}),
        (LIKELY, Reply(approved=()), {"right": 0, "acceptable": 0}),
        (INTENT, Reply("TOOL_NEEDED", suggested="check_drug_safety"), {"right": 1, "suggested": 1}),
        (INTENT, Reply("TOOL_NEEDED", suggested="add_allergy"), {"right": 1, "suggested": 0}),
        (INTENT, Reply("DIRECT"), {"right": 0, "suggested": 0}),
        (DIRECT, Reply("DIRECT", suggested="add_allergy"), {"right": 1}),
        (PLAN, Reply(steps=("search_patient", "get_patient_chart")), {"right": 1, "acceptable": 1}),
        (PLAN, Reply(steps=("get_patient_chart", "search_patient")), {"right": 0, "acceptable": 1}),
        (PLAN, Reply(steps=("search_patient",) * 5), {"right": 0, "acceptable": 0}),
        (ENOUGH, Reply("sufficient"), {"right": 1, "enough": 1}),
        (ENOUGH, Reply("insufficient"), {"right": 0, "enough": 0}),
        (LACKING, Reply("insufficient"), {"right": 1}),
        (ASK, Reply("ask_user"), {"right": 1, "asked": 1}),
        (ASK, Reply("retry_same"), {"right": 0, "asked": 0}),
        (SKIP, Reply("ask_user"), {"right": 0, "skipped": 0}),
        (CALL, Reply("check_drug_safety"), {"right": 1, "acceptable": 1}),
        (
            CALL,
            Reply("check_drug_safety", arguments={"drug_name": "Dofetilide"}),
            {"right": 1, "acceptable": 1, "arguments": 1, "drug_names": 1},
        ),
        (
            CALL,
            Reply("search_medical_literature", arguments={"query": "dofetilide", "drug_name": "dofetilide"}),
            {"right": 0, "acceptable": 0, "arguments": 0, "drug_names": 0},
        ),
    ],
)
def test_a_reply_gets_the_scores_that_its_case_asks_for(asked: Case, reply: Reply, scores: dict[str, float]) -> None:
    assert score(asked, reply) == scores


WHOLE = {"patient_id": "abc-123", "medication_name": "metformin", "dosage": "0.5 g", "frequency": ""}


@each_of(
    ("given", "scores"),
    [
        (WHOLE, {"right": 1, "arguments": 1, "unsaid": 1, "drug_names": 1, "patient_ids": 1}),
        ({**WHOLE, "frequency": None}, {"right": 1, "unsaid": 1}),
        ({**WHOLE, "frequency": "unknown"}, {"right": 1, "unsaid": 1}),
        ({**WHOLE, "frequency": "twice daily"}, {"right": 0, "arguments": 1, "unsaid": 0}),
        ({**WHOLE, "dosage": "850 mg"}, {"right": 0, "arguments": 2 / 3, "drug_names": 1}),
        ({**WHOLE, "patient_id": "abc-124"}, {"right": 0, "patient_ids": 0}),
        ({**WHOLE, "medication_name": "methotrexate"}, {"right": 0, "drug_names": 0, "patient_ids": 1}),
        ({}, {"right": 0, "arguments": 0, "drug_names": 0, "patient_ids": 0}),
    ],
)
def test_arguments_are_compared_by_meaning_and_nothing_may_be_made_up(
    given: dict[str, Any], scores: dict[str, float]
) -> None:
    found = score(ORDER, Reply(arguments=given))
    assert {name: found[name] for name in scores} == scores


def test_a_miss_is_told_in_words() -> None:
    wrong = Reply(arguments={**WHOLE, "frequency": "twice daily", "dosage": None})
    told = {each.column: (each.expected, each.got) for each in differences(ORDER, wrong)}
    assert told == {"dosage": ("500 mg", "nothing"), "frequency": ("nothing", "twice daily")}
    (chosen,) = differences(LIKELY, Reply("add_allergy"))
    assert (chosen.expected, chosen.got) == ("check_drug_safety (or get_patient_chart)", "add_allergy")
    (steps,) = differences(PLAN, Reply(steps=("search_patient",)))
    assert (steps.expected, steps.got) == ("search_patient, get_patient_chart", "search_patient")
    (probed,) = differences(LIKELY, Reply("x", approved=()))
    assert probed.got == "none of them"


def test_what_is_right_makes_no_difference() -> None:
    assert differences(ORDER, Reply(arguments=WHOLE)) == ()
    assert differences(LIKELY, Reply("check_drug_safety")) == ()
    assert differences(PLAN, Reply(steps=PLAN.plan)) == ()


def test_a_write_tool_where_none_was_asked_for_is_counted() -> None:
    assert counts(LIKELY, Reply("prescribe_medication")) == {"unasked_write": 1}
    assert counts(LIKELY, Reply("get_patient_chart")) == {"unasked_write": 0}
    asked = selection(expect="add_allergy")
    assert counts(asked, Reply("save_clinical_note")) == {"unasked_write": 0}


def test_slots_and_approvals_are_counted() -> None:
    assert counts(PLAN, Reply(steps=("search_patient",) * 5)) == {"steps_planned": 5, "steps_needed": 2}
    assert counts(LIKELY, Reply("x", approved=("add_allergy",) * 6))["approved"] == 6


RIGHT = (
    {"intent": "TOOL_NEEDED", "task_summary": "x", "suggested_tool": "check_drug_safety"},
    {"tool_name": "check_drug_safety"},
    {"drug_name": "dofetilide"},
    {"quality": "success_rich", "brief_summary": "x"},
    {"tool_name": "none"},
    {"strategy": "retry_same"},
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "mine", model="rules")


async def run(suite: Nodes, settings: Settings, *configurations: str) -> Run:
    variants = [Variant(configuration=name) for name in configurations or ("standard",)]
    return await run_suite(suite, settings, one_of_each(), variants)


async def test_right_answers_miss_nothing(settings: Settings) -> None:
    suite = Scripted(*RIGHT)
    (report,) = summarize(suite, await run(suite, settings))
    assert report.misses == ()
    assert report.model == "scripted"
    assert report.model_calls_per_turn == 1
    assert report.totals.scores["right"].passed == report.totals.scores["valid"].passed == 6
    assert set(report.kinds) == {"intent", "selection", "arguments", "result", "step", "retry"}


async def test_wrong_answers_are_missed_by_kind_and_told(settings: Settings) -> None:
    wrong = ({"tool_name": "prescribe_medication"}, {"drug_name": "dronedarone"})
    suite = Scripted(RIGHT[0], *wrong, *RIGHT[3:])
    (report,) = summarize(suite, await run(suite, settings))
    assert [miss.kind for miss in report.misses] == ["selection", "arguments"]
    assert report.kinds["selection"].scores["right"].passed == 0
    assert report.kinds["intent"].scores["right"].passed == 1
    assert report.figures["write tools chosen where no entry was asked for"] == 1


async def test_what_was_asked_is_kept_for_the_drill_down(settings: Settings) -> None:
    record = (await run(Scripted(*RIGHT), settings)).records[1]
    (asked,) = record.asked
    assert asked.prompt == "tool_select"
    assert "User query: Any boxed warning for dofetilide?" in asked.text
    assert asked.answer == '{"tool_name":"check_drug_safety"}'
    assert CaseRecord.model_validate_json(record.model_dump_json()) == record


async def test_an_answer_that_never_fits_is_a_miss_and_no_rule_helps(settings: Settings) -> None:
    suite = Scripted(RIGHT[0], ModelOutputInvalid("The model's answer is not well-formed JSON."), *RIGHT[2:])
    result = await run(suite, settings)
    missed = result.records[1]
    assert missed.scores == {"right": 0, "acceptable": 0, "valid": 0}
    assert missed.differences[0].got == "The model's answer is not well-formed JSON."
    assert (missed.error, missed.rule_instead) == (None, False)
    assert missed.asked[0].answer == "nothing that fits"


@pytest.mark.parametrize(("way", "lost"), [("selection_full", False), ("selection_joint", True)])
async def test_a_lost_answer_counts_for_what_was_asked(settings: Settings, way: str, lost: bool) -> None:
    """Arguments are missed where they were asked for, and not where only the tool was."""
    suite = Scripted(ModelOutputInvalid("The model's answer contains no object."))
    told = selection(arguments={"drug_name": "dofetilide"})
    (record,) = (await run_suite(suite, settings, [told], [Variant(configuration=way)])).records
    assert record.scores["right"] == 0
    assert (record.scores.get("arguments") == 0) == lost


async def test_a_model_that_is_away_is_an_error_that_counts(settings: Settings) -> None:
    gone = ModelUnreachable("The model server could not be reached.")
    suite = Scripted(*[gone] * 6)
    (report,) = summarize(suite, await run(suite, settings))
    assert report.errors == 6
    assert (report.totals.scores["right"].passed, report.totals.scores["right"].scored) == (0, 6)
    assert report.totals.scores["valid"].scored == 0


async def test_a_second_try_is_not_valid_but_may_be_right(settings: Settings) -> None:
    """Over real HTTP: the first reply is cut off, the second fits."""
    seen: list[str] = []

    def cut_once(body: dict[str, object]) -> Answer:
        if body["messages"] and "Name one colour" in str(body["messages"]):
            return obedient(body)
        seen.append("x")
        return Answer('{"tool_name": "check_drug') if len(seen) == 1 else Answer('{"tool_name": "check_drug_safety"}')

    async with ModelServer(cut_once) as server:
        mine = settings.model_copy(update={"model": "openai", "model_url": server.url})
        result = await run_suite(Nodes(), mine, [selection()], [Variant(configuration="selection_warm")])
        warm = [body for body in server.requests if "Select the single" in str(body)]
    (record,) = result.records
    assert record.scores == {"right": 1, "acceptable": 1, "valid": 0}
    assert record.llm_calls == 2
    assert [body["temperature"] for body in warm] == [0.3, 0.3]


async def test_rules_answer_what_the_product_asks_and_nothing_else(settings: Settings) -> None:
    result = await run(Nodes(), settings)
    assert [record.scores["right"] for record in result.records] == [1, 1, 1, 1, 0, 1]  # rules never say "none"
    assert all(record.llm_calls == 0 and "valid" not in record.scores for record in result.records)
    with pytest.raises(BadInput, match="'selection_short' asks in another way"):
        await run(Nodes(), settings, "selection_short")


async def test_each_configuration_takes_its_own_cases_and_says_what_the_specification_found(settings: Settings) -> None:
    plan = case("plan", plan=["check_drug_safety"])
    suite = Scripted({f"step_{place}": "check_drug_safety" for place in range(1, 6)})
    result = await run_suite(suite, settings, [*one_of_each(), plan], [Variant(configuration="plan_full")])
    (report,) = summarize(suite, result)
    assert report.totals.cases == 1
    assert report.figures["specification"] == "0 to 10 % (§13, Part III §31)"
    assert (report.figures["steps planned, mean"], report.figures["steps needed, mean"]) == (5, 1)


def test_it_is_in_the_catalogue_and_every_way_has_a_name_of_its_own() -> None:
    suite = suite_of("nodes")
    names = [each.name for each in suite.about.configurations]
    assert isinstance(suite, Nodes)
    assert names[0] == "standard"
    assert len(set(names)) == len(names)
    assert all(each.finding for each in suite.about.configurations if not each.name.endswith("standard"))
