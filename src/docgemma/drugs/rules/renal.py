"""Kidney function: which medicines must not be given below which value, and which need another dose."""

from __future__ import annotations

import math
from decimal import Decimal

from docgemma.drugs.rules.outcome import Finding, opened
from docgemma.drugs.rules.tables import Row, about, basis, noted, number, subject

_NAMES = {"egfr": "eGFR", "crcl": "creatinine clearance"}
_UNIT = "mL/min"
_HIGHEST = 300
"""No kidney filters more; a larger number is a slip or another unit."""


def check_renal(ingredient: str, egfr: float | None, crcl: float | None) -> Finding:
    """One ingredient against the kidney function, by the measure that its rule names where that is known."""
    found = about("renal", ingredient)
    if not found:
        text = f"No rule for {ingredient} and kidney function in the shipped table."
        return Finding("renal", "not_checked", text, unruled=ingredient)
    row = found[0]
    who = subject(row, ingredient)
    if not row["stop_below"] and not row["adjust_below"]:
        return Finding("renal", "passed", f"{opened(who)} needs no change for kidney function.", basis(row))
    measure, value = _measured(row["measure"], egfr, crcl)
    if value is None:
        wanted = _NAMES[row["measure"]]
        return Finding("renal", "not_checked", f"{opened(who)} depends on the kidneys: {wanted} is needed.", basis(row))
    return _compared(row, who, measure, value)


def _compared(row: Row, who: str, measure: str, value: float) -> Finding:
    known = f"{_NAMES[measure]} {value:g} {_UNIT}"
    if measure != row["measure"]:
        known += f" (the rule goes by {_NAMES[row['measure']]})"
    stop, adjust = number(row["stop_below"]), number(row["adjust_below"])
    exact = Decimal(str(value))
    if stop is not None and exact < stop:
        text = noted(f"{opened(who)} must not be given below {stop} {_UNIT}: {known}.", row)
        return Finding("renal", "hard_stop", text, basis(row))
    if adjust is not None and exact < adjust:
        text = noted(f"{opened(who)} needs another dose or closer checks below {adjust} {_UNIT}: {known}.", row)
        return Finding("renal", "warning", text, basis(row))
    return Finding("renal", "passed", f"{opened(who)}: no limit reached, {known}.", basis(row))


def _measured(wanted: str, egfr: float | None, crcl: float | None) -> tuple[str, float | None]:
    """The value that the rule names, else the other one. Where both are known, only the named one counts."""
    values = {"egfr": _sensible(egfr), "crcl": _sensible(crcl)}
    other = "crcl" if wanted == "egfr" else "egfr"
    return (wanted, values[wanted]) if values[wanted] is not None else (other, values[other])


def _sensible(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) and 0 <= value <= _HIGHEST else None
