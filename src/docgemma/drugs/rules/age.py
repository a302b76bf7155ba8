"""Age: medicines that are not for small children, and those that need care in old age."""

from __future__ import annotations

import math
from decimal import Decimal

from docgemma.drugs.rules.outcome import Finding
from docgemma.drugs.rules.tables import Row, about, basis, noted, number, subject

_OLDEST = 130


def check_age(ingredient: str, age: float | None) -> tuple[Finding, ...]:
    """One ingredient at this age in years. Every row that applies is told, not only the gravest."""
    found = about("age", ingredient)
    if not found:
        text = f"No rule for {ingredient} and age in the shipped table."
        return (Finding("age", "not_checked", text, unruled=ingredient),)
    if age is None or not math.isfinite(age) or not 0 <= age <= _OLDEST:
        return (Finding("age", "not_checked", f"The age is not known, and {ingredient} has an age rule."),)
    told = tuple(finding for row in found if (finding := _applied(row, ingredient, Decimal(str(age)))))
    return told or (Finding("age", "passed", f"No age limit of the table applies to {ingredient}.", basis(found[0])),)


def _applied(row: Row, ingredient: str, age: Decimal) -> Finding | None:
    who = subject(row, ingredient)
    stop, below, above = number(row["stop_below"]), number(row["warn_below"]), number(row["warn_from"])
    if stop is not None and age < stop:
        return Finding("age", "hard_stop", noted(f"Not for anyone under {_years(stop)}: {who}.", row), basis(row))
    if below is not None and age < below:
        return Finding("age", "warning", noted(f"Care under {_years(below)}: {who}.", row), basis(row))
    if above is not None and age >= above:
        return Finding("age", "warning", noted(f"Care from {_years(above)} on: {who}.", row), basis(row))
    return None


def _years(limit: Decimal) -> str:
    """In months below two years, where years would hide the number."""
    if limit >= 2:
        return f"{limit} years"
    months = (limit * 12).to_integral_value()
    return f"{months} month{'' if months == 1 else 's'}"
