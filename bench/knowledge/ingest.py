"""`python -m bench.knowledge.ingest [--rows 100000] [--kills 5] [--embed] [--json]`: taking in a large base.

Once undisturbed, for the speed of each step. Then on another home, where the ingest is killed at random moments and
run again until it is done, while two other processes ask all the time: they must never get an error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.knowledge.corpus import MEDQUAD, medquad
from bench.knowledge.retrieval import WEIGHTS

ROLE = "general_practitioner"
SEED = 11
_PHASES = ("storing", "reading", "indexing")
_ASKED_EVERY_S, _LOOKED_EVERY_S = 0.05, 0.1
_PACE, _EMBEDDED = 1_000, 100
"""Rows a second that a step does at least: when to kill it."""
_QUESTIONS = (
    "What causes a low blood sugar?",
    "How is asthma treated?",
    "What are the symptoms of glaucoma?",
    "anemia",
)


@dataclass(frozen=True, slots=True)
class Home:
    """A home folder of the program, looked at from outside."""

    folder: Path
    embed: bool

    @property
    def environment(self) -> dict[str, str]:
        given = {"DOCGEMMA_HOME": str(self.folder)}
        return {**os.environ, **given, **({"DOCGEMMA_EMBEDDER": str(WEIGHTS.resolve())} if self.embed else {})}

    @property
    def current(self) -> Path:
        return self.folder / "knowledge" / "index" / "CURRENT"

    def read(self, sql: str, file: str = "knowledge.sqlite") -> Any:
        """The first value; 0 where there is none yet."""
        path = self.folder / file
        if not path.exists():
            return 0
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
                row = connection.execute(sql).fetchone()
        except sqlite3.OperationalError:
            return 0
        return row[0] if row else 0

    def generation(self) -> int:
        return int(self.read("SELECT generation FROM knowledge_state"))

    def staged(self) -> int:
        return int(self.read("SELECT COUNT(*) FROM knowledge_imported"))

    def vectors(self) -> int:
        return int(self.read("SELECT COUNT(*) FROM vectors", "knowledge/vectors.sqlite"))

    def begun(self) -> float:
        """When the last import began."""
        at = self.read("SELECT MAX(begun_at) FROM knowledge_imports")
        return datetime.fromisoformat(at).timestamp() if at else 0.0

    def told(self, *arguments: str) -> Any:
        command = [sys.executable, "-m", "docgemma", "kb", *arguments, "--json"]
        return json.loads(subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE).stdout)


@dataclass(frozen=True, slots=True)
class Run:
    """One ingest: `counts` is None when it was killed. Seconds; a step that it did not come to took none."""

    counts: dict[str, Any] | None
    wall: float
    reading: float
    storing: float
    indexing: float
    peak_mb: float
    staged: int
    vectors_before: int


def ingest(home: Home, file: Path, rows: int, kill_in: str = "", fraction: float = 0.0) -> Run:
    """`kill_in` this step, when about this fraction of it is done."""
    vectors, started = home.vectors(), time.time()
    command = [sys.executable, "-m", "docgemma", "kb", "ingest", str(file), "--json"]
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, env=home.environment, stdout=out)
        peak_mb, stored, staged = _watched(child, home, rows, kill_in, fraction)
        out.seek(0)
        text = out.read()
    now = time.time()
    if child.returncode not in (0, -9):
        raise SystemExit(f"The ingest ended with {child.returncode}.")
    begun_at = home.begun() if home.begun() > started else now
    return Run(
        counts=json.loads(text) if child.returncode == 0 else None,
        wall=now - started,
        reading=begun_at - started,
        storing=(stored or now) - begun_at,
        indexing=(home.current.stat().st_mtime if child.returncode == 0 else now) - (stored or now),
        peak_mb=peak_mb,
        staged=staged,
        vectors_before=vectors,
    )


def _watched(
    child: subprocess.Popen[bytes], home: Home, rows: int, kill_in: str, fraction: float
) -> tuple[float, float, int]:
    """Until it ends: how much memory it took, when everything was stored, and how many rows were on their way."""
    generation, started, stored, staged = home.generation(), time.time(), 0.0, 0
    while True:
        ended, status, usage = os.wait4(child.pid, os.WNOHANG)
        if ended:
            child.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_maxrss / 1e3, stored, staged
        stored = stored or (time.time() if home.generation() != generation else 0.0)
        staged = home.staged() or staged
        step = "indexing" if stored else "storing" if home.begun() > started else "reading"
        spent, pace = time.time() - (stored or started), _EMBEDDED if home.embed and stored else _PACE
        if kill_in == step and (staged / rows if step == "storing" else (spent - 1.0) * pace / rows) >= fraction:
            child.kill()
        time.sleep(_LOOKED_EVERY_S)


@contextmanager
def askers(home: Home, stop: Path, count: int = 2) -> Iterator[list[dict[str, Any]]]:
    """Processes that ask until the block ends; then the list has what they say."""
    command = [sys.executable, "-m", "bench.knowledge.ingest", "--asker", str(stop)]
    started = [subprocess.Popen(command, env=home.environment, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    reports: list[dict[str, Any]] = []
    try:
        for each in started:
            assert each.stdout is not None
            each.stdout.readline()
        yield reports
    finally:
        stop.touch()
        for each in started:
            out, _ = each.communicate(timeout=120)
            reports.append(json.loads(out or '{"errors": ["died"]}'))


async def asker(stop: Path) -> dict[str, Any]:
    import resource

    from docgemma.config import load_settings
    from docgemma.knowledge.index.contract import Scope
    from docgemma.wiring.knowledge import open_knowledge

    asked = empty = behind = 0
    errors: dict[str, int] = {}
    times: list[float] = []
    async with open_knowledge(load_settings()) as base:
        await base.search(_QUESTIONS[0], Scope((ROLE,), "en"))
        print("ready", flush=True)
        while not stop.exists():
            start = time.perf_counter()
            try:
                found = await base.search(_QUESTIONS[asked % len(_QUESTIONS)], Scope((ROLE,), "en"))
                empty, behind = empty + (not found.found), behind + bool(found.notices)
            except Exception as error:
                name = f"{type(error).__name__}: {error}"
                errors[name] = errors.get(name, 0) + 1
            times.append(time.perf_counter() - start)
            asked += 1
            await asyncio.sleep(_ASKED_EVERY_S)
    times.sort()
    return {
        "asked": asked,
        "errors": errors,
        "without_an_answer": empty,
        "told_that_the_index_is_behind": behind,
        "median_ms": round(times[len(times) // 2] * 1e3, 1),
        "p99_ms": round(times[len(times) * 99 // 100] * 1e3, 1),
        "slowest_ms": round(times[-1] * 1e3, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def write_rows(file: Path, count: int) -> None:
    """MedQuAD, filled up with mixtures of it; without it, sentences of its kind."""
    dice = random.Random(SEED)
    things = ("glaucoma", "asthma", "anemia", "blood sugar", "fever", "migraine", "eczema", "gout", "stroke", "cough")
    with file.open("w", encoding="utf-8") as out:
        if MEDQUAD.exists():
            for entry in medquad(count).entries[:count]:
                out.write(json.dumps({**entry.model_dump(exclude={"demonstration"}), "role": ROLE}) + "\n")
            return
        for number in range(count):
            one, other = dice.sample(things, 2)
            text = " ".join(f"{dice.choice(things)} comes with {dice.choice(things)}." for _ in range(40))
            question = f"What does {one} of kind {number} have to do with {other}?"
            row = {"id": f"s{number}", "question": question, "answer": text, "topic": one, "source": "made up"}
            out.write(json.dumps({**row, "role": ROLE, "language": "en"}) + "\n")


def size_mb(path: Path) -> float:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_blocks * 512 for each in files) / 1e6


def undisturbed(home: Home, file: Path, rows: int) -> dict[str, Any]:
    done = ingest(home, file, rows)
    return {
        "seconds": {name: round(getattr(done, name), 1) for name in ("reading", "storing", "indexing", "wall")},
        "rows_a_second": {
            name: round(rows / max(getattr(done, name), 0.01)) for name in ("reading", "storing", "indexing", "wall")
        },
        "peak_mb": round(done.peak_mb),
        "library_mb": round(size_mb(home.folder / "knowledge.sqlite")),
        "index_mb": round(size_mb((home.current.parent / home.current.read_text().strip()).resolve())),
        "vectors_mb": round(size_mb(home.folder / "knowledge" / "vectors.sqlite"), 1) if home.embed else 0,
    }


def disturbed(home: Home, file: Path, rows: int, kills: int) -> dict[str, Any]:
    dice = random.Random(SEED)
    home.told("info")  # the demonstration entries, which are asked first
    with askers(home, home.folder / "stop") as reports:
        killed: list[Run] = []
        for number in range(kills):
            run = ingest(home, file, rows, _PHASES[number % len(_PHASES)], dice.random())
            if run.counts is None:
                killed.append(run)
        last = ingest(home, file, rows)
    info = home.told("info")
    return {
        "kills": len(killed),
        "seconds_of_killed_runs": round(sum(run.wall for run in killed), 1),
        "rows_stored_before_kills": [run.staged for run in killed],
        "last_run_seconds": round(last.wall, 1),
        "last_run": last.counts,
        "vectors_from_the_cache": last.vectors_before,
        "peak_mb": round(max(run.peak_mb for run in (*killed, last))),
        "askers": reports,
        "entries": info["entries"],
        "index": info["index"],
        "right": info["entries"] == rows and not any(report["errors"] for report in reports),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.knowledge.ingest", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--embed", action="store_true", help="with sentence vectors; `make embedder` brings the model")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    parser.add_argument("--asker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.asker:
        print(json.dumps(asyncio.run(asker(options.asker))))
        return
    if options.embed and not WEIGHTS.exists():
        raise SystemExit(f"There is no embedder in {WEIGHTS}: `make embedder` brings it.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        write_rows(file, options.rows)
        homes = [Home(Path(folder) / name, options.embed) for name in ("quiet", "busy")]
        figures = {
            "rows": options.rows,
            "file_mb": round(size_mb(file)),
            "undisturbed": undisturbed(homes[0], file, options.rows),
            "disturbed": disturbed(homes[1], file, options.rows, options.kills),
        }
    print(json.dumps(figures) if options.json else json.dumps(figures, indent=1))
    if not figures["disturbed"]["right"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
