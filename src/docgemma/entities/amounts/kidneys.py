"""Kidney function as somebody states it beside an order: "eGFR 22", "CrCl of 30 mL/min"."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

from docgemma.entities.model import Mention

Measure = Literal["egfr", "crcl"]

_NAMES: dict[Measure, str] = {"egfr": "eGFR", "crcl": "creatinine clearance"}
_STATED = re.compile(
    r"(?<!\w)(?:(?P<egfr>e?gfr)|(?P<crcl>cr\.?\s?cl|creatinine\sclearance))\s{0,2}(?:is|of|was|at|=|:|~)?\s{0,2}"
    r"(?P<value>\d{1,3}(?:\.\d)?)(?![\d/]|\.\d)(?:\s?ml/min(?:/1\.73\s?m(?:2|²))?)?",
    re.IGNORECASE,
)


def find_kidney_values(text: str, start: int, end: int) -> tuple[Mention, ...]:
    """Values inside this span, in standard words: `parse_kidney_value` reads them back."""
    return tuple(
        Mention(m.group(), m.start(), m.end(), f"{_NAMES[_measure(m)]} {m['value']}")
        for m in _STATED.finditer(text, start, end)
    )


def parse_kidney_value(text: str) -> tuple[Measure, Decimal] | None:
    """Measure and value of a text that is one of these."""
    match = _STATED.fullmatch(text.strip())
    return (_measure(match), Decimal(match["value"])) if match else None


def _measure(match: re.Match[str]) -> Measure:
    return "egfr" if match["egfr"] else "crcl"
