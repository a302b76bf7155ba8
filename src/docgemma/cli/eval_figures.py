"""Numbers that only one suite has, as lines for a terminal, below the table that every suite has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from docgemma.cli.eval_grounding import grounding_lines
from docgemma.cli.eval_latency import latency_lines
from docgemma.cli.render import Line

_TOLD = ("found", "first", "topic", "refused", "urgent", "worded")


def consult_lines(figures: Mapping[str, Any]) -> Iterator[Line]:
    """What was asked in each language and by each role, in percent."""
    for group in (figures["languages"], figures["roles"]):
        for name, row in group.items():
            told = ", ".join(f"{column} {share:.1f} %" for column, share in row.items() if column in _TOLD)
            yield Line(f"{name} ({row['cases']}): {told}", hang=4)


_LINES: dict[str, Callable[[Mapping[str, Any]], Iterator[Line]]] = {
    "consult": consult_lines,
    "grounding": grounding_lines,
    "latency": latency_lines,
}


def figure_lines(suite: str, figures: Mapping[str, Any]) -> Iterator[Line]:
    """Nothing for a suite whose numbers are all in the table."""
    if figures and suite in _LINES:
        yield Line()
        yield from _LINES[suite](figures)
