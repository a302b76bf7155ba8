"""Rules that depend on who the patient is: kidneys, age, pregnancy, weight, and what is taken already."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.drugs.rules.age import check_age
from docgemma.drugs.rules.dose import check_route
from docgemma.drugs.rules.duplicates import check_duplicate
from docgemma.drugs.rules.outcome import Finding, gravest
from docgemma.drugs.rules.pregnancy import check_pregnancy
from docgemma.drugs.rules.renal import check_renal
from docgemma.drugs.rules.weekly import check_weekly
from docgemma.drugs.rules.weight import check_weight
from docgemma.entities.amounts.doses import parse_dose
from docgemma.entities.amounts.frequencies import parse_frequency


@pytest.mark.parametrize(
    ("ingredient", "egfr", "crcl", "outcome"),
    [
        ("metformin", 22.0, None, "hard_stop"),
        ("metformin", 30.0, None, "warning"),
        ("metformin", 44.9, None, "warning"),
        ("metformin", 45.0, None, "passed"),
        ("metformin", None, None, "not_checked"),
        ("metformin", None, 25.0, "hard_stop"),
        ("metformin", 60.0, 25.0, "passed"),
        ("metformin", float("nan"), None, "not_checked"),
        ("metformin", -3.0, None, "not_checked"),
        ("metformin", 3000.0, None, "not_checked"),
        ("dabigatran", None, 20.0, "warning"),
        ("ibuprofen", 25.0, None, "hard_stop"),
        ("atorvastatin", None, None, "passed"),
        ("atorvastatin", 10.0, None, "passed"),
        ("ursodiol", 90.0, None, "not_checked"),
    ],
)
def test_kidney_function(ingredient: str, egfr: float | None, crcl: float | None, outcome: str) -> None:
    assert check_renal(ingredient, egfr, crcl).outcome == outcome


def test_another_measure_than_the_rule_names_is_said() -> None:
    assert "the rule goes by eGFR" in check_renal("metformin", None, 25.0).text


def test_a_class_is_named_where_the_rule_is_about_one() -> None:
    assert "an NSAID" in check_renal("ibuprofen", 25.0, None).text


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_no_number_makes_the_kidney_rule_fail(value: float) -> None:
    assert check_renal("metformin", value, None).outcome in ("hard_stop", "warning", "passed", "not_checked")


@given(st.floats(min_value=0, max_value=300), st.floats(min_value=0, max_value=300))
def test_worse_kidneys_are_never_judged_better(one: float, other: float) -> None:
    rank = ("hard_stop", "warning", "passed")
    low, high = sorted((one, other))
    worse, better = check_renal("metformin", low, None).outcome, check_renal("metformin", high, None).outcome
    assert rank.index(worse) <= rank.index(better)


@pytest.mark.parametrize(
    ("ingredient", "age", "outcomes"),
    [
        ("codeine", 8.0, {"hard_stop"}),
        ("codeine", 14.0, {"warning"}),
        ("codeine", 40.0, {"passed"}),
        ("diazepam", 80.0, {"warning"}),
        ("diazepam", 30.0, {"passed"}),
        ("loperamide", 1.5, {"hard_stop"}),
        ("amoxicillin", 3.0, {"passed"}),
        ("codeine", None, {"not_checked"}),
        ("codeine", float("inf"), {"not_checked"}),
        ("codeine", -1.0, {"not_checked"}),
        ("ursodiol", 40.0, {"not_checked"}),
    ],
)
def test_age(ingredient: str, age: float | None, outcomes: set[str]) -> None:
    assert {finding.outcome for finding in check_age(ingredient, age)} == outcomes


def test_a_finding_ends_as_a_sentence() -> None:
    findings = [*check_age("atenolol", 30.0), *check_age("zolpidem", 80.0), check_pregnancy("amoxicillin", True)]
    findings += [check_renal("metformin", 20.0, None), check_weekly("dulaglutide", parse_frequency("daily"))]
    assert all(finding.text.endswith(".") and finding.text[0].isupper() for finding in findings)


def test_an_age_under_two_is_told_in_months() -> None:
    (found,) = check_age("nitrofurantoin", 0.02)
    assert "1 month" in found.text


@pytest.mark.parametrize(
    ("ingredient", "pregnant", "sex", "age", "outcome"),
    [
        ("warfarin", True, "female", 30.0, "hard_stop"),
        ("lisinopril", True, "female", 30.0, "hard_stop"),
        ("labetalol", True, "female", 30.0, "passed"),
        ("atenolol", True, "female", 30.0, "warning"),
        ("warfarin", None, "female", 30.0, "not_checked"),
        ("warfarin", None, "", None, "not_checked"),
        ("warfarin", None, "unknown", 30.0, "not_checked"),
        ("warfarin", None, "male", 30.0, "passed"),
        ("warfarin", True, "male", 30.0, "hard_stop"),
        ("warfarin", None, "female", 70.0, "passed"),
        ("warfarin", True, "female", 58.0, "hard_stop"),
        ("warfarin", False, "female", 30.0, "passed"),
        ("ursodiol", True, "female", 30.0, "not_checked"),
        ("ursodiol", None, "female", 30.0, "not_checked"),
        ("amoxicillin", None, "female", 30.0, "passed"),
    ],
)
def test_pregnancy(ingredient: str, pregnant: bool | None, sex: str, age: float | None, outcome: str) -> None:
    assert check_pregnancy(ingredient, pregnant, sex, age).outcome == outcome


def weighed(ingredient: str, amount: str, often: str, age: float | None, weight: float | None) -> str:
    return check_weight(ingredient, parse_dose(amount), parse_frequency(often), age=age, weight=weight).outcome


@pytest.mark.parametrize(
    ("ingredient", "amount", "often", "age", "weight", "outcome"),
    [
        ("acetaminophen", "250 mg", "every 6 hours", 6.0, 20.0, "passed"),
        ("acetaminophen", "500 mg", "every 6 hours", 6.0, 20.0, "hard_stop"),
        ("acetaminophen", "15 mg/kg", "every 6 hours", 6.0, 20.0, "passed"),
        ("acetaminophen", "15 mg/kg", "every 4 hours", 6.0, 20.0, "hard_stop"),
        ("acetaminophen", "15 mg/kg", "every 6 hours", 6.0, None, "not_checked"),
        ("acetaminophen", "250 mg", "every 6 hours", 6.0, None, "not_checked"),
        ("acetaminophen", "250 mg", "every 6 hours", 6.0, 0.0, "not_checked"),
        ("acetaminophen", "250 mg", "every 6 hours", 6.0, float("nan"), "not_checked"),
        ("acetaminophen", "25 mg", "every 6 hours", 6.0, 20.0, "warning"),
        ("acetaminophen", "250 mg", "as needed", 6.0, 20.0, "not_checked"),
        ("acetaminophen", "5 mL", "every 6 hours", 6.0, 20.0, "not_checked"),
        ("acetaminophen", "1 g", "every 6 hours", 40.0, None, "passed"),
        ("gentamicin", "5 mg/kg", "daily", 40.0, None, "not_checked"),
        ("gentamicin", "350 mg", "daily", 40.0, 70.0, "passed"),
        ("ursodiol", "250 mg", "daily", 6.0, 20.0, "not_checked"),
        ("ursodiol", "250 mg", "daily", 40.0, 70.0, "not_checked"),
        ("acetaminophen", "250 mg", "every 6 hours", None, None, "not_checked"),
    ],
)
def test_weight(
    ingredient: str, amount: str, often: str, age: float | None, weight: float | None, outcome: str
) -> None:
    assert weighed(ingredient, amount, often, age, weight) == outcome


@pytest.mark.parametrize(
    ("ingredient", "often", "route", "amount", "outcome"),
    [
        ("methotrexate", "daily", "", "10 mg", "hard_stop"),
        ("methotrexate", "twice weekly", "", "10 mg", "hard_stop"),
        ("methotrexate", "on Monday and Thursday", "", "10 mg", "hard_stop"),
        ("methotrexate", "every other day", "", "10 mg", "hard_stop"),
        ("methotrexate", "weekly", "", "10 mg", "passed"),
        ("methotrexate", "every 7 days", "", "10 mg", "passed"),
        ("methotrexate", "on Mondays", "", "10 mg", "passed"),
        ("methotrexate", "at bedtime", "", "10 mg", "hard_stop"),
        ("methotrexate", "as needed", "", "10 mg", "not_checked"),
        ("alendronate", "daily", "", "70 mg", "hard_stop"),
        ("alendronate", "daily", "", "10 mg", "passed"),
        ("risedronate", "weekly", "", "35 mg", "passed"),
        ("risedronate", "weekly", "", "150 mg", "hard_stop"),
        ("semaglutide", "daily", "subcutaneous", "0.5 mg", "hard_stop"),
        ("semaglutide", "daily", "by mouth", "7 mg", "passed"),
        ("semaglutide", "daily", "", "7 mg", "warning"),
        ("fentanyl", "daily", "", "25 mcg/h", "hard_stop"),
        ("fentanyl", "every 72 hours", "transdermal", "25 mcg/h", "passed"),
        ("dulaglutide", "stat", "", "1.5 mg", "passed"),
        ("metformin", "daily", "", "500 mg", "passed"),
        ("ursodiol", "daily", "", "300 mg", "not_checked"),
    ],
)
def test_intervals_of_more_than_a_day(ingredient: str, often: str, route: str, amount: str, outcome: str) -> None:
    frequency = parse_frequency(often)
    assert frequency is not None
    assert check_weekly(ingredient, frequency, route=route, dose=parse_dose(amount)).outcome == outcome


def test_a_weekly_drug_without_a_frequency_is_not_checked() -> None:
    assert check_weekly("methotrexate", None).outcome == "not_checked"


@pytest.mark.parametrize(
    ("ingredient", "route", "outcome"),
    [
        ("vincristine", "intrathecal", "hard_stop"),
        ("vincristine", "intravenous", "passed"),
        ("potassium chloride", "intravenous push", "hard_stop"),
        ("potassium chloride", "intravenous infusion", "passed"),
        ("vincristine", "", "not_checked"),
        ("ursodiol", "by mouth", "not_checked"),
    ],
)
def test_routes_that_are_never_right(ingredient: str, route: str, outcome: str) -> None:
    assert check_route(ingredient, route).outcome == outcome


@pytest.mark.parametrize(
    ("ordered", "taken", "outcomes"),
    [
        (("atorvastatin",), [("Lipitor", ("atorvastatin",))], {"hard_stop"}),
        (("acetaminophen",), [("Percocet", ("oxycodone", "acetaminophen"))], {"hard_stop"}),
        (("atorvastatin",), [("simvastatin", ("simvastatin",))], {"warning"}),
        (("ibuprofen",), [("naproxen", ("naproxen",))], {"warning"}),
        (("apixaban",), [("warfarin", ("warfarin",))], {"warning"}),
        (("insulin lispro",), [("Lantus", ("insulin glargine",))], {"passed"}),
        (("aspirin",), [("clopidogrel", ("clopidogrel",))], {"passed"}),
        (("atorvastatin",), [("mystery drops", ())], {"not_checked"}),
        (("atorvastatin",), [("metformin", ("metformin",))], {"passed"}),
        (("atorvastatin",), [], {"passed"}),
        ((), [("metformin", ("metformin",))], {"not_checked"}),
    ],
)
def test_the_same_treatment_twice(
    ordered: tuple[str, ...], taken: list[tuple[str, tuple[str, ...]]], outcomes: set[str]
) -> None:
    assert {finding.outcome for finding in check_duplicate(ordered, taken)} == outcomes


def test_an_unknown_current_medicine_does_not_hide_a_duplicate() -> None:
    found = check_duplicate(("atorvastatin",), [("mystery", ()), ("Lipitor", ("atorvastatin",))])
    assert {finding.outcome for finding in found} == {"not_checked", "hard_stop"}


def test_the_gravest_comes_first() -> None:
    findings = [Finding("dose", outcome, "") for outcome in ("passed", "warning", "hard_stop", "not_checked")]
    assert [each.outcome for each in gravest(findings)] == ["hard_stop", "not_checked", "warning", "passed"]
