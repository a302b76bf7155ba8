"""What the user tells us to do and no tool does is recognised as such, never taken for something else."""

from __future__ import annotations

import pytest

from docgemma.entities import extract


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("stop metformin for abc-123", "stop"),
        ("hold warfarin for abc-123", "hold"),
        ("please discontinue lisinopril", "discontinue"),
        ("D/C metformin for abc-123", "discontinue"),
        ("put her metformin on hold", "hold"),
        ("take abc-123 off warfarin", "stop"),
        ("remove the penicillin allergy for abc-123", "remove"),
        ("delete the note of abc-123", "delete"),
        ("cancel the order", "cancel"),
        ("undo that prescription", "undo"),
        ("Send metformin 500 mg bid to pharmacy for abc-123", "send"),
        ("Send a prescription for metformin 500 mg bid to the pharmacy", "send"),
        ("Change metformin to 1000 mg twice daily for abc-123", "change"),
        ("Increase her metformin to 1000 mg bid", "increase"),
        ("Switch lisinopril to losartan 50 mg daily for abc-123", "switch"),
        ("Can you stop metformin for abc-123?", "stop"),
        ("abc-123: stop metformin", "stop"),
        ("Order a CT for abc-123", "order"),
        ("Call the patient abc-123", "call"),
        ("Email Dr Lee about abc-123", "email"),
        ("Schedule a follow-up for abc-123", "schedule"),
    ],
)
def test_requests_that_no_tool_fulfils(text: str, verb: str) -> None:
    found = extract(text)
    assert [told.value for told in found.undoable] == [verb]
    assert found.writes == ()


@pytest.mark.parametrize(
    "text",
    [
        "don't stop metformin",
        "Should I stop metformin?",
        "Can you stop metformin abruptly?",
        "When should we hold warfarin before surgery?",
        "If her potassium is high, stop lisinopril",
        "Cardiology said to stop aspirin",
        "She was told to stop metformin",
        '"Stop metformin" is what the note says',
        "Hold on, check her chart",
        "stop",
        "Hold parameters for metoprolol",
        "Taper schedule for prednisone 40 mg",
        "Change in creatinine on lisinopril",
        "Start over",
        "switch to Spanish",
        "send me her chart",
        "What does discontinue mean?",
        "Order of drug administration in RSI",
        "Prescribe metformin 500 mg daily for abc-123. Actually, cancel that.",
    ],
)
def test_talk_about_stopping_asks_for_nothing(text: str) -> None:
    assert extract(text).undoable == ()


@pytest.mark.parametrize(
    ("text", "kinds", "verbs"),
    [
        ("Stop lisinopril and start losartan 50 mg daily for abc-123", ["prescribe"], ["stop"]),
        ("Prescribe metformin 500 mg bid for abc-123 and send it to the pharmacy", ["prescribe"], ["send"]),
        ("Change metformin for abc-123: new prescription 1000 mg twice daily", ["prescribe"], []),
        ("Send a prescription for metformin 500 mg bid for abc-123", ["prescribe"], []),
        ("Patient abc-123 (penicillin allergy) prescribe amoxicillin 500 mg three times daily", ["prescribe"], []),
        ("Patient abc-123 prescribe amoxicillin 500 mg three times daily", ["prescribe"], []),
        ("Prescribe metformin, 500 mg, twice daily, for abc-123 and save a progress note", ["prescribe", "note"], []),
        ("Refill metformin 500 mg bid for abc-123", ["prescribe"], []),
    ],
)
def test_what_can_be_done_stays_a_request(text: str, kinds: list[str], verbs: list[str]) -> None:
    found = extract(text)
    assert [write.kind for write in found.writes] == kinds
    assert [told.value for told in found.undoable] == verbs


def test_it_is_quoted_in_the_users_words_and_ends_where_the_next_request_begins() -> None:
    text = "Stop metformin for abc-123 and show her labs"
    (told,) = extract(text).undoable
    assert told.text == text[told.start : told.end] == "Stop metformin for abc-123"
