"""What a turn costs beside LangChain, pydantic-ai and a bare loop, and how it grows with the session and the crowd."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.growth import FLAT, Curve
from bench.report import Row
from bench.rounds import CONTENDERS, EVERY_CALL, PEERS, SHAPES, Results, Worker, measure, model_server

ROUNDS = 3
MESSAGES = (10, 100, 1_000)
CROWD = (1, 10, 100)
_LAST = 10
_CROWD_TURNS = 200


def rows() -> Iterator[Row]:
    results, imports = measure(ROUNDS)
    yield from turn_rows(results)
    yield from call_rows(results)
    yield from (Row(f"Imports, {name}, CPU", spent, "s") for name, spent in imports.items())


def turn_rows(results: Results) -> Iterator[Row]:
    """CPU per model call against each peer, then how a turn's cost grows with concurrency."""
    for at_once in SHAPES:
        ours = results["DocGemma", at_once].per_call_ms()
        for peer in PEERS:
            goal = 0.6 if peer == "create_agent" else None
            theirs = results[peer, at_once].per_call_ms()
            yield Row(f"CPU per model call, {at_once} at once", ours, "ms", peer, theirs, goal)
        every_call, theirs = (results[name, at_once].per_call_ms() for name in (EVERY_CALL, PEERS[0]))
        yield Row(f"The same without shortcuts, {at_once} at once", every_call, "ms", PEERS[0], theirs)
    for contender in CONTENDERS:
        alone, crowded = (results[contender, at_once].per_turn_ms() for at_once in sorted(SHAPES))
        goal = 1.3 if contender == "DocGemma" else None
        yield Row(f"CPU per turn, 64 at once, {contender}", crowded, "ms", "1 at once", alone, goal)


def call_rows(results: Results) -> Iterator[Row]:
    for contender in CONTENDERS:
        yield Row(f"Model calls per turn, {contender}", results[contender, 1].calls_per_turn(), "calls")


def growth() -> Iterator[Curve]:
    with model_server() as address:
        long = asyncio.run(_one_session(f"{address}/v1"))
        yield Curve("CPU of a turn", "messages before it in the session", "ms", long, FLAT)
        worker = Worker("DocGemma", f"{address}/v1")
        try:
            crowds = tuple((at_once, _crowd(worker, at_once)) for at_once in CROWD)
        finally:
            worker.close()
        yield Curve("CPU of a turn", "turns at once", "ms", crowds, FLAT)


async def _one_session(url: str) -> tuple[tuple[int, float], ...]:
    """The median of the last few turns before each size; the model answers from a process of its own."""
    from bench.contenders.docgemma import open_turns

    spent: list[float] = []
    with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
        async with open_turns(url, Path(folder)) as turn:
            await turn("to warm up")
            for _ in range(max(MESSAGES) + 1):
                begun = time.process_time()
                await turn("long")
                spent.append((time.process_time() - begun) * 1000)
    return tuple((size, median(spent[size + 1 - _LAST : size + 1])) for size in MESSAGES)


def _crowd(worker: Worker, at_once: int) -> float:
    worker.run(at_once, at_once, turns_each=1)
    sessions = max(at_once, _CROWD_TURNS // 2)
    told = worker.run(sessions, at_once)
    return 1000 * float(told["cpu_s"]) / int(told["turns"])
