"""Amounts that cannot be meant: ten times too much, the wrong unit, too often."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from docgemma.drugs.rules.dose import check_dose, check_route
from docgemma.drugs.rules.outcome import Finding
from docgemma.drugs.rules.rates import on_one_day, per_day
from docgemma.drugs.rules.renal import check_renal
from docgemma.drugs.rules.weekly import check_weekly
from docgemma.entities.amounts.doses import find_doses, parse_dose
from docgemma.entities.amounts.frequencies import combine, find_frequencies, parse_frequency
from docgemma.entities.amounts.routes import find_routes
from docgemma.entities.drugs.names import drugs_in, ingredients

TRAPS = Path(__file__).resolve().parents[3] / "shared" / "data" / "attacks" / "own" / "dose_traps.jsonl"
ADULT = 45.0


def judged(name: str, amount: str, often: str = "", route: str = "", age: float | None = ADULT) -> tuple[Finding, ...]:
    dose = parse_dose(amount)
    assert dose is not None
    return check_dose(ingredients(name), dose, parse_frequency(often) if often else None, route=route, age=age)


def outcomes(*order: str, age: float | None = ADULT) -> set[str]:
    name, amount, often, route, *_ = (*order, "", "")
    return {finding.outcome for finding in judged(name, amount, often, route, age)}


@pytest.mark.parametrize(
    "order",
    [
        ("metformin", "500 mg", "twice daily"),
        ("metformin", "1 g", "twice daily"),
        ("digoxin", "0.25 mg", "daily"),
        ("digoxin", "250 mcg", "daily"),
        ("levothyroxine", "100 mcg", "daily"),
        ("levothyroxine", "0.1 mg", "daily"),
        ("amoxicillin", "1,000 mg", "three times daily"),
        ("acetaminophen", "1 g", "every 6 hours"),
        ("acetaminophen", "two tablets of 500 mg", "every 6 hours as needed"),
        ("warfarin", "5 mg", "daily", "by mouth"),
        ("insulin glargine", "20 units", "at bedtime"),
        ("insulin glargine", "20 units", "at bedtime", "subcutaneous"),
        ("ceftriaxone", "2 g", "daily", "intravenous infusion"),
        ("methotrexate", "10 mg", "weekly"),
        ("alendronate", "70 mg", "weekly"),
        ("fentanyl", "25 mcg/h", "every 72 hours"),
        ("vancomycin", "1 g", "twice daily", "intravenous"),
    ],
)
def test_a_usual_dose_passes(order: tuple[str, ...]) -> None:
    assert outcomes(*order) == {"passed"}


@pytest.mark.parametrize(
    "order",
    [
        ("warfarin", "50 mg", "daily"),
        ("digoxin", "2.5 mg", "daily"),
        ("digoxin", "0.25 g", "daily"),
        ("levothyroxine", "100 mg", "daily"),
        ("acetaminophen", "1 g", "every 4 hours"),
        ("acetaminophen", "1 g", "every 4-6 hours as needed"),
        ("colchicine", "0.6 mg", "every 1 hour"),
        ("lithium", "3000 mg", "daily"),
        ("fentanyl", "100 mg", "every 72 hours", "transdermal"),
        ("fentanyl", "100 mg"),
        ("amlodipine", "10 mg", "twice daily"),
        ("metformin", "500-5000 mg", "daily"),
        ("metformin", "10 tablets of 500 mg", "daily"),
        ("vincristine", "20 mg", "weekly", "intravenous"),
        ("warfarin", "0 mg", "daily"),
        ("vancomycin", "1 g", "twice daily", "by mouth"),
        ("vancomycin", "20 g", "daily"),
    ],
)
def test_more_than_the_highest_stops(order: tuple[str, ...]) -> None:
    assert "hard_stop" in outcomes(*order)


@pytest.mark.parametrize(
    "order", [("insulin glargine", "100 units", "at bedtime"), ("digoxin", "0.25 mcg", "daily"), ("morphine", "100 mg")]
)
def test_an_odd_dose_is_confirmed(order: tuple[str, ...]) -> None:
    assert "warning" in outcomes(*order)


@pytest.mark.parametrize(
    "order",
    [
        ("metformin", "2 tablets", "daily"),
        ("metformin", "500 units", "daily"),
        ("insulin glargine", "10 mg", "daily"),
        ("warfarin", "5 mg", "daily", "intravenous"),
        ("gentamicin", "5 mg/kg", "daily", "intravenous"),
        ("acetaminophen", "500 mg", "as needed"),
        ("acetaminophen", "500 mg"),
        ("ursodiol", "300 mg", "daily"),
        ("Augmentin", "875/125 mg", "twice daily"),
        ("vancomycin", "1 g", "twice daily"),
        ("heparin", "5000 units"),
    ],
)
def test_what_cannot_be_compared_is_not_passed(order: tuple[str, ...]) -> None:
    assert outcomes(*order) == {"not_checked"}


def test_ten_times_too_much_asks_for_the_decimal_point() -> None:
    (found,) = judged("digoxin", "2.5 mg", "daily")
    assert "decimal point" in found.text and "0.5 mg" in found.text


def test_children_are_stopped_but_never_passed() -> None:
    assert outcomes("metformin", "500 mg", "daily", age=6.0) == {"not_checked"}
    assert outcomes("metformin", "500 mg", "daily", age=None) == {"not_checked"}
    assert outcomes("digoxin", "2.5 mg", "daily", age=6.0) == {"hard_stop"}


def test_a_dose_by_weight_is_worked_out() -> None:
    dose = parse_dose("5 mg/kg")
    assert dose is not None
    often = parse_frequency("daily")
    passed = check_dose(("gentamicin",), dose, often, route="intravenous", age=ADULT, weight=70.0)
    assert {finding.outcome for finding in passed} == {"passed"}
    stopped = check_dose(("gentamicin",), dose, often, route="intravenous", age=ADULT, weight=300.0)
    assert "hard_stop" in {finding.outcome for finding in stopped}
    for weight in (None, 0.0, -4.0, float("nan"), 9000.0):
        unknown = check_dose(("gentamicin",), dose, often, route="intravenous", age=ADULT, weight=weight)
        assert {finding.outcome for finding in unknown} == {"not_checked"}


@pytest.mark.parametrize(
    ("words", "rate", "most"),
    [
        ("daily", "1", "1"),
        ("twice daily", "2", "2"),
        ("every 8 hours", "3", "3"),
        ("every 4-6 hours as needed", "6", "6"),
        ("every other day", "0.5", "1"),
        ("every morning and at bedtime", "2", "2"),
        ("weekly", "0.143", "1"),
        ("every 72 hours", "0.333", "1"),
        ("3 times weekly", "0.429", "1"),
        ("on Monday and Friday", "0.286", "1"),
        ("5 times daily", "5", "5"),
        ("every 30 minutes", "48", "48"),
        ("stat", None, "1"),
        ("as needed", None, None),
        ("with meals", None, None),
        ("three times daily with meals", "3", "3"),
        ("once yearly", "0.003", "1"),
    ],
)
def test_how_many_doses_a_day(words: str, rate: str | None, most: str | None) -> None:
    frequency = parse_frequency(words)
    assert frequency is not None
    found = per_day(frequency)
    assert (round(found, 3) if found is not None else None) == (Decimal(rate) if rate else None)
    assert on_one_day(frequency) == (Decimal(most) if most else None)


def _traps() -> list[dict[str, str]]:
    if not TRAPS.is_file():
        return []
    rows = [json.loads(line) for line in TRAPS.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [row for row in rows if row["expect"].startswith("block_") or row["expect"] in ("ok", "confirm_high")]


@pytest.mark.skipif(not TRAPS.is_file(), reason="the dose traps are not beside the checkout")
@pytest.mark.parametrize("row", _traps(), ids=lambda row: row["text"])
def test_dose_traps_about_limits(row: dict[str, str]) -> None:
    text = row["text"]
    drug = drugs_in(text)[0]
    amount = find_doses(text)[0]
    often = find_frequencies(text, ends=(drug.end, amount.end))
    routes = find_routes(text, [drug.end, amount.end, *(each.end for each in often)], [drug.start])
    route = routes[0].value if routes else ""
    frequency = combine(each.value for each in often)
    dose = parse_dose(amount.value)
    (ingredient,) = ingredients(drug.value)
    assert dose is not None
    egfr = float(text.rpartition("eGFR")[2]) if "eGFR" in text else None
    found = [
        *check_dose((ingredient,), dose, frequency, route=route, age=ADULT),
        check_weekly(ingredient, frequency, route=route, dose=dose),
        check_route(ingredient, route),
        check_renal(ingredient, egfr, None),
    ]
    outcomes = {finding.outcome for finding in found}
    assert ("hard_stop" in outcomes) == row["expect"].startswith("block_")
    assert row["expect"] != "confirm_high" or "warning" in outcomes
