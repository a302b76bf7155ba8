"""`docgemma eval grounding`: running it with progress, and its report as lines for a terminal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from docgemma.cli.progress import Progress
from docgemma.cli.render import Line, one_line
from docgemma.config import Settings
from docgemma.evals.grounding.running import run_grounding
from docgemma.evals.grounding.gold import load_gold, select_gold
from docgemma.evals.grounding.report import Accuracy, Finding, GroundingReport, Miss
from docgemma.evals.grounding.scoring import Scored

_FIRST, _CELL = 14, 9
_SHOWN = 300
_CONCEPTS = {
    "there": "of all entities that have one",
    "found": "of those that were found",
    "grounded": "of those called grounded",
    "proposed": "of those that were found: among the candidates",
}


def evaluate_grounding(
    settings: Settings, cases: Path | None, *, ids: Sequence[str], limit: int | None, concurrency: int
) -> GroundingReport:
    """Run the criteria, with a line of progress for whoever watches."""
    gold = select_gold(load_gold(cases), ids=ids, limit=limit)
    progress = Progress(sys.stderr, len(gold), quiet=not sys.stderr.isatty(), unit="criteria")

    def heard(scored: Scored) -> None:
        progress.done(record=not scored.line.error)

    try:
        report = asyncio.run(run_grounding(settings, gold, concurrency=concurrency, heard=heard))
    except KeyboardInterrupt:
        progress.stopped(resumable=False)
        raise
    progress.finish()
    return report


def grounding_lines(report: GroundingReport, *, misses: bool) -> Iterator[Line]:
    """Everything there is to say about a run."""
    count = f"{report.criteria} criteri{'on' if report.criteria == 1 else 'a'}"
    yield Line(f"Grounding with the model {one_line(report.model, 80)}: {count}", "strong")
    yield Line(f"Terminology: {one_line(report.terminology, 120)}", "dim")
    yield Line()
    yield from _entities(report)
    yield Line()
    yield Line("Of entities that were found", "strong")
    for name, accuracy in report.attributes.items():
        yield Line(f"  {name:<{_FIRST}}{_share(accuracy)}")
    yield Line("Right concept", "strong")
    for name, words in _CONCEPTS.items():
        yield Line(f"  {_share(report.concepts[name]):<18} {words}")
    yield Line(f"For an expert: {_share(report.expert_review)} of the entities")
    if report.by_model is not None:
        precision, recall, f1 = _figures(report.by_model)
        yield Line(f"Entities that the model named itself, relaxed: P {precision}, R {recall}, F1 {f1}")
    if report.listed_by_code:
        yield Line(f"The model's answer was of no use and code listed the entities: {report.listed_by_code}", "warning")
    if report.errors:
        yield Line(f"Not grounded, with an error: {report.errors}", "warning")
    yield Line(
        f"Model calls a criterion: {report.model_calls_per_criterion:.2f}. "
        f"CPU a criterion: {report.cpu_ms_per_criterion:.1f} ms ({report.seconds:.1f} s in all)."
    )
    if misses and report.misses:
        yield Line()
        yield Line(f"Misses: {len(report.misses)} of {count}", "strong")
        for miss in report.misses:
            yield from _miss(miss)


def _entities(report: GroundingReport) -> Iterator[Line]:
    yield Line(_cells("entities", "there", "found", "strict P", "R", "F1", "relaxed P", "R", "F1"), "strong")
    for kind, strict in report.strict.items():
        relaxed = report.relaxed[kind]
        yield Line(
            _cells(kind, str(strict.there), str(strict.found), *_figures(strict), *_figures(relaxed)),
            "strong" if kind == "all" else "plain",
        )


def _miss(miss: Miss) -> Iterator[Line]:
    yield Line()
    yield Line(f"{miss.id} ({miss.type}): {one_line(miss.text, _SHOWN)}", hang=2)
    for one in miss.differences:
        expected, got = one_line(one.expected, _SHOWN), one_line(one.got, _SHOWN)
        if expected and got:
            yield Line(f"  {one.what}: expected {expected}, got {got}", hang=4)
        else:
            yield Line(f"  {one.what}: {expected or got}", hang=4)


def _figures(finding: Finding) -> list[str]:
    return ["–" if each is None else f"{each:.1f}" for each in (finding.precision, finding.recall, finding.f1)]


def _cells(first: str, *cells: str) -> str:
    return f"{first:<{_FIRST}}" + "".join(f"{cell:>{_CELL + 1}}" for cell in cells)


def _share(accuracy: Accuracy) -> str:
    if accuracy.percent is None:
        return "–"
    return f"{accuracy.right}/{accuracy.judged} {accuracy.percent:.1f} %"
