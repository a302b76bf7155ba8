"""A grounding that does what its criteria say: echo, take time, meet a bug, or take its whole process along.

Workers import it by name, so it must stand in a module of its own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from docgemma.errors import BadInput, Unavailable
from docgemma.grounding.contract import Criterion, Entity, Grounded
from docgemma.grounding.engines.contract import Batch, Engine, Ground


class GaveUp(Unavailable):
    """Cannot be sent between processes as it is: it is made from something else than its sentence."""

    def __init__(self, *, seconds: int) -> None:
        super().__init__(f"The model gave up after {seconds} s.")


@asynccontextmanager
async def opening(settings: Mapping[str, Any]) -> AsyncIterator[Ground]:
    if "missing" in settings:
        raise Unavailable(settings["missing"])
    if "wrong" in settings:
        raise BadInput(settings["wrong"])

    async def ground(criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
        return [await _one(criterion, batch_id, settings) for criterion in criteria]

    yield ground
    if "closed" in settings:
        (Path(settings["closed"]) / str(os.getpid())).touch()


async def _one(criterion: Criterion, batch_id: str, settings: Mapping[str, Any]) -> Grounded:
    word, _, rest = criterion.text.partition(" ")
    if word == "wait":
        await asyncio.sleep(float(rest))
    if word == "bug":
        raise KeyError(criterion.text)
    if word == "gone":
        raise GaveUp(seconds=9)
    if word == "die" or (word == "die-once" and not _seen(Path(settings["folder"]) / "died")):
        os._exit(1)
    entity = Entity(entity_id=word, text=word, entity_type="Condition", span_start=0, span_end=len(word))
    return Grounded(
        criterion_id=criterion.criterion_id,
        batch_id=batch_id,
        text=criterion.text,
        entities=(entity,),
        iteration_history=({"action": "extract", "terms": [word], "share": 0.1 + 0.2},),
    )


def _seen(mark: Path) -> bool:
    if mark.exists():
        return True
    mark.touch()
    return False


def batches(*texts: Sequence[str]) -> list[Batch]:
    """Batches b0, b1, … with these criteria."""
    return [
        Batch(f"b{number}", tuple(Criterion(criterion_id=f"{number}.{at}", text=text) for at, text in enumerate(part)))
        for number, part in enumerate(texts)
    ]


async def flow(given: Iterable[Batch]) -> AsyncIterator[Batch]:
    for batch in given:
        yield batch


async def lines(engine: Engine, given: Iterable[Batch]) -> list[str]:
    """Everything that comes out, as the bytes of the output file."""
    return [line.model_dump_json() async for done in engine.run(flow(given)) for line in done.lines]


async def plainly(given: Sequence[Batch], settings: Mapping[str, Any] | None = None) -> list[str]:
    """The same work with no engine at all."""
    async with opening(settings or {}) as ground:
        return [line.model_dump_json() for batch in given for line in await ground(batch.criteria, batch.batch_id)]
