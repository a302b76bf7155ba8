"""Recorded allergies against an order: nothing recorded that concerns it is passed over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.drugs.rules.allergens import read_allergen
from docgemma.drugs.rules.allergy import check_allergy


def outcomes(ordered: str, *recorded: str, stated_none: bool = False) -> set[str]:
    return {finding.outcome for finding in check_allergy((ordered,), recorded, stated_none=stated_none)}


@pytest.mark.parametrize(
    ("ordered", "recorded"),
    [
        ("amoxicillin", "Amoxicillin"),
        ("amoxicillin", "Augmentin"),
        ("amoxicillin", "penicillin"),
        ("amoxicillin", "PCN - rash"),
        ("amoxicillin", "allergy to penicillins (anaphylaxis)"),
        ("flucloxacillin", "amoxicillin"),
        ("sulfamethoxazole", "sulfa"),
        ("sulfamethoxazole", "sulpha drugs"),
        ("sulfasalazine", "Sulfonamides"),
        ("ibuprofen", "NSAIDs"),
        ("ibuprofen", "non-steroidal anti-inflammatory drugs"),
        ("naproxen", "aspirin"),
        ("aspirin", "Advil"),
        ("atorvastatin", "statins"),
        ("lisinopril", "ramipril, cough"),
        ("sacubitril", "lisinopril - angioedema"),
        ("phenytoin", "Tegretol"),
        ("bupivacaine", "lidocaine"),
        ("tetracaine", "benzocaine"),
        ("iohexol", "contrast dye"),
        ("levofloxacin", "cipro"),
        ("cetirizine", "hydroxyzine"),
        ("insulin glargine", "insulin"),
        ("mercaptopurine", "azathioprine"),
        ("morphine", "opiates"),
        ("enoxaparin", "heparin"),
        ("cephalexin", "cefuroxime"),
    ],
)
def test_the_same_or_its_like_stops(ordered: str, recorded: str) -> None:
    assert "hard_stop" in outcomes(ordered, recorded)


@pytest.mark.parametrize(
    ("ordered", "recorded"),
    [
        ("cefuroxime", "penicillin"),
        ("meropenem", "amoxicillin"),
        ("cephalexin", "amoxicillin"),
        ("furosemide", "sulfa"),
        ("losartan", "enalapril"),
        ("lamotrigine", "carbamazepine"),
        ("rosuvastatin", "simvastatin"),
        ("propofol", "egg"),
        ("codeine", "morphine"),
    ],
)
def test_what_may_cross_over_is_a_warning(ordered: str, recorded: str) -> None:
    assert outcomes(ordered, recorded) == {"warning"}


@pytest.mark.parametrize(
    ("ordered", "recorded"),
    [
        ("metformin", "penicillin"),
        ("azithromycin", "penicillin V 500 mg tablets"),
        ("amoxicillin", "sulfa"),
        ("lidocaine", "procaine"),
        ("ibuprofen", "latex"),
        ("ibuprofen", "Allergy to tree pollen (disorder)"),
        ("amlodipine", "peanuts and shellfish"),
    ],
)
def test_what_does_not_concern_the_order_passes(ordered: str, recorded: str) -> None:
    assert outcomes(ordered, recorded) == {"passed"}


@pytest.mark.parametrize(
    "recorded",
    [
        "amoxicilin",
        "unknown antibiotic",
        "drug allergy",
        "yellow tablet",
        "not allergic to penicillin",
        "No known food allergies",
        "mother allergic to penicillin",
        "",
        "x" * 5000,
    ],
)
def test_an_entry_nobody_can_read_is_never_passed(recorded: str) -> None:
    assert outcomes("metformin", recorded) == {"not_checked"}


def test_what_is_left_over_beside_a_known_name_is_told() -> None:
    assert outcomes("metformin", "penicillin xyzmycin") == {"not_checked"}
    found = check_allergy(("amoxicillin",), ("penicillin xyzmycin",))
    assert [finding.outcome for finding in found] == ["hard_stop", "not_checked"]
    assert "xyzmycin" in found[1].text


@pytest.mark.parametrize(
    "words", ["NKDA", "nka", "No known allergies", "no known drug allergies.", "None", "nil known"]
)
def test_a_record_that_says_none_passes(words: str) -> None:
    assert outcomes("amoxicillin", words) == {"passed"}


def test_an_empty_list_says_nothing() -> None:
    assert outcomes("amoxicillin") == {"not_checked"}
    assert outcomes("amoxicillin", stated_none=True) == {"passed"}


def test_none_and_an_allergy_is_a_contradiction() -> None:
    assert outcomes("amoxicillin", "NKDA", "penicillin") == {"hard_stop", "not_checked"}
    assert outcomes("metformin", "penicillin", stated_none=True) == {"not_checked"}


def test_every_ingredient_of_a_product_is_looked_at() -> None:
    found = check_allergy(("sulfamethoxazole", "trimethoprim"), ("sulfa",))
    assert [finding.outcome for finding in found] == ["hard_stop"]


def test_a_drug_outside_the_classes_is_not_passed_by_its_name_alone() -> None:
    assert outcomes("plerixafor", "penicillin") == {"not_checked"}
    assert outcomes("plerixafor", "plerixafor") == {"hard_stop", "not_checked"}


def test_without_ingredients_nothing_is_checked() -> None:
    assert [finding.outcome for finding in check_allergy((), ("penicillin",))] == ["not_checked"]


def test_a_stop_names_the_record_and_its_basis() -> None:
    (found,) = check_allergy(("cefuroxime",), ("Penicillin (rash)",))
    assert "Penicillin (rash)" in found.text and "not reviewed by a clinician" in found.basis


@given(st.text(max_size=80))
def test_reading_never_raises_and_is_read_or_told(text: str) -> None:
    entry = read_allergen(text)
    assert entry.none or entry.is_known or entry.unread


@given(st.lists(st.sampled_from(["penicillin", "latex", "NKDA", "sulfa", "zzz"]), max_size=4))
def test_more_entries_never_hide_a_stop(recorded: list[str]) -> None:
    assert "hard_stop" in outcomes("amoxicillin", *recorded, "penicillin")


def test_a_whole_family_on_the_record_stops_its_members_and_nothing_else() -> None:
    assert "hard_stop" in outcomes("amoxicillin", "antibiotics")
    assert outcomes("amlodipine", "antibiotics") == {"passed"}
