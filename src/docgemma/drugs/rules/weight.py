"""Doses by weight: for children always, for adults where the medicine is dosed so."""

from __future__ import annotations

import math
from decimal import Decimal

from docgemma.drugs.rules.amounts import PER_KG, by_weight, in_unit, most, shown
from docgemma.drugs.rules.outcome import Finding, opened
from docgemma.drugs.rules.rates import on_one_day
from docgemma.drugs.rules.tables import Row, about, basis, number
from docgemma.entities.amounts.doses import Dose
from docgemma.entities.amounts.frequencies import Frequency

ADULT = 18
_HEAVIEST = 500
_FAR_BELOW = 4


def check_weight(
    ingredient: str, dose: Dose | None, frequency: Frequency | None, *, age: float | None, weight: float | None
) -> Finding:
    """One ingredient for somebody of this age in years and weight in kilograms."""
    per_kilogram = dose is not None and PER_KG in dose.unit
    rows = [row for row in about("weight", ingredient) if _concerns(row, age)]
    grown = age is not None and age >= ADULT
    if grown and not rows and not per_kilogram and (doses := about("doses", ingredient)):
        text = f"{opened(ingredient)} is not dosed by weight in adults, by the shipped tables."
        return Finding("weight", "passed", text, basis(doses[0]))
    known = weight is not None and math.isfinite(weight) and 0 < weight < _HEAVIEST
    if not known or weight is None:
        return Finding("weight", "not_checked", f"The weight is needed for {ingredient} and is not known.")
    if not rows:
        text = f"No dose by weight for {ingredient} in the shipped table."
        return Finding("weight", "not_checked", text, unruled=ingredient)
    row = rows[0]
    amount = most(dose) if dose is not None else None
    total = in_unit(by_weight(amount, Decimal(str(weight))), row["unit"]) if amount is not None else None
    if total is None:
        return Finding("weight", "not_checked", f"The dose of {ingredient} by weight cannot be worked out.", basis(row))
    return _compared(ingredient, row, total, Decimal(str(weight)), frequency)


def _concerns(row: Row, age: float | None) -> bool:
    """Rows for children and for adults; an unknown age could be either."""
    return age is None or row["who"] == "all" or (row["who"] == "children") == (age < ADULT)


def _compared(ingredient: str, row: Row, total: Decimal, weight: Decimal, frequency: Frequency | None) -> Finding:
    unit, each = row["unit"], total / weight
    high, day, low = number(row["max_per_kg"]), number(row["max_per_kg_day"]), number(row["min_per_kg"])
    told = f"{shown(total, unit)} of {ingredient} at {weight:g} kg is {shown(each, unit)}/kg"
    times = on_one_day(frequency) if frequency else None
    if high is not None and each > high:
        text = f"{told}, above the highest dose of the table, {shown(high, unit)}/kg."
        return Finding("weight", "hard_stop", text, basis(row))
    if day is not None and times is not None and each * times > day:
        text = f"{told}, {shown(each * times, unit)}/kg a day: above the highest of the table, {shown(day, unit)}/kg."
        return Finding("weight", "hard_stop", text, basis(row))
    if low is not None and each * _FAR_BELOW < low:
        return Finding("weight", "warning", f"{told}, far below the usual {shown(low, unit)}/kg.", basis(row))
    if day is not None and times is None:
        text = f"{told}. How often is not clear, so that the day's dose is not checked."
        return Finding("weight", "not_checked", text, basis(row))
    return Finding("weight", "passed", f"{told}, within the table.", basis(row))
