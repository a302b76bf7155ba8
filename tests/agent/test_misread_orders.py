"""Dialogues that are easily misread: for whom an entry is, and what it says. Those in `STILL` are, to this day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.charts import clinic
from tests.support.hospital import converse
from tests.support.namesakes import put_namesakes


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made before any loop runs; every store begins with a copy."""
    return put_namesakes(tmp_path_factory.mktemp("first"))


@dataclass(frozen=True)
class Hard:
    """A dialogue that is easily misread: `card` is what a card at its end may say at most; None: there may be none."""

    said: tuple[str, ...]
    card: Mapping[str, str] | None = None
    on_screen: str | None = None


LATEX = "Add an allergy to latex, reaction rash"
SWITCHING = "Please start Nils Holm on omeprazole 40 mg at bedtime"
HARD = {
    "an id in the text of a note": Hard(("Add a consult note: Sister of patient rki-201. Same address.",)),
    "an id in the text of a note for a name in small letters": Hard(
        ("Add a discharge summary for kwame mensah: Sister of patient rki-201. Same address.",)
    ),
    "an id in the text that was asked for": Hard(
        ("Add a nursing note for abc-123", "Sister of patient rki-201. Same address."), {"patient_id": "abc-123"}
    ),
    "an id in the text of an earlier note": Hard(
        (
            "Document a consult note: Sister of patient rki-201. Same address.",
            "Record an aspirin allergy, reaction rash",
        )
    ),
    "an id in the text that was asked for with the patient": Hard(
        ("Write a nursing note", "Sister of patient rki-201. Same address.")
    ),
    "an id in the text of a note before": Hard(
        (
            "Write a nursing note for Priya Raghunathan: Sister of patient rki-201. Same address.",
            "Record an aspirin allergy, reaction rash",
        )
    ),
    "an id in the text of a note for an initial": Hard(
        (
            "Document a consult note for T. James: Sister of patient rki-201. Same address.",
            "Seen today with her sister.",
        )
    ),
    "an id in the text that was asked for before": Hard(
        (
            "Add a nursing note for patient abc-123",
            "Sister of patient rki-201. Same address.",
            "Add shellfish to the allergies, reaction rash",
        ),
        {"patient_id": "abc-123"},
    ),
    "an id in the text, where patient and text were asked for": Hard(
        ("Add a clinical note", "Sister of patient rki-201. Same address.", "Sister of patient rki-201. Same address.")
    ),
    "another initial": Hard(("Start atorvastatin 20 mg at bedtime for T. Voss",), on_screen="lvo-501"),
    "another title": Hard(("Start atorvastatin 20 mg at bedtime for Mr Voss",), on_screen="lvo-501"),
    "other accents": Hard(("Start atorvastatin 20 mg at bedtime for Nguyễn Thị Mai",), on_screen="vwx-234"),
    "small letters after an id": Hard(
        ("Show the chart of cde-321", "Add an allergy for nils holm: shellfish, reaction hives")
    ),
    "small letters": Hard(("Start atorvastatin 20 mg at bedtime for nils holm",), on_screen="abc-123"),
    "start somebody, by the family name": Hard(("Start Voss on apixaban 5 mg twice daily",), on_screen="jth-302"),
    "start somebody, by the first name, after an id": Hard(
        ("labs for tja-301", "Please start Nils on metformin 500 mg at bedtime")
    ),
    "somebody else in answer to the reaction": Hard(("Record a latex allergy for tvo-502", "no, for R. King")),
    "another note in answer to the text": Hard(
        ("Save a progress note", "Document a progress note for J. Wilson"), on_screen="rki-202"
    ),
    "another note, for somebody else, in answer to the text": Hard(
        ("Save a clinical note for ber-102", "Save a nursing note for Tariq Voss: seen today."), on_screen="ber-102"
    ),
    "an allergy to note while a note waits": Hard(
        (
            "Save a progress note for mil-601: seen today.",
            "Please note an allergy to ibuprofen for nop-864, reaction rash, severity mild",
        ),
        {"patient_id": "nop-864", "substance": "ibuprofen"},
    ),
    "an allergy to note while an order waits": Hard(
        (
            "Order sertraline 50 mg once daily",
            "Please note an allergy to sulfa for TJA-301, reaction rash, severity mild",
            "the one born on 1966-06-06",
        ),
        {"patient_id": "tja-301", "substance": "sulfa"},
        "mil-602",
    ),
    "somebody else in answer to the dose": Hard(
        ("Order omeprazole at bedtime for abc-123", "no, for P. Raghunathan", "20 mg"),
        {"patient_id": "fgh-987"},
    ),
    "an earlier id, after a family name that was not known": Hard(
        (
            "Start metformin 850 mg every morning for tja-301",
            "Record a shellfish allergy for Raghunathan",
            "rash",
            "Document a nursing note: seen today.",
        )
    ),
    "another frequency in place of the one on the card": Hard(
        ("Start amlodipine 5 mg every 8 hours", "the frequency should be every morning"),
        {"frequency": "every morning"},
        "ber-101",
    ),
    "another note while a note waits": Hard(
        ("Save a nursing note: seen today.", "Add a clinical note"), on_screen="ber-101"
    ),
    "family name first, without a reaction": Hard(
        ("Find patient Nils", "1949-10-01", "Add a severe shellfish allergy for Holm, Nils")
    ),
    "family name first before a colon": Hard(
        ("Add an allergy for Mensah, Kwame: penicillin, reaction rash", "yes"), {"substance": "penicillin"}
    ),
    "sorry, I meant": Hard((LATEX, "sorry, I meant hives"), {"reaction": "hives"}, "ber-101"),
    "actually": Hard((LATEX, "actually hives"), {"reaction": "hives"}, "ber-101"),
    "it should be": Hard(
        ("Save a clinical note: seen today.", "it should be nursing note"), {"note_type": "nursing note"}, "ber-101"
    ),
    "the type should be": Hard(
        ("Save a progress note: seen today.", "the type should be nursing note"),
        {"note_type": "nursing note"},
        "ber-101",
    ),
    "another substance in answer": Hard(
        ("Add an allergy to latex", "I meant penicillin, hives"), {"substance": "penicillin"}, "ber-101"
    ),
    "a quotation in a note for an initial": Hard(
        ("Please save this clinical note for G. Holm: Wants to be called “Bob”. Prescribe nothing new.", "1", "yes"),
        {"note_text": "Wants to be called “Bob”. Prescribe nothing new."},
    ),
    "a quotation in a note for the initial of the patient on screen": Hard(
        ("Document a clinical note for B. Miller: Wants to be called “Bob”. Prescribe nothing new.",),
        {"note_text": "Wants to be called “Bob”. Prescribe nothing new."},
        "mil-602",
    ),
    "a quotation in a note for an initial and a name with an apostrophe": Hard(
        ("Write a nursing note for S. O'Hara-Lloyd: Wants to be called “Bob”. Prescribe nothing new.", "1976-09-09"),
        {"note_text": "Wants to be called “Bob”. Prescribe nothing new."},
    ),
    "a look at notes while a text is open": Hard(("Write a nursing note", "last notes of Robert"), on_screen="mil-601"),
    "a look at a chart while an entry is open": Hard(
        ("Add a peanuts allergy for MRN 7000123, reaction rash", "labs for tvo-502"), on_screen="tvo-502"
    ),
    "a look at a chart while a text is open": Hard(
        ("Add a discharge summary", "Check the chart of def-456"), on_screen="def-456"
    ),
    "a new order after a misspelt name and a colon": Hard(
        (SWITCHING, "Nils Hol: start amoxicillin 500mg", "yes please"), {"medication_name": "amoxicillin"}, "gho-402"
    ),
}


STILL = {
    "an id in the text, where patient and text were asked for",
    "a quotation in a note for the initial of the patient on screen",
    "a quotation in a note for an initial and a name with an apostrophe",
    "a look at notes while a text is open",
    "small letters after an id",
    "small letters",
    "family name first, without a reaction",
    "family name first before a colon",
    "another substance in answer",
    "a new order after a misspelt name and a colon",
}


@pytest.mark.parametrize("name", HARD)
async def test_what_is_easily_misread(name: str, charts: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if name in STILL:
        request.applymarker(pytest.mark.xfail(strict=True, raises=AssertionError, reason="misread"))
    hard = HARD[name]
    put_namesakes(tmp_path)
    async with clinic(tmp_path) as on:
        *_, record = await converse(on, *hard.said, patient_id=hard.on_screen)
    if record.approval is not None:
        assert hard.card is not None, f"a card that nobody asked for: {record.approval.args}"
        assert hard.card.items() <= record.approval.args.items()
