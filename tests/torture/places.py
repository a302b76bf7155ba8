"""The arrangements that are tortured: which record system with which ledger. Each scenario gets an empty one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import Literal, get_args

from tests.support.fhir_peer import FhirPeers, running_peers
from tests.support.postgres import empty_database, running_server
from tests.torture.worlds import World, in_process, other, served

Arrangement = Literal["embedded+sqlite", "embedded+postgres", "served+sqlite", "peer+sqlite", "peer+postgres"]
ARRANGEMENTS: tuple[Arrangement, ...] = get_args(Arrangement)


class Places:
    """Hands out worlds. Servers that take long to start are started once, when they are first needed."""

    def __init__(
        self, folder: Path, stack: ExitStack, *, peers: FhirPeers | None = None, postgres: str | None = None
    ) -> None:
        self._folder = folder
        self._stack = stack
        self._peers = peers
        self._postgres = postgres
        self._made = 0

    @asynccontextmanager
    async def world(self, arrangement: Arrangement, seed: int) -> AsyncIterator[World]:
        self._made += 1
        folder = self._folder / str(self._made)
        folder.mkdir()
        system, ledger = arrangement.split("+")
        with self._database(ledger) as database:
            if system == "embedded":
                opening = in_process(folder, database=database)
            elif system == "served":
                opening = served(folder, seed=seed, database=database)
            else:
                self._peers = self._peers or self._stack.enter_context(running_peers())
                opening = other(folder, self._peers.empty(), seed=seed, database=database)
            async with opening as world:
                yield world

    def _database(self, ledger: str) -> AbstractContextManager[str | None]:
        if ledger == "sqlite":
            return nullcontext(None)
        self._postgres = self._postgres or self._stack.enter_context(running_server())
        return empty_database(self._postgres)


@contextmanager
def places(folder: Path) -> Iterator[Places]:
    with ExitStack() as stack:
        yield Places(folder, stack)
