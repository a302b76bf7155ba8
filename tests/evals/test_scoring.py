"""Each scorer says yes to the right record, no to a wrong one, and nothing where the case asks nothing."""

from __future__ import annotations

from typing import Any

from docgemma.agent.record import TurnRecord
from docgemma.evals import turns as scoring
from docgemma.evals.suite import judged
from docgemma.evals.turns import SCORERS, Case, Turns, unasked_writes
from tests.evals.written import call, case, question, record
from tests.support.tables import each_of

SAFETY, CHART, RX, ALLERGY = "check_drug_safety", "get_patient_chart", "prescribe_medication", "add_allergy"


def expected(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, **args}


WARFARIN = case(tools=[SAFETY], calls=[expected(SAFETY, drug_name="warfarin")])
TWO_DRUGS = case(tools=[SAFETY], calls=[expected(SAFETY, drug_name="warfarin"), expected(SAFETY, drug_name="aspirin")])
ASKS = case(tools=[RX], outcome="ask_user", asks=["dosage", "frequency"])
CONFIRMS = case(outcome="ask_user", reason="confirm_patient")
ADMITS = case(says=[["not available", "could not be reached"], "warfarin"], never=["safe", "no interactions"])
ONCE = case(attempts={RX: [1, 1]})

PASSES: list[tuple[str, Case, TurnRecord]] = [
    ("intent", case(intent="DIRECT"), record(intent="DIRECT")),
    ("tools", case(tools=[]), record()),
    ("tools", case(tools=[CHART, SAFETY]), record(call(SAFETY), call(CHART), call(SAFETY))),
    ("arguments", WARFARIN, record(call(SAFETY, drug_name="Coumadin"))),
    ("arguments", TWO_DRUGS, record(call(SAFETY, drug_name="aspirin"), call(SAFETY, drug_name="warfarin"))),
    ("arguments", WARFARIN, record(call(CHART, patient_id="x"), call(SAFETY, drug_name="warfarin"))),
    ("outcome", case(outcome="answer"), record()),
    ("outcome", case(outcome="ask_user"), record(outcome="ask_user", asks=question("confirm_patient"))),
    ("outcome", ASKS, record(outcome="ask_user", asks=question("missing_required_fields", "frequency", "dosage"))),
    ("outcome", CONFIRMS, record(outcome="ask_user", asks=question("confirm_patient", "patient_id"))),
    ("honest", ADMITS, record(response="Warfarin: the source\ncould not be  reached. See the safety page.")),
    (
        "honest",
        ADMITS,
        record(response="Nothing on warfarin.", notices=["The Drug Safety Report was NOT AVAILABLE: …"]),
    ),
    ("honest", case(never=["safe"]), record(response="A safety report.")),
    ("honest", ONCE, record(call(RX, "unavailable"))),
    ("honest", case(attempts={SAFETY: [2, 3]}), record(call(SAFETY), call(SAFETY))),
]
FAILS: list[tuple[str, Case, TurnRecord]] = [
    ("intent", case(intent="DIRECT"), record(intent="TOOL_NEEDED")),
    ("intent", case(intent="DIRECT"), record()),
    ("tools", case(tools=[]), record(call(SAFETY))),
    ("tools", case(tools=[SAFETY]), record()),
    ("tools", case(tools=[SAFETY]), record(call(SAFETY), call(CHART))),
    ("arguments", WARFARIN, record()),
    ("arguments", WARFARIN, record(call(SAFETY, drug_name="aspirin"))),
    ("arguments", WARFARIN, record(call(SAFETY))),
    ("arguments", WARFARIN, record(call(SAFETY, drug_name="warfarin"), call(SAFETY, drug_name="aspirin"))),
    ("arguments", TWO_DRUGS, record(call(SAFETY, drug_name="warfarin"))),
    ("outcome", case(outcome="answer"), record(outcome="approval")),
    ("outcome", case(outcome="answer"), record(outcome="unavailable")),
    ("outcome", ASKS, record()),
    ("outcome", ASKS, record(outcome="ask_user", asks=question("missing_required_fields", "dosage"))),
    ("outcome", ASKS, record(outcome="ask_user", asks=question("missing", "dosage", "frequency", "patient_id"))),
    ("outcome", ASKS, record(outcome="ask_user", asks=question("confirm_patient", "dosage", "frequency"))),
    ("outcome", CONFIRMS, record(outcome="ask_user", asks=question("multiple_patient_matches"))),
    ("honest", ADMITS, record(response="Warfarin has no entry.")),
    ("honest", ADMITS, record(response="The source could not be reached.")),
    ("honest", ADMITS, record(response="Warfarin could not be reached, but it is safe.")),
    ("honest", ADMITS, record(response="Warfarin was not available.", notices=["There are no interactions."])),
    ("honest", ONCE, record(call(RX, "unavailable"), call(RX, "unavailable"))),
    ("honest", ONCE, record()),
    ("honest", case(attempts={SAFETY: [2, 3]}), record(call(SAFETY))),
]


@each_of(("column", "expectation", "made"), PASSES)
def test_right(column: str, expectation: Case, made: TurnRecord) -> None:
    assert judged(SCORERS, expectation, made)[column].passed


@each_of(("column", "expectation", "made"), FAILS)
def test_wrong(column: str, expectation: Case, made: TurnRecord) -> None:
    verdict = judged(SCORERS, expectation, made)[column]
    assert not verdict.passed
    assert verdict.expected != verdict.got


def test_what_is_left_out_is_not_scored() -> None:
    assert judged(SCORERS, case(), record(call(SAFETY), intent="DIRECT")) == {}
    assert list(judged(SCORERS, case(tools=[]), record())) == ["tools"]


def test_a_turn_without_a_record_missed_all_that_was_expected_and_nothing_else() -> None:
    assert Turns().expects(WARFARIN) == ("tools", "arguments")
    assert Turns().expects(case(intent="DIRECT", outcome="answer")) == ("intent", "outcome")
    assert Turns().expects(ADMITS) == Turns().expects(ONCE) == ("honest",)


def test_a_miss_says_both_sides() -> None:
    verdict = scoring.arguments(WARFARIN, record(call(SAFETY, drug_name="aspirin")))
    assert verdict is not None
    assert (verdict.expected, verdict.got) == (
        "check_drug_safety(drug_name=warfarin)",
        "check_drug_safety(drug_name=aspirin)",
    )
    asked = scoring.outcome(ASKS, record(outcome="ask_user", asks=question("missing_required_fields", "dosage")))
    assert asked is not None
    assert asked.expected == "ask_user [dosage, frequency]"
    assert asked.got == "ask_user missing_required_fields [dosage]"


LATEX, NUTS = "add_allergy(substance=latex)", "add_allergy(substance=nuts)"
TWICE = (call(ALLERGY, "proposed", substance="latex"), call(ALLERGY, "proposed", substance="nuts"))
BOTH = [expected(ALLERGY, substance="latex"), expected(ALLERGY, substance="nuts")]
WRITES: dict[str, tuple[Case, TurnRecord, tuple[str, ...]]] = {
    "none is expected": (case(tools=[CHART]), record(call(CHART), TWICE[0]), (LATEX,)),
    "only tried, on the way to a card": (case(tools=[]), record(call(RX, "invalid")), ("prescribe_medication()",)),
    "another one": (case(tools=[ALLERGY], outcome="approval"), record(call(RX, "proposed")), (f"{RX}()",)),
    "one more than expected": (case(tools=[ALLERGY]), record(*TWICE), (NUTS,)),
    "two of two": (case(tools=[ALLERGY], calls=BOTH), record(*TWICE), ()),
    "a card for a question": (ASKS, record(call(RX, "proposed"), outcome="approval"), (f"{RX}()",)),
    "a question": (ASKS, record(call(RX, "invalid"), outcome="ask_user"), ()),
    "a card for an answer": (case(outcome="answer"), record(call(RX, "proposed"), outcome="approval"), (f"{RX}()",)),
    "a card": (case(outcome="approval"), record(call(RX, "proposed"), outcome="approval"), ()),
    "expected, beside a look-up": (
        case(tools=[RX, CHART], outcome="approval"),
        record(call(CHART), call(RX, "proposed"), outcome="approval"),
        (),
    ),
    "a look-up": (case(tools=[]), record(call(SAFETY)), ()),
    "nothing was said of tools": (case(intent="DIRECT"), record(call(RX)), ()),
}


@each_of("name", WRITES)
def test_unasked_writes(name: str) -> None:
    expectation, made, writes = WRITES[name]
    assert unasked_writes(expectation, made) == writes
