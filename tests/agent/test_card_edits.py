"""What is said while a card waits: which fields it changes, which it leaves, and what it never carries over."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.agent.record import PendingCall
from docgemma.agent.state import State
from docgemma.agent.understanding.answers import answer
from docgemma.agent.understanding.card_changes import waits_for
from docgemma.reader.loading import PACKAGED
from docgemma.tools.registry import ToolName
from tests.support.charts import clinic
from tests.support.hospital import converse

LISINOPRIL = {
    "patient_id": "mno-345",
    "medication_name": "lisinopril",
    "dosage": "10 mg",
    "frequency": "once daily",
    "notes": "by mouth; for 7 days; for hypertension",
}
PENICILLIN = {"patient_id": "mno-345", "substance": "penicillin", "reaction": "rash"}
NOTE = {"patient_id": "mno-345", "note_type": "nursing note", "note_text": "Wound dry."}


def said(tool: ToolName, args: dict[str, str], message: str) -> State:
    card = PendingCall(message="Prepare it", tool=tool, args=args, card="c")
    return answer({"message": message, "pending": waits_for(card)}, PACKAGED)


def changed(tool: ToolName, args: dict[str, str], message: str) -> dict[str, str]:
    """The fields that are others than before."""
    resumed = said(tool, args, message).get("resumed")
    if resumed is None:
        return {}
    now = {name: str(sourced.value) for name, sourced in resumed[1].items()}
    assert now.keys() >= args.keys()
    return {name: value for name, value in now.items() if args.get(name) != value}


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        ("make it 20 mg", {"dosage": "20 mg"}),
        ("change the dose to 20 mg", {"dosage": "20 mg"}),
        ("20 mg", {"dosage": "20 mg"}),
        ("at bedtime instead", {"frequency": "at bedtime"}),
        ("make it twice daily", {"frequency": "twice daily"}),
        ("make it for 10 days", {"notes": "by mouth; for 10 days; for hypertension"}),
        ("change it to 20 mg twice daily", {"dosage": "20 mg", "frequency": "twice daily"}),
    ],
)
def test_a_prescription_changes_in_what_was_said_and_keeps_the_rest(message: str, fields: dict[str, str]) -> None:
    assert changed("prescribe_medication", LISINOPRIL, message) == fields


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        ("change the reaction to hives", {"reaction": "hives"}),
        ("change the substance to amoxicillin", {"substance": "amoxicillin"}),
    ],
)
def test_an_allergy_changes_in_what_was_said(message: str, fields: dict[str, str]) -> None:
    assert changed("add_allergy", PENICILLIN, message) == fields


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        ("change the text to: Wound healed.", {"note_text": "Wound healed."}),
        ("make it a progress note", {"note_type": "progress note"}),
    ],
)
def test_a_note_changes_in_what_was_said(message: str, fields: dict[str, str]) -> None:
    assert changed("save_clinical_note", NOTE, message) == fields


@pytest.mark.parametrize(
    "message",
    [
        "What is the highest dose of lisinopril?",
        "also prescribe ibuprofen 400 mg three times daily",
        "thanks",
    ],
)
def test_a_request_of_its_own_leaves_the_card_alone(message: str) -> None:
    assert "resumed" not in said("prescribe_medication", LISINOPRIL, message)


@pytest.mark.parametrize("message", ["remove the duration"])
def test_a_change_that_is_not_understood_is_said_to_be_none(message: str) -> None:
    told = said("prescribe_medication", LISINOPRIL, message)
    assert "resumed" not in told
    assert "still waits" in told["said"]
    assert "/approve c" in told["said"]


@pytest.mark.parametrize("message", ["please approve it", "yes", "cancel"])
def test_words_decide_nothing_and_say_how_to_decide(message: str) -> None:
    told = said("prescribe_medication", LISINOPRIL, message)
    assert "nothing was written" in told["said"] and "/reject c" in told["said"]


@pytest.mark.xfail(
    reason="another drug in place of the card's is read as a change of a medicine she takes", strict=False
)
async def test_the_amounts_of_one_drug_are_never_those_of_another(tmp_path: Path) -> None:
    async with clinic(tmp_path) as on:
        order = "Prescribe lisinopril 10 mg once daily for hypertension"
        first, asked, still, last = await converse(
            on, order, "make it losartan instead", "50 mg", "once daily", patient_id="mno-345"
        )
    assert first.approval is not None and last.approval is not None
    assert "the dose, how often it is taken" in asked.response
    assert "how often it is taken" in still.response
    assert (asked.approval, still.approval) == (None, None)
    assert last.approval.replaces == first.approval.id
    expected = {"medication_name": "losartan", "dosage": "50 mg", "frequency": "once daily"}
    assert expected.items() <= last.approval.args.items()


async def test_another_drug_with_its_amounts_needs_no_question(tmp_path: Path) -> None:
    async with clinic(tmp_path) as on:
        _, last = await converse(
            on, "Prescribe lisinopril 10 mg daily", "make it losartan 50 mg once daily", patient_id="mno-345"
        )
    assert last.approval is not None
    assert (last.approval.args["medication_name"], last.approval.args["dosage"]) == ("losartan", "50 mg")


@pytest.mark.parametrize(
    ("order", "missing"),
    [
        ("Prescribe metformin XR 500 mg once daily", "“XR”"),
        ("Prescribe nifedipine extended-release 30 mg daily", "“extended-release”"),
        ("Prescribe omeprazole 20 mg daily if the cough persists", "“if the cough persists”"),
        ("Please prescribe metformin 500 mg tablets twice daily for Mr Wilson, thanks", ""),
        ("Prescribe amoxicillin 500 mg tid for 7 days and ibuprofen 400 mg tid prn", ""),
    ],
)
async def test_nothing_that_was_said_goes_missing_unseen(order: str, missing: str, tmp_path: Path) -> None:
    async with clinic(tmp_path) as on:
        record = await on.ask(order, patient_id="mno-345")
    told = [line for line in record.response.splitlines() if line.startswith("NOT ON THE CARD")]
    if record.approval is None:
        assert "persists" in order  # a condition may also be a reason to prepare nothing
    elif missing:
        assert missing in told[0]
    else:
        assert not told


async def test_a_taper_is_asked_about_and_its_other_steps_are_not_forgotten(tmp_path: Path) -> None:
    taper = "Prescribe prednisone 40 mg daily for 3 days, 30 mg daily for 3 days, 20 mg daily for 3 days"
    async with clinic(tmp_path) as on:
        asked, card = await converse(on, taper, "40 mg", patient_id="mno-345")
    assert "40 mg, 30 mg, 20 mg" in asked.response and "each step as an order of its own" in asked.response
    [told] = [line for line in card.response.splitlines() if line.startswith("NOT ON THE CARD")]
    assert "30 mg" in told and "20 mg" in told


async def test_a_question_in_between_does_not_make_the_card_forgotten(tmp_path: Path) -> None:
    async with clinic(tmp_path) as on:
        first, between, changed_to = await converse(
            on,
            "Prescribe amlodipine 5 mg once daily for abc-123",
            "Check FDA warnings for dofetilide",
            "make it 10 mg",
        )
        assert first.approval is not None and between.outcome == "answer"
        assert changed_to.approval is not None
        assert (changed_to.approval.args["dosage"], changed_to.approval.replaces) == ("10 mg", first.approval.id)


@pytest.mark.parametrize("answer", ["abc-123", "no, for Holm", "John Smith"])
async def test_who_it_is_about_is_no_text_of_a_note(answer: str, tmp_path: Path) -> None:
    async with clinic(tmp_path) as on:
        first, still = await converse(on, "Write a progress note", answer, patient_id="abc-123")
    assert first.outcome == "ask_user"
    assert still.approval is None


async def test_an_id_said_before_somebody_else_was_named_is_not_taken(tmp_path: Path) -> None:
    async with clinic(tmp_path) as on:
        *_, last = await converse(
            on,
            "Prescribe amlodipine 5 mg once daily for abc-123",
            "Record a shellfish allergy for Quelbane",
            "Write a nursing note: Slept well.",
        )
    assert last.approval is None or last.approval.args["patient_id"] != "abc-123"
