"""The card as it is read at night: every field that is written, and alike lines once."""

from __future__ import annotations

import pytest

from docgemma.orders.carding import card_text, check_lines
from docgemma.orders.model import Allergy, Check
from tests.orders.checks.given import checked, facts, order
from tests.support import chart_records as chart

NO_RULE = "No rule for latanoprost in the shipped tables."


def unchecked(name: str, detail: str, gap: str = "") -> Check:
    return Check(name=name, outcome="not_checked", detail=detail, gap=gap)


async def test_rules_that_are_missing_for_one_drug_are_one_line() -> None:
    lines = check_lines(await checked(order("latanoprost", "1 drop", route="both eyes"), facts()))
    (line,) = [line for line in lines if "No rule for" in line]
    assert NO_RULE in line
    assert all(name in line for name in ("dose", "route", "kidney function", "age"))


def test_what_says_more_than_that_a_rule_is_missing_keeps_its_own_line() -> None:
    needed = "Amoxicillin depends on the kidneys: eGFR is needed."
    missing = [unchecked(name, "No rule.", NO_RULE) for name in ("dose", "age")]
    lines = check_lines([unchecked("renal", needed), *missing])
    assert len(lines) == 2
    assert any("eGFR is needed" in line for line in lines)


async def test_a_medicine_without_a_known_name_is_told_once() -> None:
    lines = check_lines(await checked(order("amoxicillin", "500 mg"), facts(chart.order("Quelbane capsule"))))
    (line,) = [line for line in lines if "Quelbane" in line]
    assert line.startswith("NOT CHECKED the same treatment twice, interaction: Not checked with “Quelbane capsule”")


def test_different_drugs_and_outcomes_are_not_put_together() -> None:
    other = NO_RULE.replace("latanoprost", "timolol")
    stop = Check(name="age", outcome="hard_stop", detail=NO_RULE)
    assert len(check_lines([unchecked("dose", NO_RULE, NO_RULE), unchecked("age", other, other), stop])) == 3


def test_what_passed_for_one_ingredient_alone_is_not_called_passed() -> None:
    passed = [Check(name=name, outcome="passed", detail="Within the limit.") for name in ("age", "pregnancy")]
    assert check_lines([*passed, unchecked("age", NO_RULE, NO_RULE)])[-1] == "Passed: pregnancy."


@pytest.mark.parametrize("risk", ["high", "low"])
def test_the_risk_that_is_written_stands_on_the_card(risk: str) -> None:
    draft = Allergy.model_validate(
        {"patient_id": "p", "substance": "peanut", "reaction": "anaphylaxis", "criticality": risk}
    )
    assert f"Risk of a severe reaction: {risk}" in card_text(draft, "Ann Lee")
