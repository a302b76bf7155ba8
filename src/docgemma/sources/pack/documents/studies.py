"""How trials lie in a pack, for those who write it and those who read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from docgemma.sources.trials.contract import Phase

PHASES: tuple[Phase, ...] = get_args(Phase)
COLUMNS: Mapping[str, float] = {"title": 5.0, "conditions": 8.0, "keywords": 3.0, "interventions": 5.0, "places": 0.0}
FACTS = (
    "status TEXT NOT NULL",
    "phases INTEGER NOT NULL",
    "sex TEXT NOT NULL",
    "youngest INTEGER",
    "too_old INTEGER",
)
BETWEEN = 21
"""Words that stand between two sites in the index, so that what is near to each other is at one site."""

_HOURS_A_YEAR = 8766


def phase_bits(phases: tuple[str, ...]) -> int:
    """Several at once as one number."""
    return sum(1 << place for place, phase in enumerate(PHASES) if phase in phases)


def hours(years: float) -> int:
    """An age as it is compared: whole numbers, so that eighteen is not a hair less than eighteen."""
    return round(years * _HOURS_A_YEAR)
