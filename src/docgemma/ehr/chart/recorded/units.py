"""Units the way people write them. Only the spelling changes: nothing is converted."""

from __future__ import annotations

import re

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
