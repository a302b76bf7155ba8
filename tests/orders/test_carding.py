"""The card as it is read at night: every field that is written, and alike lines once."""

from __future__ import annotations

import pytest

from docgemma.orders.carding import card_text, check_lines
from docgemma.orders.model import Allergy, Check

NO_RULE = (
    ("dose", "No dose limits for latanoprost in the shipped table."),
    ("weekly", "Whether latanoprost may be taken daily is not in the shipped tables."),
    ("route", "No rule for latanoprost and its route in the shipped table."),
    ("weight", "No dose by weight for latanoprost in the shipped table."),
    ("renal", "No rule for latanoprost and kidney function in the shipped table."),
    ("age", "No rule for latanoprost and age in the shipped table."),
)


def unchecked(name: str, detail: str) -> Check:
    return Check(name=name, outcome="not_checked", detail=detail)


def test_rules_that_are_missing_for_one_drug_are_one_line() -> None:
    lines = check_lines([unchecked(*each) for each in NO_RULE])
    assert len(lines) == 1
    assert lines[0].endswith("No rule for latanoprost in the shipped tables.")
    assert all(name in lines[0] for name in ("dose", "route", "weight", "kidney function", "age"))


def test_what_says_more_than_that_a_rule_is_missing_keeps_its_own_line() -> None:
    needed = "Amoxicillin depends on the kidneys: eGFR is needed. " + NO_RULE[4][1]
    lines = check_lines([unchecked("renal", needed), unchecked(*NO_RULE[0]), unchecked(*NO_RULE[-1])])
    assert len(lines) == 2
    assert any("eGFR is needed" in line for line in lines)


def test_a_medicine_without_a_known_name_is_told_once() -> None:
    why = "the name is not, or only in part, known here."
    lines = check_lines(
        [
            unchecked("duplicate", f"Whether it is the same medicine as “Fish oil” is not checked: {why}"),
            unchecked("interaction", f"Not checked with “Fish oil”: {why}"),
        ]
    )
    assert lines == (f"NOT CHECKED the same treatment twice, interaction: Not checked with “Fish oil”: {why}",)


def test_different_drugs_and_outcomes_are_not_put_together() -> None:
    other = NO_RULE[-1][1].replace("latanoprost", "timolol")
    stop = Check(name="age", outcome="hard_stop", detail=NO_RULE[-1][1])
    assert len(check_lines([unchecked(*NO_RULE[0]), unchecked("age", other), stop])) == 3


def test_what_passed_for_one_ingredient_alone_is_not_called_passed() -> None:
    passed = [Check(name=name, outcome="passed", detail="Within the limit.") for name in ("age", "pregnancy")]
    assert check_lines([*passed, unchecked(*NO_RULE[-1])])[-1] == "Passed: pregnancy."


@pytest.mark.parametrize("risk", ["high", "low"])
def test_the_risk_that_is_written_stands_on_the_card(risk: str) -> None:
    draft = Allergy.model_validate(
        {"patient_id": "p", "substance": "peanut", "reaction": "anaphylaxis", "criticality": risk}
    )
    assert f"Risk of a severe reaction: {risk}" in card_text(draft, "Ann Lee")
