"""The figures as rows with their goals, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

HEAD = ("what", "value", "peer", "ratio", "goal", "verdict")


class Skipped(Exception):
    """Something cannot be measured here; the text says what is absent and what brings it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. With a peer the goal is on the ratio, without one on the value; without a goal it informs.

    `value` is None where nothing was measured, and `note` says why. It never counts as a goal that is met.
    """

    what: str
    value: float | None
    unit: str
    peer: str = ""
    peer_value: float | None = None
    goal: float | None = None
    better: Literal["lower", "higher"] = "lower"
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.value / self.peer_value if self.peer_value and self.value is not None else None

    @property
    def verdict(self) -> str:
        measured = self.value if self.ratio is None else self.ratio
        if measured is None:
            return self.note
        if self.goal is None:
            return ""
        met = measured <= self.goal if self.better == "lower" else measured >= self.goal
        return "met" if met else "SHORT"

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "verdict": self.verdict}

    def cells(self) -> tuple[str, ...]:
        value = "–" if self.value is None else f"{self.value:,.2f} {self.unit}"
        peer = f"{self.peer} {self.peer_value:,.2f} {self.unit}" if self.peer_value is not None else ""
        ratio = f"{self.ratio:.2f}" if self.ratio is not None else ""
        return (self.what, value, peer, ratio, self._goal(), self.verdict)

    def _goal(self) -> str:
        if self.goal is None:
            return ""
        sign = "≤" if self.better == "lower" else "≥"
        return f"{sign} {self.goal:.3g}" + ("×" if self.peer_value is not None else f" {self.unit}")


def row_from(told: dict[str, Any]) -> Row:
    """A row out of `as_json`."""
    return Row(**{name: value for name, value in told.items() if name not in ("ratio", "verdict")})


def skipped(what: str, why: str) -> Row:
    return Row(what, None, "", note=f"skipped: {why}")


def failed(what: str, why: str) -> Row:
    return Row(what, None, "", note=f"FAILED: {why}")


def columns(head: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    """Plain columns under a head."""
    every = [head, *lines]
    widths = [max(len(line[column]) for line in every) for column in range(len(head) - 1)] + [0]
    body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in every]
    body.insert(1, "  ".join("-" * max(width, len(name)) for width, name in zip(widths, head, strict=True)))
    return "\n".join(body)


def table(rows: list[Row]) -> str:
    """Plain columns, and underneath what is short and what was not measured."""
    return "\n".join([columns(HEAD, (row.cells() for row in rows)), "", *closing(rows)])


def closing(rows: list[Row]) -> list[str]:
    """What is short, failed or skipped, by name. No goal is called met that was not measured."""
    short = [row.what for row in rows if row.verdict == "SHORT"]
    absent = [f"{row.what} ({row.note})" for row in rows if row.value is None]
    measured = "Every goal is met." if not absent else "Every goal that was measured is met."
    lines = [f"Short of its goal: {'; '.join(short)}." if short else measured]
    return lines + ([f"Not measured: {'; '.join(absent)}."] if absent else [])
