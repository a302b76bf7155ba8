"""A misspelt drug is noticed wherever it stands; ordinary clinical words are not taken for one."""

from __future__ import annotations

import pytest

from docgemma.agent.requests.patterns import needs
from docgemma.entities import extract


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("is ciproflaxin safe in pregnancy", "ciproflaxin"),
        ("whats the rash risk with lamotragene", "lamotragene"),
        ("how bad is amiodarome for the thyroid", "amiodarome"),
        ("hydroclorothiazide and gout, any concern", "hydroclorothiazide"),
    ],
)
def test_the_question_is_still_understood(message: str, written: str) -> None:
    found = extract(message)
    assert [drug.value for drug in found.unlisted_drugs] == [written]
    wanted = needs(message, found, has_image=False, patient_known=False)
    assert [need.tool for need in wanted] == ["check_drug_safety"]


@pytest.mark.parametrize(
    "message",
    [
        "is epistaxis dangerous in a toddler",
        "what causes peptic ulcers",
        "when does the anterior fontanelle close",
        "what does cytology show in mycoplasma",
        "how do you examine the perineum",
        "what is erythropoiesis",
    ],
)
def test_a_clinical_word_is_no_misspelt_drug(message: str) -> None:
    found = extract(message)
    assert found.unlisted_drugs == ()
    assert needs(message, found, has_image=False, patient_known=False) == ()
