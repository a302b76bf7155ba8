"""Run a suite: every case of every variant, as often as asked, and whatever an earlier run had done is not done again.

Repeats run one whole pass after the other, so that a run that is cut off has seen every case as often as possible.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from docgemma.config import Settings
from docgemma.errors import Conflict, DocGemmaError
from docgemma.evals.suite import Bench, C, CaseRecord, Outcome, Suite, Variant

log = logging.getLogger(__name__)

OnRecord = Callable[[CaseRecord], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What the cases that were run now took of this machine, earlier messages of a case counted as turns."""

    turns: int = 0
    cpu_ms: float = 0
    seconds: float = 0


@dataclass(frozen=True, slots=True)
class Run:
    """All records, those of an earlier run included, and what this run cost by variant."""

    suite: str
    variants: tuple[str, ...]
    records: tuple[CaseRecord, ...]
    costs: Mapping[str, Cost] = field(default_factory=dict)
    abouts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def planned(suite: Suite[C], cases: Sequence[C], variants: Sequence[Variant], repeat: int) -> int:
    """How many cases there are to run in all."""
    return repeat * sum(suite.takes(case, variant.configuration) for variant in variants for case in cases)


async def run_suite(
    suite: Suite[C],
    settings: Settings,
    cases: Sequence[C],
    variants: Sequence[Variant],
    *,
    repeat: int = 1,
    concurrency: int = 1,
    done: Iterable[CaseRecord] = (),
    on_record: OnRecord | None = None,
) -> Run:
    """Run what is not done yet, and tell each record as soon as it is there."""
    found = {record.key: record for record in done}
    costs: dict[str, Cost] = {}
    abouts: dict[str, Mapping[str, Any]] = {}
    for variant in variants:
        taken = [case for case in cases if suite.takes(case, variant.configuration)]
        left = [(case, turn) for turn in range(repeat) for case in taken if (variant.name, turn, case.id) not in found]
        if not left:
            continue
        async with suite.open(settings, variant) as bench:
            _same_model(bench.model, found.values(), variant.name)
            abouts[variant.name] = bench.about
            cpu, clock = time.process_time(), time.perf_counter()
            room = asyncio.Semaphore(concurrency)

            async def one(case: C, turn: int, variant: Variant = variant, bench: Bench[C] = bench) -> None:
                async with room:  # noqa: B023 - the loop waits for all of these before it goes on
                    outcome = await outcome_of(suite, bench, case)
                record = record_of(suite.name, variant, bench.model, case, turn, outcome)
                found[record.key] = record
                if on_record is not None:
                    on_record(record)

            async with asyncio.TaskGroup() as group:
                for case, turn in left:
                    group.create_task(one(case, turn))
            costs[variant.name] = Cost(
                turns=sum(1 + len(getattr(case, "before", ())) for case, _ in left),
                cpu_ms=(time.process_time() - cpu) * 1000,
                seconds=time.perf_counter() - clock,
            )
    order = [(variant.name, turn, case.id) for variant in variants for turn in range(repeat) for case in cases]
    records = tuple(found[key] for key in order if key in found)
    return Run(suite.name, tuple(variant.name for variant in variants), records, costs, abouts)


def _same_model(model: str, done: Iterable[CaseRecord], variant: str) -> None:
    """Settings may leave a model unnamed; once it is open, its name is known."""
    other = next((record.model for record in done if record.variant == variant and record.model != model), None)
    if other is not None:
        raise Conflict(f"The records are of the model {other}, and this is {model}. Give another --out.")


async def outcome_of(suite: Suite[C], bench: Bench[C], case: C) -> Outcome:
    """No case may end the run: what it met is told in its place."""
    try:
        return await bench.run(case)
    except DocGemmaError as error:
        return suite.failed(case, str(error))
    except Exception as error:  # a border: a bug met by one case of hundreds is told in its place
        log.exception("case %s met a bug", case.id)
        return suite.failed(case, f"An unexpected error ({type(error).__name__}). This is a bug.")


def record_of(suite: str, variant: Variant, model: str, case: C, repeat: int, outcome: Outcome) -> CaseRecord:
    """What is kept of one case."""
    return CaseRecord(
        **dict(outcome),
        before=getattr(case, "before", ()),
        patient=getattr(case, "patient", None),
        suite=suite,
        variant=variant.name,
        repeat=repeat,
        id=case.id,
        kind=case.kind,
        split=case.split,
        model=model,
        say=case.about,
    )
