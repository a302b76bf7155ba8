"""The scorer's own reading: what counts as said, and what as the same amount, drug or number."""

from __future__ import annotations

from docgemma.evals.phrases import amounts, drugs, identifiers, says, stated_numbers
from tests.support.tables import each_of

SAID = [
    ("It is contraindicated in pregnancy.", "contraindicat*"),
    ("QT prolongation can occur.", "prolong* QT"),
    ("Metformin is not recommended when the eGFR is below 30 mL/min.", "eGFR 30 mL/min"),
    ("Contraindicated: creatinine clearance < 20 mL/min", "creatinine clearance 20 mL/min"),
    ("There is no boxed warning.", "no boxed warning"),
    ("It isn't safe in pregnancy.", "not safe"),
    ("Take 1 g daily.", "1000 mg"),
    ("Not only a rash but also fever was seen.", "rash"),
    ("The **INR** may rise.", "INR"),
    ("She denies asthma, but smokes.", "smokes"),
    ("Interactions were not found.", "no interaction"),
]
NOT_SAID = [
    ("It is not contraindicated.", "contraindicat*"),
    ("There is no boxed warning.", "boxed warning"),
    ("There is a boxed warning.", "no boxed warning"),
    ("She denies chest pain.", "chest pain"),
    ("Torsades de pointes was not reported.", "torsades"),
    ("It isn't safe.", "safe"),
    ("That does not rule an interaction out.", "no interaction"),
    ("Take 1 g daily.", "100 mg"),
    ("Bleeding. Warfarin.", "warfarin bleeding"),
    ("", "anything"),
]


@each_of(("text", "phrase"), SAID)
def test_said_is_found_in_other_words_too(text: str, phrase: str) -> None:
    assert says(text, phrase)


@each_of(("text", "phrase"), NOT_SAID)
def test_what_is_denied_or_elsewhere_is_not_said(text: str, phrase: str) -> None:
    assert not says(text, phrase)


AMOUNTS = [
    ("500 mg", "0.5 g"),
    ("100 mcg", "100 µg"),
    ("1,000 mg per day", "1 g daily"),
    ("4.6 mmol/L", "4.6 mmol / l"),
    ("25%", "25 percent"),
    ("5-10 mg", "5 mg and 10 mg"),
    ("118 µmol/L", "118 micromol/L"),
]


@each_of(("one", "other"), AMOUNTS)
def test_one_amount_in_two_ways(one: str, other: str) -> None:
    assert amounts(one) == amounts(other) != frozenset()


def test_another_unit_is_another_amount() -> None:
    assert amounts("100 mg") != amounts("100 mcg")
    assert amounts("5 mg/kg") != amounts("5 mg")


def test_drugs_are_read_by_ingredient_and_what_is_measured_is_none() -> None:
    assert drugs("Tylenol with Warfarin; monitor potassium") == {"acetaminophen", "warfarin"}


def test_numbers_of_lists_units_and_identifiers_are_no_numbers() -> None:
    assert stated_numbers("1. INR 2.4 in 214 adults on 5 mg\n2. PMID 12345678 of 3 findings") == {"2.4", "214"}
    assert identifiers("PMID: 12345678 and NCT 01234567, 10.1000/abc.") == {
        "pmid12345678",
        "nct01234567",
        "10.1000/abc",
    }
