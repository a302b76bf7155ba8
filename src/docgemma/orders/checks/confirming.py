"""Medicines that a slip with is grave and that no limit catches: the person who approves is asked to confirm them.

Few on purpose: a warning on every card is read on none. Hand-written, not reviewed by a clinician.
"""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.drugs.classes import classes
from docgemma.drugs.rules.outcome import resting_on
from docgemma.orders.checks.lines import line
from docgemma.orders.model import Check, Prescription

_OPIOID = "opioid"
_PATCH = ("patch", "/h", "transdermal")


def check_confirmed(draft: Prescription) -> Iterator[Check]:
    """An opioid, and methotrexate in whatever dose: what they are given for has to be known."""
    basis = resting_on("medicines that are commonly called high-alert")
    for part in draft.ingredients:
        if part in classes()[_OPIOID].members:
            used = " A patch is for somebody who takes opioids already." if _is_patch(draft) else ""
            text = f"{part.capitalize()} is an opioid: confirm what it is for, and earlier use of opioids.{used}"
            yield line("dose", "warning", text, basis)
        if part == "methotrexate":
            yield line("dose", "warning", "Methotrexate: confirm what it is for, and the day of the week.", basis)


def _is_patch(draft: Prescription) -> bool:
    return any(word in f"{draft.dose} {draft.route} {draft.notes}" for word in _PATCH)
