"""Medicines that are taken once a week or less often. Taken daily, some of them kill."""

from __future__ import annotations

from decimal import Decimal

from docgemma.drugs.rules.amounts import in_unit, most
from docgemma.drugs.rules.outcome import Finding, opened
from docgemma.drugs.rules.rates import is_single, per_day
from docgemma.drugs.rules.tables import Row, about, basis, noted
from docgemma.entities.amounts.doses import Dose
from docgemma.entities.amounts.frequencies import Frequency

_PATCH_UNITS = frozenset({"mcg/h", "patches"})
_TOLERANCE = Decimal("1.001")
"""So that a seventh, as a rounded number, is not more than a seventh."""


def check_weekly(ingredient: str, frequency: Frequency | None, *, route: str = "", dose: Dose | None = None) -> Finding:
    """One ingredient, how often. Where the interval depends on the route or the amount, these are needed too."""
    rows = about("weekly", ingredient)
    if not rows:
        return _without_row(ingredient)
    way = route or ("transdermal" if dose is not None and dose.unit in _PATCH_UNITS else "")
    meant = [row for row in rows if _meant(row, way, dose)]
    if not meant:
        return Finding("weekly", "passed", f"{opened(ingredient)} in this form may be taken daily.", basis(rows[0]))
    certain = [row for row in meant if not _assumption(row, way, dose)]
    row = max(certain, key=_days) if certain else min(meant, key=_days)
    if frequency is not None and is_single(frequency):
        return Finding("weekly", "passed", f"A single dose of {ingredient}.", basis(row))
    rate = per_day(frequency) if frequency else None
    if rate is None:
        text = f"{opened(ingredient)} is given {_interval(row)}, and how often is not clear."
        return Finding("weekly", "not_checked", text, basis(row))
    if rate * Decimal(row["days"]) <= _TOLERANCE:
        return Finding("weekly", "passed", f"{opened(ingredient)} not more often than {_interval(row)}.", basis(row))
    assumed = _assumption(row, way, dose)
    text = noted(f"{opened(ingredient)} is given {_interval(row)}, not more often{assumed}.", row)
    return Finding("weekly", "warning" if assumed else "hard_stop", text, basis(row))


def _without_row(ingredient: str) -> Finding:
    doses = about("doses", ingredient)
    if any(row["max_daily"] for row in doses):
        return Finding(
            "weekly", "passed", f"{opened(ingredient)} is taken daily by the shipped table.", basis(doses[0])
        )
    text = f"Whether {ingredient} may be taken daily is not in the shipped tables."
    return Finding("weekly", "not_checked", text, unruled=ingredient)


def _meant(row: Row, route: str, dose: Dose | None) -> bool:
    """Whether the row can be about this order: what is not known is taken as meant."""
    if row["route"] and route and row["route"] != route:
        return False
    value = _value(row, dose)
    return not row["from_amount"] or value is None or value >= Decimal(row["from_amount"])


def _assumption(row: Row, route: str, dose: Dose | None) -> str:
    """What had to be taken for granted; a stop needs certainty, a question does not."""
    if row["route"] and not route:
        return f" ({row['route']}; the route is not known)"
    if row["from_amount"] and _value(row, dose) is None:
        return f" from {row['from_amount']} {row['unit']} on (the amount is not known)"
    return ""


def _value(row: Row, dose: Dose | None) -> Decimal | None:
    amount = most(dose) if dose is not None else None
    return in_unit(amount, row["unit"]) if amount is not None and row["unit"] else None


def _days(row: Row) -> int:
    return int(row["days"])


def _interval(row: Row) -> str:
    days = _days(row)
    return {3: "every 3 days", 7: "once a week", 28: "once a month"}.get(days, f"every {days} days")
