"""Pregnancy: what can harm an unborn child. Not knowing whether somebody is pregnant is a question, never a pass."""

from __future__ import annotations

from docgemma.drugs.rules.outcome import Finding, opened
from docgemma.drugs.rules.tables import Row, about, basis, noted, subject

FROM, TO = 10, 55
"""Years in which a pregnancy is possible enough to ask; a recorded pregnancy counts at any age."""

_LEVELS = ("stop", "warn", "ok")


def check_pregnancy(ingredient: str, pregnant: bool | None, sex: str = "", age: float | None = None) -> Finding:
    """One ingredient. `sex` as the chart has it ("female", "male"); anything else is taken as unknown."""
    if pregnant is False:
        return Finding("pregnancy", "passed", "Recorded as not pregnant.")
    if pregnant is None and (reason := _unlikely(sex, age)):
        return Finding("pregnancy", "passed", f"No pregnancy to be expected: {reason}.")
    found = sorted(about("pregnancy", ingredient), key=_gravity)
    if not found:
        state = "is pregnant" if pregnant else "may be pregnant"
        text = f"The patient {state}, and the shipped table has no rule for {ingredient} in pregnancy."
        return Finding("pregnancy", "not_checked", text)
    row = found[0]
    who = subject(row, ingredient)
    if row["level"] == "ok":
        text = noted(f"{opened(who)} is commonly used in pregnancy.", row)
        return Finding("pregnancy", "passed", text, basis(row))
    if pregnant is None:
        why = "can harm an unborn child" if row["level"] == "stop" else "needs a reason in pregnancy"
        text = noted(f"Ask whether the patient is pregnant: {who} {why}.", row)
        return Finding("pregnancy", "not_checked", text, basis(row))
    if row["level"] == "stop":
        return Finding("pregnancy", "hard_stop", noted(f"{opened(who)} is not for pregnancy.", row), basis(row))
    return Finding("pregnancy", "warning", noted(f"{opened(who)} needs a reason in pregnancy.", row), basis(row))


def _gravity(row: Row) -> tuple[bool, int]:
    """What is said of the ingredient itself goes before what is said of its class; then the gravest."""
    return not row["drug"].startswith("="), _LEVELS.index(row["level"])


def _unlikely(sex: str, age: float | None) -> str:
    if sex == "male":
        return "recorded as male"
    if age is not None and (0 <= age < FROM or TO < age <= 130):
        return "by age"
    return ""
