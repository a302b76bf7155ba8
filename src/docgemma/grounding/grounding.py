"""One batch of criteria from start to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from docgemma.grounding.asking import Live
from docgemma.grounding.contract import Criterion, Entity, Grounded
from docgemma.grounding.state import Services, State

__all__ = ["Services", "ground"]


async def ground(criteria: Sequence[Criterion], batch_id: str, services: Services) -> list[Grounded]:
    """One line for each criterion, in order. A criterion that could not be grounded says why in its `error`."""
    from docgemma.grounding.graph import build  # LangGraph takes a second to import: only who grounds pays

    if not criteria:
        return []
    protocols = {criterion.protocol_id for criterion in criteria}
    start: State = {
        "batch_id": batch_id,
        "protocol_id": protocols.pop() if len(protocols) == 1 else "",
        "criteria_ids": tuple(criterion.criterion_id for criterion in criteria),
        "criteria_texts": tuple(criteria),
        "error": None,
    }
    end = cast(State, await build().ainvoke(start, context=Live(services)))
    return [_line(criterion, place, batch_id, end) for place, criterion in enumerate(criteria)]


def _line(criterion: Criterion, place: int, batch_id: str, end: State) -> Grounded:
    read = end["raw_entities"][place]
    entities: tuple[Entity, ...] = ()
    if not read.error:
        entities = end["grounded_entities"][place]
    return Grounded(
        criterion_id=criterion.criterion_id,
        protocol_id=criterion.protocol_id,
        batch_id=batch_id,
        type=criterion.type,
        text=criterion.text,
        entities=entities,
        iteration_history=read.history,
        error=read.error,
    )
