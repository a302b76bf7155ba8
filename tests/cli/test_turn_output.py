from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.agent.record import Approval
from docgemma.agent.telling import CONFIDENCE
from docgemma.cli import turn_output
from docgemma.cli.render import Line
from docgemma.cli.screen import rest_of
from docgemma.entities.printable import plain
from docgemma.orders.carding import check_lines
from docgemma.orders.model import Check, CheckOutcome
from tests.cli.records import record

SOURCE = {"id": "S1", "kind": "label", "title": "Tikosyn", "url": "https://x.example/1", "date": "2024-01-01"}

CALL = {"tool": "check_drug_safety", "label": "Drug Safety Report", "args": {}, "status": "found"}


def text_of(lines: list[Line]) -> str:
    return "\n".join(line.text for line in lines)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"confidence": "high", "tool_calls": [CALL]}, "High confidence"),
        ({"confidence": "medium"}, "Medium confidence"),
        ({"confidence": "low"}, "Low confidence"),
        ({"notices": ["Boxed warning (dofetilide): QT."]}, "! Boxed warning (dofetilide): QT."),
        ({"sources": [SOURCE]}, "  [S1] Tikosyn (2024-01-01, https://x.example/1)"),
        ({"sources": [SOURCE | {"quote": "Must be\ninitiated in hospital"}]}, '"Must be initiated in hospital"'),
        ({"suggestions": ["And in renal failure?"]}, "You could also ask:\n  And in renal failure?"),
        ({"patient": {"id": "4f2", "banner": "Ann Lee, born 1950"}}, "Patient: Ann Lee, born 1950 (id 4f2)"),
        ({"patient": {"id": "4f2"}}, "Patient: id 4f2"),
    ],
)
def test_what_stands_beside_the_answer(fields: dict[str, Any], shown: str) -> None:
    assert shown in text_of(turn_output.details(record(**fields)))


def test_a_plain_answer_has_nothing_beside_it_but_its_confidence() -> None:
    assert [line.text for line in turn_output.details(record(confidence="low"))] == ["", CONFIDENCE["low"]]


def test_a_greeting_is_not_called_well_founded() -> None:
    assert turn_output.details(record(confidence="high")) == []


def test_each_notice_is_shown_once_in_the_order_given() -> None:
    notices = ["Second in the alphabet", "A notice", "Second in\nthe alphabet", "Last"]
    shown = [line.text for line in turn_output.details(record(notices=notices)) if line.style == "warning"]
    assert shown == ["! Second in the alphabet", "! A notice", "! Last"]


def test_warnings_come_before_sources() -> None:
    shown = text_of(turn_output.details(record(notices=["Danger"], sources=[SOURCE])))
    assert shown.index("! Danger") < shown.index("Sources")


def test_an_allergy_that_concerns_a_drug_stands_above_the_rest() -> None:
    notices = ["Boxed warning (amoxicillin): None.", "Allergy conflict (amoxicillin): Recorded allergy 'Penicillin'."]
    shown = [line.text for line in turn_output.details(record(notices=notices)) if line.style == "warning"]
    assert shown[0].startswith("! Allergy conflict")


QUOTE = "Start in hospital. … Watch the ECG."


@pytest.mark.parametrize(
    ("response", "shown"),
    [
        ("Boxed warning: Start in hospital.\nWarning: Watch the ECG.", False),
        ("a with b: “Start in hospital.”\na with c: “Watch the ECG.” [c is a drug]", False),
        ("Boxed warning: Start in hospital.", True),
        ("Nobody has to start in hospital. Watch the ECG, or do not.", True),
        ("", True),
    ],
)
def test_a_quote_that_the_answer_gives_whole_is_not_repeated(response: str, shown: bool) -> None:
    turn = record(response=response, sources=[SOURCE | {"quote": QUOTE}])
    assert (QUOTE in text_of(turn_output.details(turn))) == shown
    assert "[S1] Tikosyn" in text_of(turn_output.details(turn))


CLARIFICATION = {
    "reason": "multiple_patient_matches",
    "question": "Which Ann Lee?",
    "options": [{"label": "born 1950", "value": "a"}, {"label": "born 1972", "value": "b"}],
}


@pytest.mark.parametrize(("response", "times"), [("", 1), ("Which Ann Lee?", 0)])
def test_options_are_numbered_and_the_question_is_asked_once(response: str, times: int) -> None:
    asked = record(outcome="ask_user", response=response, clarification=CLARIFICATION)
    shown = text_of(turn_output.details(asked))
    assert "  1. born 1950\n  2. born 1972" in shown
    assert shown.count("Which Ann Lee?") == times
    assert "confidence" not in shown


APPROVAL = {
    "id": "o1",
    "tool": "prescribe_medication",
    "args": {},
    "card": "Metformin 500 mg\ntwice daily",
    "checks": [
        {"name": "allergies", "outcome": "passed"},
        {"name": "dose", "outcome": "not_checked", "detail": "no rule", "basis": "our table"},
        {"name": "kidneys", "outcome": "of a later version"},
    ],
    "expires_at": "2026-01-02T10:30:00+00:00",
}


def test_an_order_says_that_nothing_was_written_and_what_was_not_checked() -> None:
    lines = turn_output.details(record(outcome="approval", approval=APPROVAL))
    shown = text_of(lines)
    assert "  | Metformin 500 mg\n  | twice daily" in shown
    assert "Order o1 waits until 2026-01-02 10:30 UTC. Nothing is in the chart yet." in shown
    assert Line("  NOT CHECKED  dose: no rule [our table]", "warning", 15) in lines
    assert Line("  NOT CHECKED  kidneys", "warning", 15) in lines
    assert Line("  passed       allergies", "dim", 15) in lines
    assert shown.index("dose") < shown.index("allergies")
    assert "confidence" not in shown


def test_a_card_that_the_answer_gives_whole_is_not_repeated() -> None:
    told = check_lines(turn_output.checks_of(Approval.model_validate(APPROVAL)))
    waiting = "Nothing is in the chart yet: this entry waits for your approval."
    answer = "\n".join([str(APPROVAL["card"]), *told, waiting])
    lines = turn_output.details(record(outcome="approval", approval=APPROVAL, response=answer))
    assert text_of(lines) == "\nOrder o1 waits until 2026-01-02 10:30 UTC."
    less = answer.replace("NOT CHECKED kidneys", "passed kidneys")
    shown = text_of(turn_output.details(record(outcome="approval", approval=APPROVAL, response=less)))
    assert "  NOT CHECKED  kidneys" in shown


@pytest.mark.parametrize("card", ["Metformin 50 mg\ntwice daily", "Metformin 500 mg\ntwice daily\nfor a year"])
def test_a_card_that_the_answer_gives_otherwise_is_shown(card: str) -> None:
    answer = "Metformin 500 mg\ntwice daily"
    shown = text_of(
        turn_output.details(record(outcome="approval", approval=APPROVAL | {"card": card}, response=answer))
    )
    assert f"  | {card.splitlines()[0]}" in shown


@pytest.mark.parametrize(
    ("outcomes", "chat", "shown"),
    [
        (["passed", "warning"], False, "docgemma approve o1\n"),
        (["not_checked"], False, "docgemma approve o1 --acknowledge\n"),
        (["hard_stop", "not_checked"], False, 'docgemma approve o1 --acknowledge --override "REASON"\n'),
        (["passed"], True, "/approve o1\n"),
        (["hard_stop", "not_checked"], True, "/approve o1 --acknowledge override: REASON\n"),
    ],
)
def test_how_to_decide_names_all_that_the_card_takes(outcomes: list[CheckOutcome], chat: bool, shown: str) -> None:
    made = [Check(name="x", outcome=outcome) for outcome in outcomes]
    told = text_of(turn_output.how_to_decide("o1", made, chat=chat))
    assert shown in told
    assert f"{'/' if chat else 'docgemma '}reject o1" in told


def test_a_single_answer_with_a_card_says_which_command_decides() -> None:
    told = text_of(turn_output.how_to_continue(record(outcome="approval", approval=APPROVAL)))
    assert "docgemma approve o1 --acknowledge" in told
    assert "docgemma approve" not in text_of(turn_output.how_to_continue(record()))


RECEIPT = {"status": "differs", "text": "In the chart, not as approved.", "differences": ["dose is 50 mg"]}


@pytest.mark.parametrize("response", ["", "In the chart, not as approved.\nDifferent: dose is 50 mg"])
def test_a_receipt_is_shown_once_with_what_is_different(response: str) -> None:
    turn = record(response=response, receipt=RECEIPT)
    shown = f"{response}\n{text_of(turn_output.details(turn))}"
    assert shown.count("In the chart, not as approved.") == 1
    assert shown.count("dose is 50 mg") == 1


def test_the_timeline_says_who_did_what() -> None:
    steps = record(
        timeline=[{"step": "a", "label": "Understood", "detail": "one drug", "by": "model", "ms": 12}]
    ).timeline
    assert "12 ms  model   Understood  one drug" in text_of(turn_output.timeline(steps))
    assert "No steps" in text_of(turn_output.timeline(()))


@pytest.mark.parametrize(
    ("response", "shown", "rest"),
    [
        ("One. Two.", "", "One. Two."),
        ("One. Two.", "One. ", " Two."),
        ("One. Two.", "One. Two.", ""),
        ("One. Two.", "One. Two. \n", ""),
        ("One.", "Other.", "\nOne."),
    ],
)
def test_what_was_not_streamed_is_still_shown(response: str, shown: str, rest: str) -> None:
    assert rest_of(response, shown) == rest


@given(st.text())
def test_nothing_a_terminal_obeys_is_printed(text: str) -> None:
    shown = plain(text)
    assert all(mark in "\n\t" or unicodedata.category(mark) != "Cc" for mark in shown)


HOSTILE = "\x1b[2J\x1b]0;title\x07\x9b31m\rfake\u202e5 gm\u2066"


def test_hostile_text_in_every_field_reaches_no_terminal() -> None:
    hostile = record(
        response=HOSTILE,
        session_id=HOSTILE,
        notices=[HOSTILE],
        suggestions=[HOSTILE],
        sources=[{"id": "S1", "kind": "label", "title": HOSTILE, "url": HOSTILE, "date": HOSTILE, "quote": HOSTILE}],
        patient={"id": HOSTILE, "banner": HOSTILE},
        clarification={"reason": "x", "question": "?" + HOSTILE, "options": [{"label": HOSTILE, "value": ""}]},
        approval={
            "id": HOSTILE,
            "tool": "x",
            "args": {},
            "card": HOSTILE,
            "expires_at": HOSTILE,
            "checks": [{"name": HOSTILE, "outcome": "passed", "detail": HOSTILE, "basis": HOSTILE}],
        },
        receipt={"text": f"?{HOSTILE}", "differences": [f"!{HOSTILE}"]},
        timeline=[{"step": "a", "label": HOSTILE, "detail": HOSTILE}],
    )
    lines = [
        *turn_output.details(hostile),
        *turn_output.timeline(hostile.timeline),
        *turn_output.how_to_continue(hostile),
    ]
    assert not set("\x1b\x07\x9b\r\u202e\u2066") & set(text_of(lines))
