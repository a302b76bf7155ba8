"""`python -m bench.grounding.scale [--criteria 5000] [--workers 1 2] [--engines local ray]`: speed, memory, same bytes.

Rules ground made-up criteria in this process, in several processes and on a Ray cluster of this machine. The digest is
over the output lines: a run on other workers must give the same one.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import importlib.util
import os
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.grounding.criteria import made_up
from bench.report import Row
from docgemma.config import Settings
from docgemma.grounding.engines.choosing import EngineName, choose_engine
from docgemma.grounding.engines.contract import Batch
from docgemma.wiring.grounding import open_ground, open_grounding

HOME = Path(".cache/grounding-bench")
SMALL, BATCH = 600, 20
_EVERY_S = 0.2


def rows() -> Iterator[Row]:
    """On one process and on two, which must give the same bytes."""
    told = [asyncio.run(measured("local", workers, SMALL, BATCH)) for workers in (1, 2)]
    for each in told:
        what = f"{SMALL} criteria by rules, workers: {each.workers}"
        yield Row(f"{what}: criteria a second", each.criteria_a_second, "1/s", better="higher")
        yield Row(f"{what}: memory", each.memory_mb, "MB")
    yield Row("Criteria that ended in an error", sum(each.errors for each in told), "criteria", goal=0)
    yield Row("Different outputs beside that of one process", len({each.digest for each in told}) - 1, "", goal=0)


@dataclass(frozen=True, slots=True)
class Measured:
    engine: str
    workers: int
    criteria_a_second: float
    first_s: float
    memory_mb: float
    errors: int
    digest: str


class Memory:
    """The most that this process and all below it take together, shared pages counted once."""

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(_EVERY_S):
            self.peak_mb = max(self.peak_mb, sum(_share_kb(pid) for pid in _family(os.getpid())) / 1024)


async def measured(engine: EngineName, workers: int, count: int, batch: int) -> Measured:
    settings = Settings(home=HOME, model="rules")
    digest = hashlib.sha256()
    with Memory() as memory:
        async with open_grounding(settings) as grounding:
            chosen = choose_engine(engine, grounding.ground, open_ground, settings.model_dump(), workers=workers)
            began = first = time.perf_counter()
            done = errors = 0
            async for each in chosen.run(_batches(count, batch)):
                if not done:
                    first = time.perf_counter()
                done += len(each.lines)
                for line in each.lines:
                    errors += bool(line.error)
                    digest.update(line.model_dump_json().encode() + b"\n")
            ended = time.perf_counter()
    rate = (done - batch) / max(ended - first, 1e-9)
    return Measured(engine, workers, rate, first - began, memory.peak_mb, errors, digest.hexdigest()[:16])


async def _batches(count: int, size: int) -> AsyncIterator[Batch]:
    waiting = []
    number = 0
    for criterion in made_up(count):
        waiting.append(criterion)
        if len(waiting) == size:
            yield Batch(f"b{number}", tuple(waiting))
            waiting = []
            number += 1
    if waiting:
        yield Batch(f"b{number}", tuple(waiting))


def _family(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    family = [root]
    for pid in family:
        family.extend(parents.get(pid, ()))
    return family


def _share_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.grounding.scale", description=__doc__)
    parser.add_argument("--criteria", type=int, default=5_000)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--engines", nargs="+", choices=["local", "ray"], default=["local", "ray"])
    options = parser.parse_args()
    print(f"{'engine':<8}{'workers':>8}{'criteria/s':>12}{'first batch s':>15}{'memory MB':>11}{'errors':>8}  digest")
    digests = set()
    for engine in options.engines:
        if engine == "ray" and importlib.util.find_spec("ray") is None:
            print("ray is not installed here: left out")
            continue
        for workers in options.workers:
            row = asyncio.run(measured(engine, workers, options.criteria, options.batch))
            digests.add(row.digest)
            print(
                f"{row.engine:<8}{row.workers:>8}{row.criteria_a_second:>12.0f}{row.first_s:>15.1f}"
                f"{row.memory_mb:>11.0f}{row.errors:>8}  {row.digest}",
                flush=True,
            )
    print("The same bytes everywhere." if len(digests) == 1 else "THE OUTPUTS DIFFER.")
    raise SystemExit(0 if len(digests) == 1 else 1)


if __name__ == "__main__":
    main()
