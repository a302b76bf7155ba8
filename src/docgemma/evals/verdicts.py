"""A scorer's answer where a case passes or not, and what of it goes into an outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docgemma.evals.contract import Difference


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether it is as the case expects, and both in words for whoever reads a miss."""

    passed: bool
    expected: str
    got: str


def of_verdicts(verdicts: Mapping[Any, Verdict]) -> dict[str, Any]:
    """Scores by column, and every miss in words."""
    return {
        "scores": {str(column): float(verdict.passed) for column, verdict in verdicts.items()},
        "differences": tuple(
            Difference(column=str(column), expected=verdict.expected, got=verdict.got)
            for column, verdict in verdicts.items()
            if not verdict.passed
        ),
    }
