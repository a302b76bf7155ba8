"""Starting workers, listening to them, killing them from outside."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from tests.torture import worker
from tests.torture.messages import Told, Work

_PATIENCE_S = 120.0
_FORKING = multiprocessing.get_context("forkserver")


@dataclass(slots=True)
class Life:
    """What one worker did before it ended. `settled_s`: from its start until nothing of its predecessors was open."""

    told: list[Told] = field(default_factory=list)
    killed: bool = False
    settled_s: float | None = None

    @property
    def done(self) -> list[Told]:
        return [one for one in self.told if one.what == "done"]

    @property
    def steps(self) -> tuple[str, ...]:
        return self.told[-1].steps if self.told and self.told[-1].what == "finished" else ()

    @property
    def crash(self) -> str:
        return next((one.error for one in self.told if one.what == "crashed"), "")


class Stuck(Exception):
    """A worker did not end in two minutes."""


@dataclass(slots=True)
class Worker:
    """A running process, forked from one that has the imports: a thousand of them would start for half an hour."""

    work: Work
    life: Life = field(default_factory=Life)

    def __post_init__(self) -> None:
        _FORKING.set_forkserver_preload(["tests.torture.worker"])
        self._pipe, theirs = _FORKING.Pipe()
        self._process = _FORKING.Process(target=worker.main, args=(self.work, theirs), daemon=True)
        self._began = time.monotonic()
        self._process.start()
        theirs.close()

    _pipe: Connection = field(init=False)
    _process: multiprocessing.process.BaseProcess = field(init=False)
    _began: float = field(init=False)

    def go(self) -> None:
        self._pipe.send("go")

    def kill(self) -> None:
        self._process.kill()

    async def until(self, what: str) -> None:
        """Listen until it says this, or says nothing any more."""
        while (told := await self._hear()) is not None and told.what != what:
            pass

    async def end(self, *, kill_after_s: float | None = None) -> Life:
        """Listen until it ends by itself or is killed; then wait for the death itself."""
        killing = None
        if kill_after_s is not None:
            await self.until("opened")
            killing = asyncio.get_running_loop().call_later(kill_after_s, self.kill)
        while await self._hear() is not None:
            pass
        if killing is not None:
            killing.cancel()
        await asyncio.to_thread(self._process.join, _PATIENCE_S)
        self.life.killed = self._process.exitcode == -signal.SIGKILL
        self._process.close()
        self._pipe.close()
        return self.life

    async def _hear(self) -> Told | None:
        told = await asyncio.to_thread(self._listen)
        if told is not None:
            self.life.told.append(told)
            if told.what == "settled":
                self.life.settled_s = time.monotonic() - self._began
        return told

    def _listen(self) -> Told | None:
        try:
            if not self._pipe.poll(_PATIENCE_S):
                self.kill()
                raise Stuck("A worker said nothing for two minutes.")
            told: Told = self._pipe.recv()
        except (EOFError, ConnectionResetError):
            return None
        return told


async def one(work: Work) -> Life:
    """A worker from its start to its end."""
    return await Worker(work).end()


async def reconciled_s(settings: Mapping[str, Any]) -> float:
    """How long `docgemma orders reconcile` takes as a person runs it: with a new interpreter, to its end."""
    named = {f"DOCGEMMA_{name.upper()}": str(value) for name, value in settings.items()}
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "docgemma", "orders", "reconcile",
        env={**os.environ, **named}, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, said = await process.communicate()
    assert process.returncode == 0, said.decode()
    return time.monotonic() - began


async def several(works: list[Work], moments: Sequence[float | None]) -> list[Life]:
    """Workers beside each other, each killed at its moment, counted from when it has opened."""
    workers = [Worker(work) for work in works]
    ends = (each.end(kill_after_s=moment) for each, moment in zip(workers, moments, strict=True))
    return list(await asyncio.gather(*ends))


async def together(works: list[Work]) -> list[Life]:
    """Workers that begin their jobs at one moment."""
    workers = [Worker(work) for work in works]
    await asyncio.gather(*(each.until("ready") for each in workers))
    for each in workers:
        each.go()
    return list(await asyncio.gather(*(each.end() for each in workers)))
