"""Numbers as they were recorded: every digit kept, no rounding, no conversion; and units as people write them."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from docgemma.ehr.chart.recorded.fields import Node, node, plain

_LONGEST = 30
_UNIT = 40
_COMPARATORS = frozenset({"<", "<=", ">=", ">"})


def exact(value: object) -> Decimal | None:
    """The number to compare and count with; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    if isinstance(value, int) and abs(value) >= 10**_LONGEST:
        return None
    if isinstance(value, str) and len(value) > _LONGEST:
        return None
    try:
        found = value if isinstance(value, Decimal) else Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() and abs(found.adjusted()) <= _LONGEST else None


def number(value: object) -> str:
    """The digits as recorded; a word for a number that nobody could read."""
    if isinstance(value, bool) or value is None:
        return ""
    found = exact(value)
    if found is None:
        return "" if isinstance(value, str | list | dict) else "a number that cannot be shown"
    text = format(found, "f")
    return text if len(text) <= _LONGEST else "a number that cannot be shown"


def unit_of(quantity: Node) -> str:
    """The unit as it is written for people, else its code."""
    return readable(plain(quantity.get("unit"), _UNIT) or plain(quantity.get("code"), _UNIT))


def unit_key(quantity: Node) -> str:
    """What two values must share to be compared: the coded unit where there is one. Case tells units apart."""
    return plain(quantity.get("code"), _UNIT) or plain(quantity.get("unit"), _UNIT)


def comparator(quantity: Node) -> str:
    found = plain(quantity.get("comparator"), 4)
    return found if found in _COMPARATORS else ""


def amount(quantity: object, *, unit: bool = True) -> str:
    """ "<0.1 mg/dL". Empty when there is no value."""
    known = node(quantity)
    digits = number(known.get("value"))
    if not digits:
        return ""
    text = comparator(known) + digits
    return f"{text} {unit_of(known)}".rstrip() if unit else text


def interval(low: object, high: object) -> str:
    """ "4.0–5.6 %", "≥ 60 mL/min", "≤ 5 mg"."""
    bottom, top = amount(low, unit=False), amount(high, unit=False)
    unit = unit_of(node(high)) or unit_of(node(low))
    if bottom and top:
        return f"{bottom}–{top} {unit}".rstrip()
    if bottom or top:
        return f"{'≥' if bottom else '≤'} {bottom or top} {unit}".rstrip()
    return ""


def ratio(value: object) -> str:
    """ "1:128", "5 mg per 1 mL"."""
    known = node(value)
    over, under = amount(known.get("numerator")), amount(known.get("denominator"))
    if not over or not under:
        return over
    bare = not unit_of(node(known.get("numerator"))) and not unit_of(node(known.get("denominator")))
    return f"{over}:{under}" if bare else f"{over} per {under}"


_WRITTEN = {
    "mm[Hg]": "mmHg",
    "Cel": "°C",
    "[degF]": "°F",
    "[lb_av]": "lb",
    "[in_i]": "in",
    "kg/m2": "kg/m²",
    "10*3/uL": "×10³/µL",
    "10*6/uL": "×10⁶/µL",
    "10*9/L": "×10⁹/L",
    "10*12/L": "×10¹²/L",
    "mL/min/{1.73_m2}": "mL/min/1.73 m²",
    "mL/min/1.73.m2": "mL/min/1.73 m²",
    "m[IU]/L": "mIU/L",
    "u[IU]/mL": "µIU/mL",
    "[IU]/L": "IU/L",
}
"""UCUM writes for machines what a ward writes otherwise."""

_REMARK = re.compile(r"\{[^{}]*\}")


def readable(unit: str) -> str:
    """A remark in braces that is the whole unit, such as `{INR}` or `{score}`, measures nothing and is left out."""
    return _WRITTEN.get(unit) or ("" if _REMARK.fullmatch(unit) else unit)
