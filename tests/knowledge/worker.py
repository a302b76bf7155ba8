"""A knowledge base whose every answer says of which version it is, and processes of their own that use it.

As a program: `starts`, `asks`, `ingests` and `kills` on a home folder.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import re
import signal
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docgemma.embed import Embedder
from docgemma.knowledge.base import KnowledgeBase
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.index.edge import EdgeIndex
from docgemma.knowledge.ingesting import Ingested, Told, untold
from docgemma.knowledge.library.library import Library, open_library
from docgemma.knowledge.reading.contract import Problem, Row
from docgemma.knowledge.search.found import Findings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NURSE = Scope(("nurse",), "en")
WOUNDS = "How is a wound dressed?"
_SAYS = re.compile(r"of version (\d+)\.")


class Letters:
    """An embedder of a few numbers: texts that share words lie near each other."""

    def __init__(self, name: str = "letters", dimensions: int = 16) -> None:
        self.name, self.dimensions = name, dimensions
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        self.texts += texts
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in (self.name, *re.findall(r"\w+", text.casefold())):
                rows[row, hashlib.sha256(word.encode()).digest()[0] % self.dimensions] += 1.0
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def entry(number: int | str, version: int = 1, *, role: str = "nurse", language: Language = "en", **more: Any) -> Entry:
    fields = {
        "id": f"e-{number}",
        "question": f"How is a wound of kind {number} dressed?",
        "answer": f"Rinse wound {number} and cover it. This is of version {version}.",
        "topic": "Wounds",
        "subtopic": "Dressing",
        "source": "Ward handbook",
    }
    return Entry(**{**fields, **more}, role=role, language=language)


def handbook(version: int, count: int) -> list[Entry]:
    """Every entry changes with each version, and one is in no other version."""
    return [*(entry(number, version) for number in range(count)), entry(f"only-{version}", version)]


def rows(entries: Iterable[Entry | Problem]) -> Callable[[], Iterator[Row | Problem]]:
    found = list(entries)
    return lambda: (
        each if isinstance(each, Problem) else Row("handbook.jsonl", number, each) for number, each in enumerate(found)
    )


def base_of(
    home: Path,
    embedder: Embedder | None = None,
    *,
    library: Library | None = None,
    index: EdgeIndex | None = None,
    **settings: Any,
) -> KnowledgeBase:
    """As the program makes it: what is in memory is this one's own, so that two are like two processes."""
    settings.setdefault("load", lambda: embedder)
    return KnowledgeBase(
        library or library_of(home), index or EdgeIndex(home / "index"), vectors=home / "vectors.sqlite", **settings
    )


def library_of(home: Path) -> Library:
    return open_library(str(home / "knowledge.sqlite"))


async def stored(library: Library, entries: Sequence[Entry]) -> None:
    """Into the library and nowhere else: as if the process had died before it could build an index."""
    await library.open()
    import_id = await library.begin_import(by="tests")
    await library.stage(import_id, entries)
    await library.finish_import(import_id, replace_demonstration=True)


def ids(found: Findings) -> list[str]:
    return [each.entry.id for each in found.found]


def versions(found: Findings) -> list[int]:
    return [version_of(each.entry) for each in found.found]


def version_of(each: Entry) -> int:
    """An answer that is cut or mixed up does not say it."""
    said = _SAYS.search(each.answer)
    assert said is not None, f"{each.id} has half an answer"
    number = each.id.removeprefix("e-")
    assert each.answer == entry(number, int(said[1])).answer, f"{each.id} has somebody else's answer"
    return int(said[1])


async def starts(home: Path) -> dict[str, int]:
    """The first question of a new process."""
    async with base_of(home) as base:
        found = await base.search("What is HbA1c?", Scope(("patient_diabetes",), "en"))
        return {"found": len(found.found), "entries": (await base.info()).entries}


async def asks(home: Path, stop: Path) -> dict[str, Any]:
    """Ask until told to stop. Which versions were seen, in this order; stops at the first answer that mixes two."""
    seen: list[int] = []
    asked = 0
    async with base_of(home) as base:
        print("ready", flush=True)
        while not stop.exists():
            found = await base.search(WOUNDS, NURSE, limit=10)
            told = versions(found)
            assert len(told) == 10, f"{len(told)} answers instead of 10"
            assert len(set(told)) == 1, f"an answer of the versions {told}"
            assert all(told[0] == int(each.split("-")[2]) for each in ids(found) if "only" in each), ids(found)
            seen += told[:1] if not seen or seen[-1] != told[0] else []
            asked += 1
    return {"asked": asked, "seen": seen}


async def ingests(home: Path, first: int, last: int, count: int, told: Told = untold) -> list[dict[str, int]]:
    """One version after the other."""
    async with base_of(home) as base:
        return [asdict(await _taken(base, version, count, told)) for version in range(first, last + 1)]


async def _taken(base: KnowledgeBase, version: int, count: int, told: Told) -> Ingested:
    return await base.ingest(rows(handbook(version, count)), by="tests", withdraw_missing=True, on_progress=told)


async def _stands(home: Path, count: int) -> int:
    """Which version the whole base is of: all entries, and all that is found."""
    async with base_of(home) as base:
        found = await base.search(WOUNDS, NURSE, limit=10)
        current = [each async for batch in base.library.each_current() for each in batch]
        whole = {version_of(each) for each in current}
        assert len(whole) == 1, f"a base of the versions {whole}"
        version = whole.pop()
        assert sorted(each.id for each in current) == sorted(each.id for each in handbook(version, count))
        assert versions(found) == [version] * 10, f"answers of {versions(found)} from a base of {version}"
        assert not found.notices, found.notices
        for each in current[:3]:
            history = await base.library.history(each.id)
            assert [row.state for row in history].count("current") == 1
            assert len({row.version for row in history}) == len(history)
    return version


def kills(home: Path, seed: int, rounds: int, count: int) -> dict[str, int]:
    """Kill an ingest at some moment, look at what is left, and run the same ingest to its end; again and again.

    Children are forked from a process that has no thread yet: most of a fresh one's time would be its imports.
    """
    dice, outcome = random.Random(seed), {"before": 0, "after": 0, "ended": 0}
    took = _timed(lambda: _forked(lambda: ingests(home, 1, 1, count)))
    steps = {"": took / 3, "reading": took / 50, "storing": 0.0, "indexing": took / 3}
    for version in range(2, rounds + 2):
        step = list(steps)[version % len(steps)]
        killed = _killed(partial(ingests, home, version, version, count), step, dice.uniform(0, steps[step]))
        old = _forked(lambda: _stands(home, count))
        assert old in (version - 1, version), f"version {old} after a kill of {version}"
        outcome["ended" if not killed else "after" if old == version else "before"] += 1
        done = _forked(partial(ingests, home, version, version, count))[0]
        fresh = {"rows": count + 1, "changed": count, "new": 1, "unchanged": 0, "withdrawn": 1}
        again = {"rows": count + 1, "changed": 0, "new": 0, "unchanged": count + 1, "withdrawn": 0}
        expected = fresh if old == version - 1 else again
        assert {name: done[name] for name in expected} == expected, done
        assert _forked(lambda: _stands(home, count)) == version
    return outcome


def _timed(work: Callable[[], Any]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start


def _forked(work: Callable[[], Awaitable[Any]]) -> Any:
    """What it gives, worked out in a child."""
    reading, writing = os.pipe()
    child = _child(work, writing)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    assert os.waitpid(child, 0)[1] == 0, "a child failed; what it says stands above"
    return json.loads(text)


def _killed(work: Callable[[Told], Awaitable[Any]], step: str, after_s: float) -> bool:
    """Begin it in a child that is killed this long after it came to the step; whether that came before its end."""
    reading, writing = os.pipe()
    child = _child(lambda: work(lambda at, *_: _say(writing, at)), os.open(os.devnull, os.O_WRONLY))
    os.close(writing)
    with os.fdopen(reading) as said:
        while step and (line := said.readline()) and line.strip() != step:
            pass
        time.sleep(after_s)
        os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _say(writing: int, what: str) -> None:
    os.write(writing, f"{what}\n".encode())


def _child(work: Callable[[], Awaitable[Any]], writing: int) -> int:
    child = os.fork()
    if child:
        return child
    code = 1

    async def run() -> Any:
        return await work()

    try:
        os.write(writing, json.dumps(asyncio.run(run())).encode())
        code = 0
    finally:
        if code:
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(code)


def main() -> None:
    what, folder, *more = sys.argv[1:]
    home = Path(folder)
    if what == "kills":
        import qdrant_edge  # noqa: F401 - once, for all children

        seed, rounds, count = map(int, more)
        found: Any = kills(home, seed, rounds, count)
    elif what == "starts":
        found = asyncio.run(starts(home))
    elif what == "asks":
        found = asyncio.run(asks(home, Path(more[0])))
    else:
        first, last, count = map(int, more)
        found = asyncio.run(ingests(home, first, last, count))
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
