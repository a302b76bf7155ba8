"""The table of `docgemma eval latency` by path, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from docgemma.cli.render import Line

_FIRST, _CELL = 14, 9
_HEAD = ("turns", "calls", "p95", "budget", "seconds", "p95", "text ms", "tokens in", "out", "tools ms", "own ms")


def latency_lines(figures: Mapping[str, Any]) -> Iterator[Line]:
    """Medians by path; `p95` is what only a twentieth exceeds, `text ms` the time until the first sentence."""
    yield Line(_cells("path", *_HEAD), "strong")
    for path, row in figures["paths"].items():
        calls, seconds = row["calls"], row["seconds"]
        yield Line(
            _cells(
                path,
                str(row["turns"]),
                f"{calls['median']:g}",
                f"{calls['p95']:g}",
                str(row["budget"]),
                f"{seconds['median']:.2f}",
                f"{seconds['p95']:.2f}",
                *(_whole(row[name]) for name in ("first_text_ms", "prompt_tokens", "completion_tokens")),
                *(_whole(row[name]) for name in ("tool_ms", "own_ms")),
            )
        )


def _whole(number: float | None) -> str:
    return "–" if number is None else f"{number:.0f}"


def _cells(first: str, *cells: str) -> str:
    return f"{first:<{_FIRST}}" + "".join(f"{cell:>{_CELL + 1}}" for cell in cells)
