"""Runs over made-up criteria with a `ground` of its own: what a test starts, disturbs and looks at."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from docgemma.grounding.contract import Criterion, Entity, Grounded
from docgemma.grounding.engines.contract import Engine
from docgemma.grounding.engines.local import InProcess
from docgemma.grounding.reading.contract import Problem
from docgemma.grounding.runs.formats import FormatName, format_of
from docgemma.grounding.runs.keys import Basis
from docgemma.grounding.runs.output import Output, open_output
from docgemma.grounding.runs.running import Job, Run, Tally
from docgemma.grounding.runs.store import GroundingStore, open_store
from docgemma.terminology.contract import Candidate

BASIS = Basis(terminology="t1", model="rules", prompts="p1", threshold=0.7)
MARKS = {"input": "criteria.jsonl", "format": "jsonl"}

Ground = Callable[[Sequence[Criterion], str], Awaitable[Sequence[Grounded]]]


class Stopped(BaseException):
    """Ends a run as Ctrl-C does, in the middle of a batch."""


def criterion(number: int, text: str = "", protocol: str = "P1") -> Criterion:
    return Criterion(
        criterion_id=f"c{number}", protocol_id=protocol, type="inclusion", text=text or f"Text {number} with asthma"
    )


def candidate(name: str, cui: str | None = "C1", **more: Any) -> Candidate:
    return Candidate(cui=cui, display=name, ontology="TEST", confidence=0.9, **more)


def entity(text: str, **more: Any) -> Entity:
    """One that waits for an expert, unless told otherwise."""
    fields = {"entity_type": "Condition", "span_start": 0, "span_end": len(text), "candidates": (candidate(text),)}
    return Entity(entity_id=f"e-{text}", text=text, **(fields | more))


def grounded(each: Criterion, batch_id: str) -> Grounded:
    """Deterministic, and different for every text."""
    score = int(hashlib.sha256(each.text.encode()).hexdigest()[:4], 16) / 65_535
    known = entity("asthma", status="grounded", umls_cui="C0004096", grounding_confidence=score)
    unsure = entity(each.text.split()[0], reason="Below the threshold.")
    history = ({"action": "extract", "terms": ["asthma"], "score": score},)
    ids = each.model_dump(exclude={"context"})
    return Grounded(**ids, batch_id=batch_id, entities=(known, unsure), iteration_history=history)


async def plain(criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
    return [grounded(each, batch_id) for each in criteria]


def failing(criteria: Sequence[Criterion], batch_id: str, reason: str = "The terminology is gone.") -> list[Grounded]:
    return [Grounded(**each.model_dump(exclude={"context"}), batch_id=batch_id, error=reason) for each in criteria]


def job(store: GroundingStore, entries: Iterable[Criterion | Problem], output: Output, **more: Any) -> Job:
    engine: Engine = more.pop("engine", None) or InProcess(more.pop("ground", plain), concurrency=2)
    fields = {"source": "criteria", "basis": BASIS, "format": format_of("jsonl"), "batch_size": 3}
    return Job(iter(entries), store=store, engine=engine, output=output, **(fields | more))


async def run_to(
    path: Path,
    address: str,
    entries: Iterable[Criterion | Problem],
    *,
    kind: FormatName = "jsonl",
    fresh: bool = False,
    force: bool = False,
    output: Output | None = None,
    **more: Any,
) -> Tally:
    """One whole run, as the command makes it."""
    async with open_store(address) as store:
        marks = MARKS | {"format": kind}
        where = nullcontext(output) if output else open_output(path, marks, fresh=fresh, force=force)
        with where as opened:
            basis = Basis("t1", "rules", "p1", 0.7, fresh=opened.fresh)
            made = job(store, entries, opened, **({"basis": basis, "format": format_of(kind)} | more))
            return await Run(made).run()
