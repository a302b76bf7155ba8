"""Packs of articles: build one, ask it, and compare it with what one would write in an afternoon.

The peer is SQLite's full-text index as it comes: the records beside it as JSON, nothing sealed, nothing folded.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles

from bench.growth import FLAT, LINEAR, Curve
from bench.packs import articles
from bench.packs.measuring import child
from bench.report import Row
from docgemma.sources.literature.contract import Sought
from docgemma.sources.pack.documents.articles import MOST, EuropePmcPack
from docgemma.sources.pack.reader import open_literature_packs

SIZE, FULL, QUESTIONS, SCANS = 5_000, 200_000, 200, 5
SIZES = (2_000, 20_000, 200_000)
GOAL_QUESTION_MS = 20.0
_ENDS_IN_S = 60
_ASKED = "A question, CPU"
_OURS = """
from docgemma.sources.pack.documents.articles import Articles
from docgemma.sources.pack.documents.recipe import build
build(Articles(), [Path(sys.argv[1])], Path(sys.argv[2]))
"""
_PEER = """
import json, re, sqlite3
database = sqlite3.connect(Path(sys.argv[2], "peer.sqlite"))
database.execute("CREATE VIRTUAL TABLE words USING fts5 (title, terms, abstract)")
database.execute("CREATE TABLE article (id INTEGER PRIMARY KEY, year INTEGER, body TEXT)")
with open(sys.argv[1], encoding="utf-8") as lines:
    for number, line in enumerate(lines, 1):
        record = json.loads(line)
        terms = [one["descriptorName"] for one in record["meshHeadingList"]["meshHeading"]]
        terms += record["keywordList"]["keyword"]
        abstract = re.sub("<[^>]+>", " ", record["abstractText"])
        values = (number, record["title"], " ".join(terms), abstract)
        database.execute("INSERT INTO words (rowid, title, terms, abstract) VALUES (?, ?, ?, ?)", values)
        database.execute("INSERT INTO article VALUES (?, ?, ?)", (number, int(record["pubYear"]), line))
database.commit()
"""


def rows(size: int = SIZE) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
        return _beside_the_peer(Path(folder), size)


def growth() -> Iterator[Curve]:
    at = {size: _alone(size) for size in SIZES}
    for what, unit, goal in (
        ("Build, CPU", "s", LINEAR),
        ("Peak memory of the build", "MB", FLAT),
        (_ASKED, "ms", FLAT),
    ):
        yield Curve(what, "articles in the pack", unit, tuple((size, told[what]) for size, told in at.items()), goal)


def _alone(size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
        file, packs = Path(folder, "articles.jsonl"), Path(folder, "packs")
        articles.write(file, size)
        seconds, memory = child(_OURS, file, packs)
        return {"Build, CPU": seconds, "Peak memory of the build": memory, _ASKED: asyncio.run(_median_question(packs))}


async def _median_question(packs: Path) -> float:
    (pack,) = open_literature_packs(packs)
    assert isinstance(pack, EuropePmcPack)
    first, *asked = articles.questions(QUESTIONS + 1)
    await _ours(pack, first)
    spent = []
    for sought in asked:
        start = time.process_time()
        await _ours(pack, sought)
        spent.append((time.process_time() - start) * 1000)
    await pack.close()
    return median(spent)


def _beside_the_peer(folder: Path, size: int) -> list[Row]:
    file, packs, peer = folder / "articles.jsonl", folder / "packs", folder / "peer"
    peer.mkdir()
    articles.write(file, size)
    mb = file.stat().st_size / 1e6
    seconds, memory = child(_OURS, file, packs)
    their_seconds, their_memory = child(_PEER, file, peer)
    pack_mb, peer_mb = _mb(packs), _mb(peer)
    of = f"{size:,} articles ({mb:,.0f} MB)"
    speed = f"{mb / seconds:.1f} MB/s, {size / seconds:,.0f} articles/s"
    return [
        Row(f"Pack of {of}: build, CPU ({speed})", seconds, "s", "plain FTS5", their_seconds),
        Row(f"Pack of {of}: peak memory of the build", memory, "MB", "plain FTS5", their_memory),
        Row(f"Pack of {of}: size on the disk", pack_mb, "MB", "plain FTS5", peer_mb),
        *asyncio.run(_asked(packs, peer / "peer.sqlite", size)),
    ]


def _mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


async def _asked(packs: Path, peer: Path, size: int) -> list[Row]:
    """The same questions to both, by turns."""
    (pack,) = open_literature_packs(packs)
    assert isinstance(pack, EuropePmcPack)
    database = sqlite3.connect(peer)
    first, *asked = articles.questions(QUESTIONS + 1)
    start = time.perf_counter()
    await _ours(pack, first)
    opening = (time.perf_counter() - start) * 1000
    await _ours(pack, first)
    ours, theirs, found = [], [], 0
    for sought in asked:
        start = time.process_time()
        found += await _ours(pack, sought)
        ours.append((time.process_time() - start) * 1000)
        theirs.append(_timed(_theirs, database, sought))
    scans = [_timed(_scan, database, sought) for sought in asked[:SCANS]]
    await pack.close()
    database.close()
    what = f"{len(asked)} questions to {size:,} articles ({found} with an answer), CPU"
    return [
        Row(f"First question, with the comparison of the index, of {size:,} articles", opening, "ms"),
        Row(f"{what}, median", median(ours), "ms", "plain FTS5", median(theirs)),
        Row(f"{what}, median against its goal", median(ours), "ms", goal=GOAL_QUESTION_MS),
        Row(f"{what}: one in twenty takes more than", _late(ours), "ms", "plain FTS5", _late(theirs)),
        Row("The same, beside LIKE over all records, median", median(ours), "ms", "LIKE", median(scans)),
    ]


def _late(times: Sequence[float]) -> float:
    return quantiles(times, n=20)[-1]


def _timed(ask: Callable[[sqlite3.Connection, Sought], object], database: sqlite3.Connection, sought: Sought) -> float:
    start = time.process_time()
    ask(database, sought)
    return (time.process_time() - start) * 1000


async def _ours(pack: EuropePmcPack, sought: Sought) -> bool:
    return await pack.search(sought, ends_at=asyncio.get_running_loop().time() + _ENDS_IN_S) is not None


def _theirs(database: sqlite3.Connection, sought: Sought) -> object:
    """The best fifty, and how many there are."""
    words = " AND ".join("(" + " OR ".join(f'"{phrase}"' for phrase in concept) + ")" for concept in sought.concepts)
    source = "FROM words JOIN article ON article.id = words.rowid WHERE words MATCH ? AND article.year >= ?"
    values = (words, sought.since or 0)
    total = database.execute(f"SELECT COUNT(*) {source}", values).fetchone()
    best = database.execute(f"SELECT body {source} ORDER BY bm25(words, 8, 3, 1) LIMIT ?", (*values, MOST))
    return total, [json.loads(body) for (body,) in best]


def _scan(database: sqlite3.Connection, sought: Sought) -> object:
    where = " AND ".join("(" + " OR ".join("body LIKE ?" for _ in concept) + ")" for concept in sought.concepts)
    values = tuple(f"%{phrase}%" for concept in sought.concepts for phrase in concept)
    return database.execute(f"SELECT id FROM article WHERE {where} LIMIT ?", (*values, MOST)).fetchall()
