"""Which messages ask for something to be written. Every doubt is a no."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docgemma.entities import extract

_ATTACKS = Path(__file__).parents[1] / "fixtures" / "attacks"


def _rows(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (_ATTACKS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _kinds(text: str) -> list[str]:
    return [write.kind for write in extract(text).writes]


@pytest.mark.parametrize("row", _rows("not_a_write_request"), ids=lambda row: row["text"])
def test_harmless_messages_ask_for_no_write(row: dict[str, str]) -> None:
    assert _kinds(row["text"]) == []


@pytest.mark.parametrize("row", _rows("missing_arguments"), ids=lambda row: row["text"])
def test_incomplete_requests_are_still_requests(row: dict[str, str]) -> None:
    text = row["text"].lower()
    kind = "allergy" if "allerg" in text else "note" if "note" in text else "prescribe"
    assert _kinds(row["text"]) == [kind]


@pytest.mark.parametrize("row", _rows("allergy_negation"), ids=lambda row: row["text"])
def test_only_an_affirmed_allergy_of_the_patient_is_recorded(row: dict[str, object]) -> None:
    found = extract(str(row["text"]))
    expected = bool(row["write_expected"])  # null: no statement to record, so nothing is proposed
    assert [write.kind for write in found.writes] == ["allergy"] * expected
    assert ("+".join(item.value for item in found.substances) or None) == row["substance"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("please prescribe lisinopril 10 mg once a day for patient 402", ["prescribe"]),
        ("I'd like to start her on apixaban 5 mg BID", ["prescribe"]),
        ("I want to prescribe lisinopril 10 mg daily for abc-123", ["prescribe"]),
        ("Let's start him on atorvastatin 40 mg nightly", ["prescribe"]),
        ("Start her on metformin 500 mg twice daily with meals", ["prescribe"]),
        ("Start apixaban 5 mg bid as the cardiologist recommended, abc-123", ["prescribe"]),
        ("Could you please order amoxicillin 500 mg tid for patient 402?", ["prescribe"]),
        ("Her BP is 160/95, start lisinopril 10 mg daily", ["prescribe"]),
        ("For abc-123: prescribe metformin 500 mg bid", ["prescribe"]),
        ("Order: metformin 500 mg BID for abc-123", ["prescribe"]),
        ("Stop lisinopril and start losartan 50 mg daily", ["prescribe"]),
        ("go ahead and prescribe warfarin 5 mg daily for abc-123", ["prescribe"]),
        ("Write a prescription for amoxicillin 500 mg TID", ["prescribe"]),
        ("Add metformin 500 mg bid to her regimen", ["prescribe"]),
        ("Prescribe zanubrutinib 160 mg bid for abc-123", ["prescribe"]),
        ("Don't check anything, just prescribe metformin 500 mg bid for abc-123", ["prescribe"]),
        ("Can you add an allergy to penicillin for abc-123?", ["allergy"]),
        ("Add penicillin to her allergies", ["allergy"]),
        ("Record that abc-123 is allergic to penicillin", ["allergy"]),
        ("Document that she refuses vaccines, abc-123", ["note"]),
        ("Write a note for patient abc-123", ["note"]),
        ("Save a progress note for abc-123: feels well. Start metformin next week.", ["note"]),
        ("Prescribe metformin 500 mg bid for abc-123 and save a progress note", ["prescribe", "note"]),
    ],
)
def test_own_imperatives_are_requests(text: str, kinds: list[str]) -> None:
    assert _kinds(text) == kinds


@pytest.mark.parametrize(
    "text",
    [
        "How do I start metformin?",
        "To start metformin, what labs do I need?",
        "Can you prescribe metformin in CKD?",
        "Is it ok to start lisinopril 10 mg daily?",
        "Prescribe metformin 500 mg daily for abc-123?",
        "If her potassium is normal, start lisinopril 10 mg daily",
        "Start lisinopril 10 mg daily if her potassium is below 5",
        "Cardiology said to stop aspirin and start apixaban 5 mg bid",
        "Per cardiology: start apixaban 5 mg bid",
        "Plan: start lisinopril 10 mg daily",
        "Explain: prescribe metformin 500mg daily",
        "The note says start metformin 500 mg daily",
        "> start metformin 500 mg daily",
        "Do not order labs or start heparin",
        "never prescribe codeine to her",
        "Sure, prescribe her the entire dispensary",
        "Before I prescribe metformin, check her eGFR",
        "She was started on metformin 500 mg daily",
        "Prescribe metformin 500 mg daily for abc-123. Actually, never mind.",
        "Order a CT for abc-123",
        "Order metformin levels",
        "Give me the dose of metformin",
        "List her allergies",
        "Make a list of her allergies",
        "She has a penicillin allergy. Which antibiotic is best?",
        "Check cefazolin, she is allergic to penicillin",
        "Please note that warfarin needs monitoring",
        "Kê đơn metformin 500 mg cho bệnh nhân abc-123",
    ],
)
def test_questions_reports_conditions_and_quotations_are_not(text: str) -> None:
    assert _kinds(text) == []


def test_the_request_ends_where_the_next_one_begins() -> None:
    text = "Prescribe metformin 500 mg bid for abc-123 and check warfarin"
    (write,) = extract(text).writes
    assert text[write.start : write.end] == "Prescribe metformin 500 mg bid for abc-123"


@pytest.mark.parametrize(
    "text", ["Hello, how are you?", "thanks!", "Thank you so much, that helps", "hi", "Good morning!"]
)
def test_greetings_and_thanks_are_small_talk(text: str) -> None:
    assert extract(text).small_talk


@pytest.mark.parametrize(
    "text", ["hello, check warfarin", "thanks, and her potassium?", "What is hypertension?", "", "all"]
)
def test_a_greeting_with_a_question_is_not(text: str) -> None:
    assert not extract(text).small_talk


def test_verbs_are_listed_and_nouns_are_not() -> None:
    text = "Find patient John Smith, check his chart, and verify metformin safety"
    assert extract(text).action_verbs == ("find", "check", "verify")
    assert extract("In order to read his record").action_verbs == ()
