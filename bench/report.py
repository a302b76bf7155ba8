"""The figures as rows with their goals, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from bench.rounds import CONTENDERS, EVERY_CALL, PEERS, SHAPES, Results


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. With a peer the goal is on the ratio, without one on the value; without a goal it informs."""

    what: str
    value: float
    unit: str
    peer: str = ""
    peer_value: float | None = None
    goal: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.value / self.peer_value if self.peer_value else None

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        measured = self.value if self.ratio is None else self.ratio
        return "met" if measured <= self.goal else "SHORT"

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "verdict": self.verdict}

    def cells(self) -> tuple[str, ...]:
        peer = f"{self.peer} {self.peer_value:.2f} {self.unit}" if self.peer_value is not None else ""
        ratio = f"{self.ratio:.2f}" if self.ratio is not None else ""
        goal = "" if self.goal is None else f"≤ {self.goal:g}" + ("×" if self.ratio is not None else f" {self.unit}")
        return (self.what, f"{self.value:.2f} {self.unit}", peer, ratio, goal, self.verdict)


def turn_rows(results: Results) -> Iterator[Row]:
    """CPU per model call against each peer, then how a turn's cost grows with concurrency."""
    for at_once in SHAPES:
        ours = results["DocGemma", at_once].per_call_ms()
        for peer in PEERS:
            goal = 0.6 if peer == "create_agent" else None
            theirs = results[peer, at_once].per_call_ms()
            yield Row(f"CPU per model call, {at_once} at once", ours, "ms", peer, theirs, goal)
        every_call, theirs = (results[name, at_once].per_call_ms() for name in (EVERY_CALL, PEERS[0]))
        yield Row(f"The same without shortcuts, {at_once} at once", every_call, "ms", PEERS[0], theirs)
    for contender in CONTENDERS:
        alone, crowded = (results[contender, at_once].per_turn_ms() for at_once in sorted(SHAPES))
        goal = 1.3 if contender == "DocGemma" else None
        yield Row(f"CPU per turn, 64 at once, {contender}", crowded, "ms", "1 at once", alone, goal)


def call_rows(results: Results) -> Iterator[Row]:
    for contender in CONTENDERS:
        yield Row(f"Model calls per turn, {contender}", results[contender, 1].calls_per_turn(), "calls")


def table(rows: list[Row]) -> str:
    """Plain columns, and underneath one line that says what is short."""
    head = ("what", "value", "peer", "ratio", "goal", "verdict")
    lines = [head, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    body.insert(1, "  ".join("-" * width for width in widths))
    short = [row.what for row in rows if row.verdict == "SHORT"]
    closing = f"Short of its goal: {'; '.join(short)}." if short else "Every goal is met."
    return "\n".join([*body, "", closing])
