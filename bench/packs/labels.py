"""Packs of drug labels: building one out of a bulk file, its memory and size, and looking drugs up in it."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles

from bench import labels
from bench.growth import FLAT, LINEAR, Curve
from bench.packs.measuring import child
from bench.report import Row
from docgemma.sources.openfda.record import label_of
from docgemma.sources.pack.content import packed
from docgemma.sources.pack.labels.database import MOST, LabelPack
from docgemma.sources.pack.reader import open_packs

SIZE, ROUNDS = 5_000, 2
SIZES = (1_000, 10_000, 100_000)
GOAL_LOOK_UP_MS = 5.0
_QUESTIONS = 300
_ENDS_IN_S = 60
_LOOK_UP = "Look-up by words of a name, CPU"

_OURS = """
from docgemma.sources.pack.labels.build import build
build([Path(sys.argv[1])], Path(sys.argv[2]))
"""
_WHOLE = """
import json
records = json.loads(Path(sys.argv[1]).read_bytes())["results"]
index = {}
for record in records:
    for names in record["openfda"].values():
        for name in names if isinstance(names, list) else ():
            index.setdefault(str(name).upper(), []).append(record)
"""

Ask = Callable[[str], Awaitable[object]]


def growth() -> Iterator[Curve]:
    """Ours alone: at the largest size the peers would take more memory than most machines have."""
    at = {size: _alone(size) for size in SIZES}
    for what, unit, goal in (
        ("Build, CPU", "s", LINEAR),
        ("Peak memory of the build", "MB", FLAT),
        (_LOOK_UP, "ms", FLAT),
    ):
        yield Curve(what, "labels in the pack", unit, tuple((size, told[what]) for size, told in at.items()), goal)


def _alone(size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
        file, built = Path(folder, "part.json"), Path(folder, "pack")
        labels.write(file, size)
        seconds, memory = child(_OURS, file, built)
        look_up = asyncio.run(_look_up(built, size))
    return {"Build, CPU": seconds, "Peak memory of the build": memory, _LOOK_UP: look_up}


async def _look_up(built: Path, size: int) -> float:
    (pack,) = open_packs(built)
    draw = random.Random(9)
    asked = [f"sodium {labels.name(draw.randrange(labels.drugs(size)))}" for _ in range(_QUESTIONS)]
    try:
        return median(await _cpu(lambda drug: _ask(pack, drug), asked))
    finally:
        await pack.close()


def rows(size: int = SIZE, rounds: int = ROUNDS) -> list[Row]:
    """Building beside reading the whole file into a dictionary, one after the other in every round."""
    with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
        file, packs = Path(folder, "part.json"), Path(folder, "packs")
        labels.write(file, size)
        mb = file.stat().st_size / 1e6
        ours, whole = [], []
        for number in range(rounds):
            ours.append(child(_OURS, file, packs / str(number)))
            whole.append(child(_WHOLE, file, packs))
        built = packs / "0"
        pack_mb = sum(path.stat().st_size for path in built.rglob("*") if path.is_file()) / 1e6
        seconds, theirs = (median(run[0] for run in runs) for runs in (ours, whole))
        memory, their_memory = (max(run[1] for run in runs) for runs in (ours, whole))
        of = f"{size:,} labels ({mb:,.0f} MB)"
        return [
            Row(
                f"Pack of {of}: build, CPU, a MB ({mb / seconds:.1f} MB/s)",
                seconds / mb * 1000,
                "ms",
                "json.load",
                theirs / mb * 1000,
            ),
            Row(f"Pack of {of}: peak memory of the build", memory, "MB", "json.load", their_memory, goal=1),
            Row(f"Pack of {of}: size on the disk", pack_mb, "MB"),
            *asyncio.run(_look_ups(built, size, Path(folder, "fts.sqlite"))),
        ]


async def _look_ups(built: Path, size: int, fts: Path) -> list[Row]:
    """By a whole name, by words of names, and a name that is not there: ours beside SQLite's full-text index."""
    (pack,) = open_packs(built)
    peer = _full_text(fts, size)
    draw = random.Random(9)
    known = [draw.randrange(labels.drugs(size)) for _ in range(_QUESTIONS)]
    questions = {
        "whole name": [labels.name(number) for number in known],
        "words of a name": [f"sodium {labels.name(number)}" for number in known],
        "unknown name": [f"{labels.name(number)}x" for number in known],
    }
    rows = []
    for kind, asked in questions.items():
        ours = await _cpu(lambda drug: _ask(pack, drug), asked)
        theirs = await _cpu(peer, asked)
        what = f"Look-up in {size:,} labels, {kind}, CPU"
        rows += [
            Row(what, median(ours), "ms", "FTS5", median(theirs)),
            Row(f"{what}: one in a hundred takes more than", quantiles(ours, n=100)[-1], "ms", goal=GOAL_LOOK_UP_MS),
        ]
    await pack.close()
    return rows


async def _ask(pack: LabelPack, drug: str) -> object:
    return await pack.labels(drug, ends_at=asyncio.get_running_loop().time() + _ENDS_IN_S)


def _full_text(path: Path, size: int) -> Ask:
    """The same labels behind an index of their names: what one would write in an afternoon, without checksums."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE names USING fts5 (name)")
    connection.execute("CREATE TABLE label (id INTEGER PRIMARY KEY, body BLOB)")
    for number, record in enumerate(labels.records(size), 1):
        names = [
            name for key in ("brand_name", "generic_name", "substance_name") for name in record["openfda"].get(key, ())
        ]
        elements = record["spl_product_data_elements"] if not names else []
        connection.execute("INSERT INTO names (rowid, name) VALUES (?, ?)", (number, " ".join([*names, *elements])))
        connection.execute("INSERT INTO label VALUES (?, ?)", (number, packed(label_of(record))))
    connection.commit()

    async def ask(drug: str) -> object:
        words = " AND ".join(f'"{word}"' for word in drug.split())
        found = connection.execute(
            "SELECT body FROM names JOIN label ON label.id = names.rowid WHERE names MATCH ? LIMIT ?", (words, MOST)
        )
        return [json.loads(zlib.decompress(body)) for (body,) in found]

    return ask


async def _cpu(ask: Ask, questions: Sequence[str]) -> list[float]:
    for question in questions[:5]:
        await ask(question)
    spent = []
    for question in questions:
        start = time.process_time()
        await ask(question)
        spent.append((time.process_time() - start) * 1000)
    return spent
