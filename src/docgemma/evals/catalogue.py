"""Which suites there are. Each is imported when it is asked for: most commands need none of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from docgemma.evals.contract import Suite

SUITES: dict[str, tuple[str, str]] = {
    "turns": ("docgemma.evals.turns.suite", "Turns"),
    "nodes": ("docgemma.evals.nodes.suite", "Nodes"),
    "answers": ("docgemma.evals.answers.suite", "Answers"),
    "safety": ("docgemma.evals.safety.suite", "Safety"),
    "grounding": ("docgemma.evals.grounding.suite", "Grounding"),
    "consult": ("docgemma.evals.consult.suite", "Consult"),
    "latency": ("docgemma.evals.latency.suite", "Latency"),
}


def suite_of(name: str) -> Suite[Any]:
    """The suite of this name, ready to load its cases."""
    module, class_name = SUITES[name]
    made: Suite[Any] = getattr(import_module(module), class_name)()
    return made
