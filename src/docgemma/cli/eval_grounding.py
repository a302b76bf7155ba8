"""The numbers of `docgemma eval grounding` that only this suite has, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from docgemma.cli.render import Line
from docgemma.evals.grounding.report import Accuracy, Finding, GroundingFigures

_FIRST, _CELL = 14, 9
_CONCEPTS = {
    "there": "of all entities that have one",
    "found": "of those that were found",
    "grounded": "of those called grounded",
    "proposed": "of those that were found: among the candidates",
}


def grounding_lines(figures: Mapping[str, Any]) -> Iterator[Line]:
    """Entities by type, what was read about them, their concepts, and what was left to an expert."""
    told = GroundingFigures.model_validate(figures)
    yield from _entities(told)
    yield Line()
    yield Line("Of entities that were found", "strong")
    for name, accuracy in told.attributes.items():
        yield Line(f"  {name:<{_FIRST}}{_share(accuracy)}")
    yield Line("Right concept", "strong")
    for name, words in _CONCEPTS.items():
        yield Line(f"  {_share(told.concepts[name]):<18} {words}")
    yield Line(f"For an expert: {_share(told.expert_review)} of the entities")
    if told.by_model is not None:
        precision, recall, f1 = _figures(told.by_model)
        yield Line(f"Entities that the model named itself, relaxed: P {precision}, R {recall}, F1 {f1}")
    if told.listed_by_code:
        yield Line(f"The model's answer was of no use and code listed the entities: {told.listed_by_code}", "warning")


def _entities(told: GroundingFigures) -> Iterator[Line]:
    yield Line(_cells("entities", "there", "found", "strict P", "R", "F1", "relaxed P", "R", "F1"), "strong")
    for kind, strict in told.strict.items():
        relaxed = told.relaxed[kind]
        yield Line(
            _cells(kind, str(strict.there), str(strict.found), *_figures(strict), *_figures(relaxed)),
            "strong" if kind == "all" else "plain",
        )


def _figures(finding: Finding) -> list[str]:
    return ["–" if each is None else f"{each:.1f}" for each in (finding.precision, finding.recall, finding.f1)]


def _cells(first: str, *cells: str) -> str:
    return f"{first:<{_FIRST}}" + "".join(f"{cell:>{_CELL + 1}}" for cell in cells)


def _share(accuracy: Accuracy) -> str:
    if accuracy.percent is None:
        return "–"
    return f"{accuracy.right}/{accuracy.judged} {accuracy.percent:.1f} %"
