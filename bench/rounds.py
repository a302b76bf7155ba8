"""Starts the fake model server and one process per contender, and runs their rounds in turn, never two at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

EVERY_CALL = "DocGemma without shortcuts"
CONTENDERS: dict[str, tuple[str, dict[str, Any]]] = {
    "DocGemma": ("docgemma", {}),
    EVERY_CALL: ("docgemma", {"shortcuts": False}),
    "create_agent": ("langchain", {}),
    "pydantic-ai": ("pydantic_ai", {}),
    "bare loop": ("bare", {}),
}
"""Each name with its module and options. DocGemma comes first; it is what the peers are compared with."""
PEERS = ("create_agent", "pydantic-ai", "bare loop")
TURNS_EACH = 2
SHAPES = {1: 16, 64: 64}
"""Sessions per round, by how many run at once. Every session has the same number of turns, so histories match."""


@dataclass(frozen=True, slots=True)
class Round:
    """One contender's round: CPU seconds of its process alone, and the model calls the server counted."""

    cpu_s: float
    turns: int
    calls: int


@dataclass(slots=True)
class Series:
    """All rounds of one contender at one concurrency."""

    rounds: list[Round] = field(default_factory=list)

    def per_call_ms(self) -> float:
        return median(1000 * each.cpu_s / each.calls for each in self.rounds)

    def per_turn_ms(self) -> float:
        return median(1000 * each.cpu_s / each.turns for each in self.rounds)

    def calls_per_turn(self) -> float:
        return median(each.calls / each.turns for each in self.rounds)


Results = dict[tuple[str, int], Series]


class Worker:
    """A contender's process, spoken to in JSON lines."""

    def __init__(self, contender: str, url: str) -> None:
        module, options = CONTENDERS[contender]
        quiet = {**os.environ, "LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.worker", module, url, json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=quiet,
            text=True,
        )
        self.contender = contender
        self.import_cpu_s: float = self._read()["import_cpu_s"]

    def run(self, sessions: int, at_once: int, turns_each: int = TURNS_EACH) -> dict[str, Any]:
        assert self._process.stdin
        order = {"sessions": sessions, "turns_each": turns_each, "at_once": at_once}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._read()

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(timeout=30)

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"bench: the {self.contender} process ended early; its reason stands above.")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def model_server() -> Iterator[str]:
    """The fake server in a process of its own, so that its work is nobody's CPU. Yields its address."""
    process = subprocess.Popen([sys.executable, "-m", "bench.server"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        port = process.stdout.readline().strip()
        if not port:
            raise SystemExit("bench: the fake model server did not start.")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=10)


def counted(address: str) -> int:
    with urllib.request.urlopen(f"{address}/counts", timeout=10) as reply:
        return sum(json.load(reply).values())


def measure(rounds: int) -> tuple[Results, dict[str, float]]:
    """Interleaved rounds of every contender and concurrency, and what each contender's imports cost."""
    results: Results = {(contender, at_once): Series() for contender in CONTENDERS for at_once in SHAPES}
    with ExitStack() as stack:
        address = stack.enter_context(model_server())
        workers = [Worker(contender, f"{address}/v1") for contender in CONTENDERS]
        for worker in workers:
            stack.callback(worker.close)
            for at_once in SHAPES:
                worker.run(at_once, at_once, turns_each=1)
        for number in range(rounds):
            order = workers if number % 2 == 0 else workers[::-1]
            for at_once, sessions in SHAPES.items():
                for worker in order:
                    before = counted(address)
                    answer = worker.run(sessions, at_once)
                    calls = counted(address) - before
                    results[worker.contender, at_once].rounds.append(Round(answer["cpu_s"], answer["turns"], calls))
            print(f"bench: round {number + 1} of {rounds}", file=sys.stderr)
        return results, {worker.contender: worker.import_cpu_s for worker in workers}
