"""How a figure grows with what it is about: its value at sizes tenfold apart, and the power that fits them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

FLAT = 0.3
"""The most for a look-up: ten times as much may take twice as long."""
LINEAR = 1.1
"""The most for work on everything: ten times as much may take 12.6 times as long."""
HEAD = ("what", "with more", "value", "exponent", "goal", "verdict")


@dataclass(frozen=True, slots=True)
class Curve:
    """`points`: size and value, the smallest first; empty where nothing was measured, and `note` says why."""

    what: str
    of: str
    unit: str
    points: tuple[tuple[int, float], ...]
    goal: float | None = None
    note: str = ""

    @property
    def exponent(self) -> float | None:
        """The slope of the straight line through the logarithms: 0 stays the same, 1 grows as the size does."""
        logs = [(math.log(size), math.log(value)) for size, value in self.points if value > 0]
        if len(logs) < 2:
            return None
        across, up = (sum(values) / len(logs) for values in zip(*logs, strict=True))
        spread = sum((size - across) ** 2 for size, _ in logs)
        return sum((size - across) * (value - up) for size, value in logs) / spread

    @property
    def verdict(self) -> str:
        if self.exponent is None:
            return self.note
        return "" if self.goal is None else "met" if self.exponent <= self.goal else "SHORT"

    def cells(self) -> tuple[str, ...]:
        told = " · ".join(f"{size:,}: {value:,.2f} {self.unit}" for size, value in self.points) or "–"
        exponent = "" if self.exponent is None else f"{self.exponent:.2f}"
        goal = "" if self.goal is None else f"≤ {self.goal:g}"
        return (self.what, self.of, told, exponent, goal, self.verdict)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "exponent": self.exponent, "verdict": self.verdict}


def curve_from(told: dict[str, Any]) -> Curve:
    """A curve out of `as_json`."""
    fields = {name: value for name, value in told.items() if name not in ("exponent", "verdict")}
    return Curve(**{**fields, "points": tuple((int(size), float(value)) for size, value in told["points"])})


def no_curve(what: str, why: str) -> Curve:
    return Curve(what, "", "", (), note=why)
