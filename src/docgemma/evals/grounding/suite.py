"""The suite `grounding`: criteria with known entities, through the same grounding that a run uses.

Nothing is kept: no run, no review decision and no output of anybody's is read or written. The terminology is the
user's own, because it is what is measured.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from docgemma.agent.record import Tokens
from docgemma.clinical import holding
from docgemma.config import Settings
from docgemma.errors import DocGemmaError
from docgemma.evals.contract import Asked, Bench, CaseRecord, Configuration, Metric, Outcome, Suite, Variant
from docgemma.evals.grounding.counting import counts_of, invented, listed_by_code
from docgemma.evals.grounding.gold import GoldCriterion, load_gold
from docgemma.evals.grounding.report import RULES, figures_of
from docgemma.evals.grounding.scoring import Scored, score
from docgemma.evals.grounding.telling import differences_of, line_text, scores_of
from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.engines.contract import Ground
from docgemma.llm.contract import Usage, usage

STANDARD = Configuration("standard", "a model sees what the dictionary found in the criterion")
NO_HINTS = Configuration("no_hints", "the model reads the criterion without hints from the dictionary")

_WARM_UP = Criterion(criterion_id="warm-up", text="asthma")


class Grounding(Suite[GoldCriterion]):
    """Which entities are found in eligibility criteria, what is read about them, and which concept they get."""

    name = "grounding"
    title = "Grounding"
    alarm = "codes that no search returned"
    metrics = (
        Metric("entities", "F1 of the entities of a criterion: the same type, and the spans overlap"),
        Metric("strict", "the same with equal spans, articles and outer punctuation aside"),
        Metric("attributes", "negation, comparison and time of the entities that were found"),
        Metric("concepts", "the right concept, of all entities whose concept is known"),
    )
    configurations = (STANDARD, NO_HINTS)

    def load(self, path: Path | None) -> tuple[GoldCriterion, ...]:
        return load_gold(path)

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[GoldCriterion]]:
        from docgemma.wiring.grounding import open_grounding

        hints = settings.ground_hints and variant.configuration != NO_HINTS.name
        async with open_grounding(settings.model_copy(update={"ground_hints": hints})) as grounding:
            if grounding.model.name == RULES:
                await grounding.ground((_WARM_UP,), "warm-up")  # what the first use imports is no cost of a criterion
            version = f"{grounding.about.back_end} {grounding.about.version}" if grounding.about else "another server"
            yield Bench(grounding.model.name, partial(run_case, grounding.ground), {"terminology": version})

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        return figures_of((record.counts for record in records), model=records[0].model).model_dump()


async def run_case(ground: Ground, case: GoldCriterion) -> Outcome:
    """One criterion as a batch of its own: grounding reads each by itself in any case, and so its calls are its own."""
    spent, began = Usage(), time.perf_counter()
    try:
        with holding(usage, spent):
            (line,) = await ground((case.criterion(),), f"eval-{case.id}")
    except DocGemmaError as error:
        line = Grounded(criterion_id=case.id, text=case.text, error=str(error))
    return outcome(score(case, line), spent, (time.perf_counter() - began) * 1000)


def outcome(one: Scored, spent: Usage, duration_ms: float = 0) -> Outcome:
    """What is kept of a compared criterion."""
    line = one.line
    return Outcome(
        scores=scores_of(one),
        differences=() if line.error else differences_of(one),
        alarms=invented(one),
        error=line.error,
        rule_instead=bool(spent.calls and line.entities) and listed_by_code(one),
        llm_calls=spent.calls,
        tokens=Tokens(prompt=spent.prompt_tokens, completion=spent.completion_tokens),
        duration_ms=duration_ms,
        counts=counts_of(one),
        asked=(Asked(prompt=one.gold.text, text="", answer=line.error or line_text(line)),),
    )
