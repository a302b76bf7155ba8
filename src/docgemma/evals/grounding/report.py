"""The numbers of a grounding eval, from the sums: entities by type, attributes, concepts, what went to an expert."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from docgemma.clinical import Frozen
from docgemma.evals.grounding.counting import ATTRIBUTES, added
from docgemma.terminology.contract import ENTITY_TYPES

ALL = "all"
RULES = "rules"


class Finding(Frozen):
    """Precision, recall and F1 of entities, in percent. None where there is nothing to divide by."""

    right: int
    found: int
    there: int
    precision: float | None
    recall: float | None
    f1: float | None


class Accuracy(Frozen):
    """How many of the judged are right, in percent."""

    right: int
    judged: int
    percent: float | None


class GroundingFigures(Frozen):
    """What `figures` of a report holds for this suite.

    `by_model`: the relaxed score of the entities that a model named itself. `listed_by_code`: criteria for which its
    answer was of no use, so that code listed the entities for an expert; their score is not the model's.
    `concepts`: of all entities that have one, of those found, of those called grounded, and (`proposed`) how often the
    right one is among the candidates that an expert is shown.
    """

    criteria: int
    strict: dict[str, Finding]
    relaxed: dict[str, Finding]
    attributes: dict[str, Accuracy]
    concepts: dict[str, Accuracy]
    expert_review: Accuracy
    by_model: Finding | None
    listed_by_code: int


def figures_of(counts: Iterable[Mapping[str, float]], *, model: str) -> GroundingFigures:
    """All of them, over the counts of each criterion."""
    sums = added(counts)
    right, there = sums["concepts.right"], sum(sums[f"{kind}.there"] for kind in ENTITY_TYPES)
    alone = model == RULES
    return GroundingFigures(
        criteria=sums["criteria"],
        strict=_by_type(sums, "strict"),
        relaxed=_by_type(sums, "relaxed"),
        attributes={name: _accuracy(sums[f"{name}.right"], sums[f"{name}.judged"]) for name in ATTRIBUTES},
        concepts={
            "there": _accuracy(right, sums["concepts.there"]),
            "found": _accuracy(right, sums["concepts.found"]),
            "grounded": _accuracy(sums["concepts.grounded_right"], sums["concepts.grounded"]),
            "proposed": _accuracy(sums["concepts.proposed"], sums["concepts.found"]),
        },
        expert_review=_accuracy(sums["expert"], sum(sums[f"{kind}.found"] for kind in ENTITY_TYPES)),
        by_model=None if alone else _finding(sums["by_model.right"], sums["by_model.found"], there),
        listed_by_code=0 if alone else sums["listed_by_code"],
    )


def _by_type(sums: Counter[str], how: Literal["strict", "relaxed"]) -> dict[str, Finding]:
    numbers = {kind: tuple(sums[f"{kind}.{name}"] for name in (how, "found", "there")) for kind in ENTITY_TYPES}
    rows = {kind: _finding(*row) for kind, row in numbers.items() if row[1] or row[2]}
    return rows | {ALL: _finding(*(sum(column) for column in zip(*numbers.values(), strict=True)))}


def _finding(right: int, found: int, there: int) -> Finding:
    return Finding(
        right=right,
        found=found,
        there=there,
        precision=_percent(right, found),
        recall=_percent(right, there),
        f1=_percent(2 * right, found + there),
    )


def _accuracy(right: int, judged: int) -> Accuracy:
    return Accuracy(right=right, judged=judged, percent=_percent(right, judged))


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
