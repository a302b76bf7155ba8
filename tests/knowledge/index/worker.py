"""Processes of their own for the tests of the embedded index: readers, builders, and one that meets damaged files."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from docgemma.errors import Unavailable
from docgemma.knowledge.index.contract import Document, Scope, Version
from docgemma.knowledge.index.edge import EdgeIndex
from tests.knowledge.index.entries import NURSE, build, document, ids

ENTRIES = 40


def base(generation: int) -> list[Document]:
    """Every entry says of which generation it is."""
    return [document(f"g{generation}-{number}", [1, number], meaning=[1.0, number]) for number in range(ENTRIES)]


async def reads(folder: Path, stop: Path) -> None:
    """Search until told to stop; say which generations were seen, and stop at the first answer that mixes two."""
    index, seen, searches = EdgeIndex(folder), list[str](), 0
    print("ready", flush=True)
    while not stop.exists():
        found = await index.search({1: 1.0}, [1.0, 1.0], NURSE, limit=ENTRIES)
        generations = {entry.split("-")[0] for entry in ids(found.words) + ids(found.meaning)}
        assert len(generations) == 1, f"an answer of {generations}"
        assert len(found.words) == len(found.meaning) == ENTRIES, f"half an answer of {generations}"
        seen += [each for each in generations if not seen or seen[-1] != each]
        searches += 1
    await index.close()
    print(json.dumps({"searches": searches, "seen": seen}), flush=True)


async def builds(folder: Path, first: int, last: int) -> None:
    index = EdgeIndex(folder)
    for generation in range(first, last + 1):
        await build(index, base(generation), generation)
    await index.close()


async def hangs(folder: Path) -> None:
    """Begin to build, say so, and never come to an end."""

    async def endless() -> AsyncIterator[Sequence[Document]]:
        yield base(9)[:10]
        print("building", flush=True)
        await asyncio.sleep(3600)

    await EdgeIndex(folder).build(Version(9, "embedder-1", 2, ENTRIES), endless())


async def flips(folder: Path, seed: int, rounds: int) -> None:
    """Change one byte somewhere, search, put it back. Every answer must be the right one, or a refusal."""
    random_ = random.Random(seed)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    known = {each.id for each in base(1)}
    counts = {"answered": 0, "refused": 0}
    for _ in range(rounds):
        path = random_.choice(files)
        place = _place(path, random_)
        before = _changed(path, place, None)
        print(f"{path.name} {place}", file=sys.stderr, flush=True)
        _changed(path, place, bytes([before[0] ^ (1 << random_.randrange(8))]))
        index = EdgeIndex(folder)
        try:
            found = await index.search({1: 1.0, 3: 1.0}, [1.0, 1.0], Scope(("nurse",), "en", "Wounds"), limit=ENTRIES)
            assert set(ids(found.words) + ids(found.meaning)) <= known, f"a foreign entry after {path.name} {place}"
            counts["answered"] += 1
        except Unavailable as error:
            assert "docgemma kb index" in str(error), str(error)
            counts["refused"] += 1
        await index.close()
        if path.exists():
            _changed(path, place, before)
    print(json.dumps(counts), flush=True)


def _place(path: Path, random_: random.Random) -> int:
    """Where the engine's data is: most of its files is empty space behind it."""
    data = path.read_bytes()
    used = len(data.rstrip(b"\0")) or len(data)
    return random_.randrange(used)


def _changed(path: Path, place: int, value: bytes | None) -> bytes:
    with path.open("r+b") as file:
        file.seek(place)
        before = file.read(1)
        if value is not None:
            file.seek(place)
            file.write(value)
    return before


def main() -> None:
    what, folder, *more = sys.argv[1:]
    at = Path(folder)
    if what == "reads":
        asyncio.run(reads(at, Path(more[0])))
    elif what == "builds":
        asyncio.run(builds(at, int(more[0]), int(more[1])))
    elif what == "hangs":
        asyncio.run(hangs(at))
    elif what == "flips":
        asyncio.run(flips(at, int(more[0]), int(more[1])))


if __name__ == "__main__":
    main()
