"""Criteria with their entities marked: "[ALT|L] > 3 x ULN". A minus, "[-stroke|C]", says that it is negated."""

from __future__ import annotations

import re

from docgemma.grounding.contract import Quantity, Window
from docgemma.terminology.contract import EntityType

_TYPES: dict[str, EntityType] = {
    "C": "Condition",
    "M": "Medication",
    "P": "Procedure",
    "L": "Lab_Value",
    "D": "Demographic",
    "B": "Biomarker",
}
_MARK = re.compile(r"\[(?P<minus>-?)(?P<text>[^\]|]+)\|(?P<type>[CMPLDB])\]")

Span = tuple[int, int, EntityType]


def unmarked(marked: str) -> tuple[str, list[Span], list[bool]]:
    """The plain text, its spans, and which of them are marked as negated."""
    text, spans, negated, last = "", list[Span](), list[bool](), 0
    for found in _MARK.finditer(marked):
        text += marked[last : found.start()]
        spans.append((len(text), len(text) + len(found["text"]), _TYPES[found["type"]]))
        negated.append(bool(found["minus"]))
        text += found["text"]
        last = found.end()
    return text + marked[last:], spans, negated


def quantity(found: Quantity | None) -> str:
    if found is None:
        return "-"
    value = f"{found.value}..{found.upper}" if found.comparator == "between" else f"{found.comparator}{found.value}"
    return f"{value} {found.unit}".strip()


def window(found: Window | None) -> str:
    if found is None:
        return "-"
    value = (
        f"{found.value}..{found.upper}"
        if found.comparator == "between"
        else f"{found.comparator or ''}{found.value or ''}"
    )
    anchor = f" @ {found.anchor}" if found.anchor else ""
    return f"{value} {found.unit or found.text}{anchor}".strip()
