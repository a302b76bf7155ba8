"""On this machine: in this process, or in several, because rules are bound by the processor and Python uses one."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from docgemma.errors import BadInput, DocGemmaError, Unavailable
from docgemma.grounding.engines.batches import failed, in_order, safely
from docgemma.grounding.engines.contract import LOOK_AHEAD, Batch, Done, Ground, Opener
from docgemma.grounding.engines.worker import Worker

_TRIES = 2
"""A batch that has ended this many workers is not given to another one."""
_CLOSING_S = 10.0
_FELL = "The worker process ended while it worked on this batch. Run the same command again to try it again."


class InProcess:
    """Several batches at once in this process: enough where the work is waiting for a model server."""

    def __init__(self, ground: Ground, *, concurrency: int = 1) -> None:
        self._ground = ground
        self._concurrency = concurrency

    async def run(self, batches: AsyncIterator[Batch]) -> AsyncIterator[Done]:
        room = asyncio.Semaphore(self._concurrency)

        async def work(batch: Batch) -> Done:
            async with room:
                return await safely(self._ground, batch)

        async with aclosing(in_order(batches, work, window=_window(self._concurrency))) as found:
            async for done in found:
                yield done


class Processes:
    """`workers` processes that each open their own services. One that dies is replaced, and its batch tried again."""

    def __init__(self, opener: Opener, settings: Mapping[str, Any], *, workers: int) -> None:
        self._opener = opener
        self._settings = dict(settings)
        self._workers = workers

    async def run(self, batches: AsyncIterator[Batch]) -> AsyncIterator[Done]:
        idle: asyncio.Queue[_Process] = asyncio.Queue()
        # Room for each worker's answer and for closing: a thread that waits for a worker is a thread that is taken.
        threads = ThreadPoolExecutor(2 * self._workers, thread_name_prefix="grounding")
        pool = [_Process(self._opener, self._settings, threads) for _ in range(self._workers)]
        for process in pool:
            idle.put_nowait(process)

        async def work(batch: Batch) -> Done:
            process = await idle.get()
            try:
                return await process.work(batch)
            finally:
                idle.put_nowait(process)

        try:
            async with aclosing(in_order(batches, work, window=_window(self._workers))) as found:
                async for done in found:
                    yield done
        finally:
            for process in pool:
                process.close()
            threads.shutdown(wait=False, cancel_futures=True)


class _Process:
    """One worker process seen from here. It is started by its first batch."""

    def __init__(self, opener: Opener, settings: Mapping[str, Any], threads: ThreadPoolExecutor) -> None:
        self._given = (opener, settings)
        self._threads = threads
        self._child: multiprocessing.process.BaseProcess | None = None
        self._line: Connection | None = None

    async def work(self, batch: Batch) -> Done:
        for _ in range(_TRIES):
            try:
                found = await asyncio.get_running_loop().run_in_executor(self._threads, self._ask, batch)
            except asyncio.CancelledError:
                self._end()  # the thread that waits for its answer is let go by its end
                raise
            if found is not None:
                return found
            self._end()
        return failed(batch, _FELL)

    def _ask(self, batch: Batch) -> Done | None:
        """The answer, None when the process is gone."""
        try:
            line = self._line or self._start()
            line.send(batch)
            return Done(*line.recv())
        except (EOFError, OSError):
            return None

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        line, other = context.Pipe()
        self._line = line
        self._child = context.Process(target=_life, args=(other, *self._given), daemon=True)
        self._child.start()
        other.close()
        try:
            hindrance = line.recv()
        except EOFError:
            raise Unavailable("A worker process ended before it was ready. Run with one worker to see why.") from None
        if hindrance is not None:
            raise (BadInput if hindrance.bad_input else Unavailable)(hindrance.sentence)
        return line

    def close(self) -> None:
        """Between two batches: the process closes what it opened."""
        if self._line is not None:
            with suppress(OSError):
                self._line.send(None)
        self._end(_CLOSING_S)

    def _end(self, patience_s: float = 0.0) -> None:
        child, line = self._child, self._line
        self._child = self._line = None
        if child is not None:
            child.join(patience_s)
            if child.is_alive():
                child.kill()
                child.join()
            child.close()
        if line is not None:
            line.close()


class _Hindrance(NamedTuple):
    """What a worker sends when its services cannot be opened; None says that they are."""

    sentence: str
    bad_input: bool


def _life(line: Connection, opener: Opener, settings: Mapping[str, Any]) -> None:
    """All that a worker process does. Ctrl-C is for the process that started it, which ends this one tidily."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):  # the other side is gone
        try:
            worker = Worker(opener, settings)
        except DocGemmaError as error:
            line.send(_Hindrance(str(error), isinstance(error, BadInput)))
            return
        with worker:
            line.send(None)
            while (batch := line.recv()) is not None:
                line.send(tuple(worker.work(Batch(*batch))))


def _window(workers: int) -> int:
    return workers * (1 + LOOK_AHEAD)
