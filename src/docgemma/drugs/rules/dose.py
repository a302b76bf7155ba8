"""Whether an amount can be meant: the usual single dose of an adult, the highest one, and the highest of a day.

The limits catch slips (ten times too much, mg for mcg, hourly for daily). They are no dosing advice. Routes by which a
medicine must never be given are here too; which ones are right is not said anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from docgemma.drugs.rules.amounts import PER_KG, by_weight, in_unit, most, shown
from docgemma.drugs.rules.outcome import Finding, Outcome, opened, resting_on
from docgemma.drugs.rules.rates import on_one_day
from docgemma.drugs.rules.tables import Row, about, basis, noted, number, subject
from docgemma.entities.amounts.doses import Dose
from docgemma.entities.amounts.frequencies import Frequency

ADULT = 18
_SLIP = 10
_FAR_BELOW = 4
_HEAVIEST = 500
_FAMILIES = {
    "by mouth": "",
    "by feeding tube": "",
    "intravenous push": "intravenous",
    "intravenous infusion": "intravenous",
}
"""Routes that a row of another name is about. The table leaves the way by mouth empty, as most orders do."""


def check_dose(
    ingredients: Sequence[str],
    dose: Dose,
    frequency: Frequency | None,
    *,
    route: str = "",
    age: float | None = None,
    weight: float | None = None,
) -> tuple[Finding, ...]:
    """An order's amount. `route` is the standard word of the order, `weight` in kilograms for a dose by weight.

    A child's dose is never passed here: the table knows adults. It stops one that is too much for an adult too.
    """
    if len(ingredients) != 1:
        return (_unknown("The dose of a product with several ingredients is not checked."),)
    ingredient = ingredients[0]
    rows = about("doses", ingredient)
    if not rows:
        return (replace(_unknown(f"No dose limits for {ingredient} in the shipped table."), unruled=ingredient),)
    amount = most(dose)
    if amount is not None and PER_KG in amount.unit:
        if weight is None or not 0 < weight < _HEAVIEST:
            return (_unknown(f"{dose.render()} depends on the weight, which is not known."),)
        amount = by_weight(amount, Decimal(str(weight)))
    if amount is None:
        return (_unknown(f"How much {ingredient} '{dose.render()}' is cannot be worked out."),)
    comparable = [(row, value) for row in rows if (value := in_unit(amount, row["unit"])) is not None]
    wanted = _FAMILIES.get(route, route)
    fitting = [each for each in comparable if each[0]["route"] == wanted]
    if fitting:
        found = _judged(ingredient, *fitting[0], frequency, age)
        if route or not _stops(found):
            return found
        allowing = [row for row, value in comparable if not _stops(_judged(ingredient, row, value, frequency, age))]
        return (_by_another_route(found[0].text, allowing),) if allowing else found
    if comparable and not route and len({row["route"] for row, _ in comparable}) == 1:
        return _judged(ingredient, *comparable[0], frequency, age)
    return (_not_comparable(ingredient, rows, amount, route),)


def check_route(ingredient: str, route: str) -> Finding:
    """One ingredient by one route, as the order words it ("intrathecal", "intravenous push")."""
    rows = about("routes", ingredient)
    if not rows:
        text = f"No rule for {ingredient} and its route in the shipped table."
        return Finding("route", "not_checked", text, unruled=ingredient)
    if not route:
        return Finding("route", "not_checked", f"The route is not known, and {ingredient} must not be given by some.")
    for row in rows:
        if route in row["never"].split(","):
            text = noted(f"Never {route}: {subject(row, ingredient)}.", row)
            return Finding("route", "hard_stop", text, basis(row))
    return Finding(
        "route", "passed", f"{opened(ingredient)} {route}: not among the routes that are ruled out.", basis(rows[0])
    )


def _stops(found: Sequence[Finding]) -> bool:
    return any(finding.outcome == "hard_stop" for finding in found)


def _by_another_route(said: str, allowing: Sequence[Row]) -> Finding:
    """Too much by mouth, and no route was given: where another one allows it, the route is the question."""
    ways = " or ".join(dict.fromkeys(row["route"] for row in allowing))
    return _finding("not_checked", f"{said} It could be meant {ways}: the route is needed.", allowing[0])


def _not_comparable(ingredient: str, rows: Sequence[Row], amount: Dose, route: str) -> Finding:
    """No row fits. What is more than any route allows is a stop all the same."""
    values = [(in_unit(amount, row["unit"]), row) for row in rows]
    comparable = [(value, row) for value, row in values if value is not None]
    if comparable and all(value > Decimal(row["max_single"]) for value, row in comparable):
        value, row = comparable[0]
        text = f"{shown(value, row['unit'])} of {ingredient} is more than any route of the shipped table allows."
        return _finding("hard_stop", text, row)
    known = ", ".join(dict.fromkeys(f"{row['unit']} {row['route'] or 'by mouth'}" for row in rows))
    if comparable and not route:
        text = f"The limits for {ingredient} depend on the route, which is needed: {known}."
    else:
        told = f"{amount.render()} {route}".strip()
        text = f"{told} cannot be compared with the limits for {ingredient}, which are in {known}."
    return _finding("not_checked", text, rows[0])


def _judged(
    ingredient: str, row: Row, value: Decimal, frequency: Frequency | None, age: float | None
) -> tuple[Finding, ...]:
    found = [_single(ingredient, row, value)]
    if found[0].outcome == "hard_stop":
        return tuple(found)
    daily = _daily(ingredient, row, value, frequency)
    if daily is not None:
        found.append(daily)
    if not _stops(found):
        found += _for_adults(ingredient, age)
    notable = [finding for finding in found if finding.outcome != "passed"]
    return tuple(notable or found)


def _for_adults(ingredient: str, age: float | None) -> list[Finding]:
    if age is None:
        return [_unknown(f"The limits for {ingredient} are those of adults, and the age is not known.")]
    if age < ADULT:
        return [_unknown(f"The limits for {ingredient} are those of adults: they say nothing of a child's dose.")]
    return []


def _single(ingredient: str, row: Row, value: Decimal) -> Finding:
    unit = row["unit"]
    low, usual, high = Decimal(row["min_single"]), Decimal(row["usual_single"]), Decimal(row["max_single"])
    told = f"{shown(value, unit)} of {ingredient} at once"
    if value > high:
        slip = " That is ten times the usual or more: check the unit and the decimal point."
        text = f"{told} is above the highest adult dose of the table, {shown(high, unit)}."
        return _finding("hard_stop", text + (slip if value >= usual * _SLIP else ""), row)
    if value <= 0:
        return _finding("hard_stop", f"{told} is no dose.", row)
    if value > usual:
        return _finding("warning", f"{told} is high: usual is up to {shown(usual, unit)}. Please confirm.", row)
    if value * _FAR_BELOW < low:
        return _finding("warning", f"{told} is far below the usual {shown(low, unit)}: check the unit.", row)
    return _finding("passed", f"{told} is within the usual dose of adults, {_range(low, usual, unit)}.", row)


def _daily(ingredient: str, row: Row, value: Decimal, frequency: Frequency | None) -> Finding | None:
    limit = number(row["max_daily"])
    if limit is None:
        return None
    times = on_one_day(frequency) if frequency else None
    if times is None:
        text = (
            f"How often is not clear, so that {ingredient} a day is not checked (at most {shown(limit, row['unit'])})."
        )
        return Finding("dose", "not_checked", text, basis(row))
    if value * times > limit:
        text = (
            f"{shown(value * times, row['unit'])} of {ingredient} a day is above the highest adult dose of the table, "
            f"{shown(limit, row['unit'])} a day."
        )
        return _finding("hard_stop", text, row)
    return _finding("passed", f"{shown(value * times, row['unit'])} of {ingredient} a day is within the limit.", row)


def _range(low: Decimal, high: Decimal, unit: str) -> str:
    return shown(high, unit) if low == high else f"{shown(low, unit)} to {shown(high, unit)}"


def _finding(outcome: Outcome, text: str, row: Row) -> Finding:
    return Finding("dose", outcome, text, basis(row))


def _unknown(text: str) -> Finding:
    return Finding("dose", "not_checked", text, resting_on(""))
