"""Dialogues that are easily misread: for whom an entry is, and what it says."""

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
    "another initial": Hard(("Start atorvastatin 20 mg at bedtime for T. Voss",), on_screen="lvo-501"),
    "another title": Hard(("Start atorvastatin 20 mg at bedtime for Mr Voss",), on_screen="lvo-501"),
    "other accents": Hard(("Start atorvastatin 20 mg at bedtime for Nguyễn Thị Mai",), on_screen="vwx-234"),
    "small letters": Hard(("Start atorvastatin 20 mg at bedtime for nils holm",), on_screen="abc-123"),
    "start somebody, by the family name": Hard(("Start Voss on apixaban 5 mg twice daily",), on_screen="jth-302"),
    "somebody else in answer to the reaction": Hard(("Record a latex allergy for tvo-502", "no, for R. King")),
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
    "somebody else in answer to the dose": Hard(
        ("Order omeprazole at bedtime for abc-123", "no, for P. Raghunathan", "20 mg"),
        {"patient_id": "fgh-987"},
    ),
    "another frequency in place of the one on the card": Hard(
        ("Start amlodipine 5 mg every 8 hours", "the frequency should be every morning"),
        {"frequency": "every morning"},
        "ber-101",
    ),
    "actually": Hard((LATEX, "actually hives"), {"reaction": "hives"}, "ber-101"),
    "a look at a chart while an entry is open": Hard(
        ("Add a peanuts allergy for MRN 7000123, reaction rash", "labs for tvo-502"),
        {"patient_id": "tvo-502", "substance": "peanut"},
        "tvo-502",
    ),
    "a look at a chart while a text is open": Hard(
        ("Add a discharge summary", "Check the chart of def-456"), on_screen="def-456"
    ),
}


@pytest.mark.parametrize("name", HARD)
async def test_what_is_easily_misread(name: str, charts: Path, tmp_path: Path) -> None:
    hard = HARD[name]
    put_namesakes(tmp_path)
    async with clinic(tmp_path) as on:
        *_, record = await converse(on, *hard.said, patient_id=hard.on_screen)
    if record.approval is not None:
        assert hard.card is not None, f"a card that nobody asked for: {record.approval.args}"
        assert hard.card.items() <= record.approval.args.items()
