"""The suite `grounding`: criteria with known entities, through the same grounding that a run uses.

Nothing is kept: no run, no review decision and no output of anybody's is read or written. The terminology is the
user's own, because it is what is measured.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence

from docgemma.config import Settings
from docgemma.evals.grounding.gold import GoldCriterion
from docgemma.evals.grounding.report import GroundingReport, summarize_grounding
from docgemma.evals.grounding.scoring import Scored, score
from docgemma.grounding.engines.contract import Batch, Ground
from docgemma.grounding.engines.local import InProcess
from docgemma.llm.contract import Usage, usage

BATCH = 5
"""Small: a model works on a batch for a while, and whoever waits wants to see it go on."""


async def run_grounding(
    settings: Settings,
    gold: Sequence[GoldCriterion],
    *,
    concurrency: int = 1,
    heard: Callable[[Scored], None] | None = None,
) -> GroundingReport:
    """Ground and score the criteria with what the settings name."""
    from docgemma.wiring.grounding import open_grounding

    async with open_grounding(settings) as grounding:
        version = f"{grounding.about.back_end} {grounding.about.version}" if grounding.about else "another server"
        return await measure(
            grounding.ground,
            gold,
            model=grounding.model.name,
            terminology=version,
            concurrency=concurrency,
            heard=heard,
        )


async def measure(
    ground: Ground,
    gold: Sequence[GoldCriterion],
    *,
    model: str,
    terminology: str,
    concurrency: int = 1,
    heard: Callable[[Scored], None] | None = None,
) -> GroundingReport:
    """Score what `ground` makes of the criteria, and count what it costs."""
    if model == "rules" and gold:
        await ground((gold[0].criterion(),), "warm-up")  # what the first use imports is no cost of a criterion
    spent = Usage()
    usage.set(spent)
    scored: list[Scored] = []
    cpu, clock = time.process_time(), time.perf_counter()
    async for done in InProcess(ground, concurrency=concurrency).run(_batches(gold)):
        for line in done.lines:
            one = score(gold[len(scored)], line)
            scored.append(one)
            if heard is not None:
                heard(one)
    return summarize_grounding(
        scored,
        model=model,
        terminology=terminology,
        calls=spent.calls,
        cpu_ms=(time.process_time() - cpu) * 1000,
        seconds=time.perf_counter() - clock,
    )


async def _batches(gold: Sequence[GoldCriterion]) -> AsyncIterator[Batch]:
    for start in range(0, len(gold), BATCH):
        yield Batch(f"eval-{start}", tuple(one.criterion() for one in gold[start : start + BATCH]))
