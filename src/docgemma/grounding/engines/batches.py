"""One batch from beginning to end, and many of them in order: what every engine has in common."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any

from docgemma.errors import DocGemmaError
from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.engines.contract import Batch, Done, Ground

_log = logging.getLogger(__name__)


async def safely(ground: Ground, batch: Batch) -> Done:
    """The batch with a line for each criterion, whatever happens to it.

    An expected failure is the error of every line: what is needed to ground is not there. A bug is met by one criterion
    and must not take its neighbours along: they are grounded alone.
    """
    try:
        lines = tuple(await ground(batch.criteria, batch.batch_id))
        if len(lines) != len(batch.criteria):
            raise ValueError("the batch came back with another number of lines")
        return Done(batch.batch_id, lines)
    except DocGemmaError as error:
        return failed(batch, str(error))
    except Exception as error:  # noqa: BLE001 - a border: one criterion of a million must not end the run
        _log.error("A batch of %d criteria met a bug: %s.", len(batch.criteria), _where(error))
        if len(batch.criteria) == 1:
            return failed(batch, f"An unexpected error ({type(error).__name__}). This is a bug.")
    alone = [await safely(ground, Batch(batch.batch_id, (criterion,))) for criterion in batch.criteria]
    return Done(batch.batch_id, tuple(line for done in alone for line in done.lines))


def failed(batch: Batch, reason: str) -> Done:
    """Nothing of this batch was grounded, and each line says why; such lines are tried again."""
    return Done(batch.batch_id, tuple(_error_line(criterion, batch.batch_id, reason) for criterion in batch.criteria))


async def in_order(
    batches: AsyncIterator[Batch], work: Callable[[Batch], Awaitable[Done]], *, window: int
) -> AsyncGenerator[Done]:
    """Up to `window` batches are begun before the first of them is handed on. Whoever stops early ends them all."""
    begun: deque[asyncio.Future[Done]] = deque()
    coming: asyncio.Future[Batch | None] | None = None
    more = True
    try:
        while more or begun:
            if more and coming is None and len(begun) < window:
                coming = asyncio.ensure_future(anext(batches, None))
            # What is finished is handed on at once: the next batch may be long in coming.
            awaited = {future for future in (coming, begun[0] if begun else None) if future is not None}
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            if coming is not None and coming.done():
                batch, coming = coming.result(), None
                more = batch is not None
                if batch is not None:
                    begun.append(asyncio.ensure_future(work(batch)))
            if begun and begun[0].done():
                yield begun.popleft().result()
    finally:
        left: list[asyncio.Future[Any]] = [*begun, *([coming] if coming is not None else [])]
        for future in left:
            future.cancel()
        await asyncio.gather(*left, return_exceptions=True)


def _error_line(criterion: Criterion, batch_id: str, reason: str) -> Grounded:
    return Grounded(
        criterion_id=criterion.criterion_id,
        protocol_id=criterion.protocol_id,
        batch_id=batch_id,
        type=criterion.type,
        text=criterion.text,
        error=reason,
    )


def _where(error: Exception) -> str:
    """Kind and place, never the words: an error's own words may quote the criterion."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {trace.tb_frame.f_code.co_qualname}, line {trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{place}"
