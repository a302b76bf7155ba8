"""The command that runs an eval again, as far as its reports say what was run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from docgemma.evals.capabilities import IN_USE
from docgemma.evals.card import NO_MODEL
from docgemma.evals.contract import STANDARD
from docgemma.evals.journal import Head
from docgemma.evals.summary import Report

GRAPH = "routed"


def commands(reports: Sequence[Report], heads: Sequence[Head]) -> Iterator[str]:
    """How to run this again. Where the model's server is, nobody wrote down: the settings say it."""
    for model in dict.fromkeys(report.model for report in reports):
        own = [report for report in reports if report.model == model]
        head = next((one for one in heads if one.model == model), None)
        ways: dict[str, dict[str, None]] = {}
        for report in own:
            graph, way = parts_of(report.variant)
            ways.setdefault(graph, {})[way] = None
        for chosen in dict.fromkeys(map(tuple, ways.values())):
            graphs = [graph for graph, names in ways.items() if tuple(names) == chosen]
            yield " ".join(
                [
                    f"docgemma eval {own[0].suite}",
                    "--model rules" if model == NO_MODEL else f"--model-name {shlex.quote(model)}",
                    *(f"--graph {graph}" for graph in graphs if graphs != [GRAPH]),
                    *(f"--configuration {way}" for way in chosen if chosen != (STANDARD,)),
                    *([f"--repeat {own[0].repeats}"] if own[0].repeats > 1 else []),
                    *(["--no-shortcuts"] if head is not None and not head.shortcuts else []),
                ]
            )


def parts_of(variant: str) -> tuple[str, str]:
    """Graph and configuration of a variant's name."""
    parts = variant.split("+")
    graph = parts[0] if parts[0] in IN_USE else GRAPH
    return graph, next((part for part in parts if part not in IN_USE), STANDARD)
