"""On a Ray cluster: Ray Data streams the batches through actors that each open their own services once.

The extra `ray` brings it. Every machine of the cluster needs DocGemma installed, and what the settings name (the
index, a model's address) must be reachable from there under the same name. Without an address a cluster is started on
this machine alone, listening to nobody else, and ended with the run.

A worker that dies is started again by Ray and its batch tried again; a batch that ends worker after worker comes back
as error lines. What is read ahead is bounded here, not by Ray, which would read as far as its memory goes.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import socket
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager, suppress
from typing import Any

from pydantic import TypeAdapter

from docgemma.errors import BadInput, DocGemmaError, Unavailable
from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.engines.batches import failed
from docgemma.grounding.engines.contract import LOOK_AHEAD, Batch, Done, Opener
from docgemma.grounding.engines.worker import Worker

_CRITERIA = TypeAdapter(tuple[Criterion, ...])
_LINES = TypeAdapter(tuple[Grounded, ...])
_RETRIES = 2
_CONNECT_S = 5.0
_FELL = "The worker ended each time it worked on this batch. Run the same command again to try it again."
_LOST = "The Ray cluster lost a part of the run. Run the same command again: what is done is not done again."
Row = dict[str, list[Any]]


class OnRay:
    """`workers` actors, on the cluster at `address` or on this machine."""

    def __init__(
        self, opener: Opener, settings: Mapping[str, Any], *, workers: int, address: str | None = None
    ) -> None:
        self._opener = opener
        self._settings = dict(settings)
        self._workers = workers
        self._address = address
        self._ray = _installed()

    async def run(self, batches: AsyncIterator[Batch]) -> AsyncIterator[Done]:
        loop = asyncio.get_running_loop()
        with _cluster(self._ray, self._address, self._workers), ThreadPoolExecutor(1) as thread:
            feeder = self._ray.remote(num_cpus=0)(_Feeder).remote()
            rows = iter(self._dataset(feeder).iter_batches(batch_size=1, prefetch_batches=0))
            pending: deque[tuple[int, Batch]] = deque()
            room = asyncio.Semaphore(self._workers * (1 + LOOK_AHEAD))
            feeding = asyncio.ensure_future(_feed(batches, feeder, pending, room))

            async def next_row() -> Row | None:
                try:
                    found: Row | None = await loop.run_in_executor(thread, next, rows, None)
                except self._ray.exceptions.RayError:
                    raise Unavailable(_LOST) from None
                return found

            try:
                async with aclosing(_answers(next_row, pending, feeding)) as answers:
                    async for done in answers:
                        room.release()
                        yield done
            finally:
                feeding.cancel()
                await asyncio.gather(feeding, return_exceptions=True)
                self._ray.kill(feeder)  # what still reads from it ends, and with it the whole pipeline
                await loop.run_in_executor(thread, rows.close)

    def _dataset(self, feeder: Any) -> Any:
        data = importlib.import_module("ray.data")
        context = data.DataContext.get_current()
        context.execution_options.preserve_order = True
        context.enable_progress_bars = False
        context.target_max_block_size = 1  # a batch is handed on at once, not when it has company
        context.max_errored_blocks = -1
        # One at a time: batches that wait at a worker would count its death as their own failure.
        pool = data.ActorPoolStrategy(size=self._workers, max_tasks_in_flight_per_actor=1)
        return (
            data.from_items([{"place": 0}])
            .map_batches(_pulled, fn_args=(feeder,), num_cpus=0)
            .map_batches(
                _Actor,
                batch_size=1,
                fn_constructor_args=(self._opener, self._settings),
                compute=pool,
                num_cpus=1,
                max_task_retries=_RETRIES,
            )
        )


class _Feeder:
    """Where batches wait for the cluster. Only as many as the driver has room for ever lie here."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[tuple[int, str, bytes] | None] = asyncio.Queue()

    async def put(self, batch: tuple[int, str, bytes] | None) -> None:
        await self._waiting.put(batch)

    async def get(self) -> tuple[int, str, bytes] | None:
        return await self._waiting.get()


class _Actor:
    """One worker. What keeps it from opening its services is its answer to everything: the run ends with it."""

    def __init__(self, opener: Opener, settings: Mapping[str, Any]) -> None:
        self._worker: Worker | None = None
        self._hindrance = ("", False)
        try:
            self._worker = Worker(opener, settings)
        except DocGemmaError as error:
            self._hindrance = (str(error), isinstance(error, BadInput))

    def __call__(self, row: Row) -> Row:
        sentence, bad_input = self._hindrance
        lines = b""
        if self._worker is not None:
            criteria = _CRITERIA.validate_json(bytes(row["criteria"][0]))
            lines = _LINES.dump_json(self._worker.work(Batch(str(row["batch_id"][0]), criteria)).lines)
        return {"place": [row["place"][0]], "lines": [lines], "hindrance": [sentence], "bad_input": [bad_input]}


def _pulled(_: Row, feeder: Any) -> Iterator[Row]:
    """Runs on the cluster: whatever the feeder gives, one row a batch, until it says that this was all."""
    ray = importlib.import_module("ray")
    while (given := ray.get(feeder.get.remote())) is not None:
        place, batch_id, criteria = given
        yield {"place": [place], "batch_id": [batch_id], "criteria": [criteria]}


async def _feed(
    batches: AsyncIterator[Batch], feeder: Any, pending: deque[tuple[int, Batch]], room: asyncio.Semaphore
) -> None:
    place = 0
    try:
        async for batch in batches:
            await room.acquire()
            pending.append((place, batch))
            await feeder.put.remote((place, batch.batch_id, _CRITERIA.dump_json(batch.criteria)))
            place += 1
    finally:
        with suppress(Exception):  # the cluster may be gone: then nobody waits for the end either
            await feeder.put.remote(None)


async def _answers(
    next_row: Callable[[], Awaitable[Row | None]], pending: deque[tuple[int, Batch]], feeding: asyncio.Future[None]
) -> AsyncGenerator[Done]:
    """What the cluster answers, and what it has given up, in the order of the batches."""
    while (row := await next_row()) is not None:
        place = int(row["place"][0])
        while pending and pending[0][0] < place:
            yield failed(pending.popleft()[1], _FELL)
        batch = pending.popleft()[1]
        yield Done(batch.batch_id, _lines(row))
    if not feeding.done():
        raise Unavailable(_LOST)
    await feeding
    while pending:
        yield failed(pending.popleft()[1], _FELL)


def _lines(row: Row) -> tuple[Grounded, ...]:
    if sentence := str(row["hindrance"][0]):
        raise (BadInput if row["bad_input"][0] else Unavailable)(sentence)
    return _LINES.validate_json(bytes(row["lines"][0]))


@contextmanager
def _cluster(ray: Any, address: str | None, workers: int) -> Iterator[None]:
    """The cluster that this process is in already, the one at the address, or one of our own for as long as we need."""
    if ray.is_initialized():
        yield
        return
    # Ray reports its use to its makers unless told not to; nothing leaves this machine but what was asked for.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")  # it would start a second cluster behind our back
    quiet = {"logging_level": "ERROR", "log_to_driver": False}
    if address:
        _check(address)
    try:
        if address:
            ray.init(address=address, **quiet)
        else:
            ray.init(address="local", num_cpus=workers, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        where = "at that address" if address else "on this machine"
        raise Unavailable(f"No Ray cluster {where}: {type(error).__name__}. Check --address.") from None
    try:
        yield
    finally:
        ray.shutdown()


def _check(address: str) -> None:
    """Ray itself tries for many minutes where nobody listens."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return  # "auto" and the like: Ray knows where to look
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S).close()
    except (OSError, OverflowError):
        raise Unavailable("No Ray cluster answers at that address. Check --address.") from None


def _installed() -> Any:
    try:
        importlib.import_module("ray.data")
        return importlib.import_module("ray")
    except ImportError:
        raise Unavailable("The engine 'ray' is not installed: pip install 'docgemma[ray]'.") from None
