"""Measured amounts in a search: `5.4` means what rounds to it, `<0.5` may be anything below."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from docgemma.ehr.embedded.searches.dates import Prefix

Range = tuple[Decimal, Decimal]
_ENDLESS = Decimal("Infinity")
_NUMBER = re.compile(r"[+-]?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Measure:
    """An amount that is asked for. Without a system or a code, those of the record do not matter."""

    prefix: Prefix
    asked: Range
    system: str = ""
    code: str = ""

    def fits(self, quantity: Any) -> bool:
        if not isinstance(quantity, dict) or (self.system and quantity.get("system") != self.system):
            return False
        if self.code and self.code not in (quantity.get("code"), quantity.get("unit")):
            return False
        have = _recorded(quantity)
        return have is not None and _compare(self.prefix, have, self.asked)


def measure(prefix: Prefix, digits: str, system: str = "", code: str = "") -> Measure | None:
    """None when the digits are no number."""
    if not _NUMBER.fullmatch(digits):
        return None
    return Measure(prefix, _range(Decimal(digits), prefix), system, code)


def _range(value: Decimal, prefix: Prefix) -> Range:
    """What a number stands for. Prefixes that compare do so with the number itself."""
    if prefix == "ap":
        return value - abs(value) / 10, value + abs(value) / 10
    if prefix in ("eq", "ne"):
        exponent = value.as_tuple().exponent
        half = Decimal(5).scaleb((exponent if isinstance(exponent, int) else 0) - 1)
        return value - half, value + half
    return value, value


def _recorded(quantity: dict[str, Any]) -> Range | None:
    number = quantity.get("value")
    if isinstance(number, bool) or not isinstance(number, int | Decimal):
        return None
    value = Decimal(number)
    match quantity.get("comparator"):
        case "<" | "<=":
            return -_ENDLESS, value
        case ">" | ">=":
            return value, _ENDLESS
        case _:
            return value, value


def _compare(prefix: Prefix, have: Range, asked: Range) -> bool:
    match prefix:
        case "eq":
            return asked[0] <= have[0] and have[1] < asked[1]
        case "ne":
            return not (asked[0] <= have[0] and have[1] < asked[1])
        case "ap":
            return asked[0] <= have[0] and have[1] <= asked[1]
        case "gt":
            return have[1] > asked[1]
        case "lt":
            return have[0] < asked[0]
        case "ge":
            return have[1] >= asked[1]
        case "le":
            return have[0] <= asked[0]
        case "sa":
            return have[0] > asked[1]
        case "eb":
            return have[1] < asked[0]
