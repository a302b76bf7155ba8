"""The table `capabilities.toml`: what a model is asked to do here, how each of it is measured, and by which marks.

A measure names variants of two sorts: those in which the model answers by itself, and those in which the product's own
checks stand around it. A number of the second sort can never say that a model may do something alone.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

ALONE, CHECKED, FEWEST = 90.0, 70.0, 20
"""The marks, in percent, that the lower end of the 95 % interval must reach, and the fewest cases that say anything.

By Wilson's interval 35 cases without a single miss are the fewest that reach the first.
"""

IN_USE = ("routed", "triage", "decompose")
"""Everything that can be chosen for use. What must never happen rules a model out here, and nowhere else."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric of one suite. `kinds`: of these cases only. `bare` before `around`, each in order of preference."""

    suite: str
    metric: str
    means: str
    kinds: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    around: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capability:
    """A line of the card. The most cautious of its measures decides, and a single alarm of their suites rules it out.

    `inside`: the same thing measured in whole turns of the product, for the reader; it decides nothing.
    """

    name: str
    measures: tuple[Measure, ...]
    takes_over: str
    inside: Measure | None = None


@dataclass(frozen=True, slots=True)
class Reserved:
    """What no model may do here, whatever it scores. `finding`: what the specification measured."""

    name: str
    instead: str
    finding: str = ""
    measure: Measure | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """All of `capabilities.toml`."""

    capabilities: tuple[Capability, ...]
    reserved: tuple[Reserved, ...]


@cache
def table() -> Table:
    """Every line of the card, in its order."""
    text = files("docgemma.evals").joinpath("capabilities.toml").read_text("utf-8")
    return TypeAdapter(Table).validate_python(tomllib.loads(text))
