"""What a run knows of the machine that does the work: batches go in, the same batches come out, in the same order.

An engine changes where the work is done and never what comes out: the same criteria give the same bytes in one
process, in many, and on a cluster. So an engine makes no ids, reads no clock and keeps nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple, Protocol

from docgemma.grounding.contract import Criterion, Grounded

Ground = Callable[[Sequence[Criterion], str], Awaitable[Sequence[Grounded]]]
"""What grounds one batch: the criteria and the batch's id go in, one line for each criterion comes out, in order."""

Opener = Callable[[Mapping[str, Any]], AbstractAsyncContextManager[Ground]]
"""How a worker that shares nothing with this process opens what it needs, once: settings as a plain mapping go in.

It must be a function that the worker can import by its name, and the mapping must be one that can be pickled.
"""

LOOK_AHEAD = 2
"""Batches that wait for each worker beside the one it works on: nobody is idle, and memory stays bounded."""


class Batch(NamedTuple):
    """Criteria that one worker takes together."""

    batch_id: str
    criteria: tuple[Criterion, ...]


class Done(NamedTuple):
    """One line for each criterion of the batch, in the order of the batch."""

    batch_id: str
    lines: tuple[Grounded, ...]


class Engine(Protocol):
    """Raises only what stops the whole run; what went wrong with one criterion is the `error` of its line."""

    def run(self, batches: AsyncIterator[Batch]) -> AsyncIterator[Done]:
        """The batches in the order they came. `batches` is read only a bounded number ahead of what was handed on.

        It is read while what was handed on is still being worked with: a slow source holds no finished batch back.
        """
        ...
