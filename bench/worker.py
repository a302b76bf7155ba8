"""One contender's process: reads a round as a JSON line, runs it, answers with the CPU seconds it took."""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

from bench.workload import Turn


async def run_round(turn: Turn, sessions: list[str], turns_each: int, at_once: int) -> float:
    """CPU seconds of this process, all its threads, for the round."""
    waiting = iter(sessions)

    async def serve() -> None:
        for session in waiting:
            for _ in range(turns_each):
                await turn(session)

    gc.collect()
    begun = time.process_time()
    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(serve())
    return time.process_time() - begun


async def main(contender: str, url: str, options: dict[str, Any]) -> None:
    begun = time.process_time()
    module = importlib.import_module(f"bench.contenders.{contender}")
    imported = time.process_time() - begun
    numbers = count()
    with tempfile.TemporaryDirectory() as folder:
        async with module.open_turns(url, Path(folder), **options) as turn:
            print(json.dumps({"import_cpu_s": imported}), flush=True)
            while line := await asyncio.to_thread(sys.stdin.readline):
                order = json.loads(line)
                sessions = [f"bench-{next(numbers)}" for _ in range(order["sessions"])]
                cpu = await run_round(turn, sessions, order["turns_each"], order["at_once"])
                print(json.dumps({"cpu_s": cpu, "turns": len(sessions) * order["turns_each"]}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
