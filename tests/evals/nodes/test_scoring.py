"""Seeded replies, right and wrong: each scorer must tell them apart."""

from __future__ import annotations

from typing import Any

from docgemma.evals.nodes import counts, differences, score
from docgemma.evals.questions import Case, Reply
from tests.evals.nodes.made import FOUND, TIMEOUT, case, order, selection
from tests.support.tables import each_of

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
