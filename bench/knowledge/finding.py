"""Finding entries at a small size: MedQuAD by words alone, and the demonstration entries that ship by both ways."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.growth import FLAT, LINEAR, Curve
from bench.knowledge.corpus import MEDQUAD, Corpus, demonstration, medquad, vectors
from bench.knowledge.retrieval import GOAL_MS, WEIGHTS
from bench.knowledge.running import Asked, Built, ask, ask_peer, build
from bench.knowledge.scores import Scores, as_keys, scores
from bench.report import Row, Skipped, skipped
from docgemma.embed import Embedder, open_minilm

SIZES = (1_000, 10_000, 100_000)
ASKED = 100
_MEDQUAD = "MedQuAD by words"
_ABSENT = f"{MEDQUAD} is not beside the repository"


def rows() -> Iterator[Row]:
    if MEDQUAD.exists():
        yield from _beside_the_peer(medquad())
    else:
        yield skipped(_MEDQUAD, _ABSENT)
    embedder = open_minilm(WEIGHTS)
    way = "words and meaning" if embedder else "words alone (`make embedder` brings meaning)"
    for corpus in (demonstration("en"), demonstration("vi")):
        _, asked = asyncio.run(_found(corpus, embedder))
        found = _scored(corpus, asked.found)
        yield Row(f"{corpus.name}, {way}: a right entry first", found.at_1 * 100, "%")
        yield Row(f"{corpus.name}, {way}: a question, CPU", asked.cpu_ms, "ms", goal=GOAL_MS)


def _beside_the_peer(corpus: Corpus) -> Iterator[Row]:
    """The engine's own BM25 sees the same entries and questions; the goal is to be no worse."""
    built, asked = asyncio.run(_found(corpus, None))
    with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
        theirs = _scored(corpus, asyncio.run(ask_peer(corpus, Path(folder) / "peer")))
    ours = _scored(corpus, asked.words)
    what = f"{_MEDQUAD}, {len(corpus.entries):,} entries, {ours.asked} questions"
    for share, us, them in (
        ("a right entry first", ours.at_1, theirs.at_1),
        ("a right entry among five", ours.at_5, theirs.at_5),
        ("nDCG@10", ours.ndcg_10, theirs.ndcg_10),
    ):
        yield Row(f"{what}: {share}", us * 100, "%", "Qdrant BM25", them * 100, 1.0, "higher")
    yield Row(f"{_MEDQUAD}: a question, CPU", asked.cpu_ms, "ms", goal=GOAL_MS)
    yield Row(f"{_MEDQUAD}: entries indexed a second", built.rows_a_second, "1/s")


def growth() -> Iterator[Curve]:
    """Entries made of MedQuAD's fill the larger sizes; by words alone, because vectors take longer than the rest."""
    if not MEDQUAD.exists():
        raise Skipped(_ABSENT)
    whole = medquad(max(SIZES))
    told = {}
    for size in SIZES:
        part = replace(whole, entries=whole.entries[:size], questions=whole.questions[:ASKED], mixed=[])
        told[size] = asyncio.run(_found(part, None))
    asked = tuple((size, found.cpu_ms) for size, (_, found) in told.items())
    took = tuple((size, size / built.rows_a_second) for size, (built, _) in told.items())
    memory = tuple((size, built.megabytes) for size, (built, _) in told.items())
    yield Curve("A question, CPU", "entries in the knowledge base", "ms", asked, FLAT)
    yield Curve("Indexing", "entries in the knowledge base", "s", took, LINEAR)
    yield Curve("The index on the disk", "entries in the knowledge base", "MB", memory, LINEAR)


async def _found(corpus: Corpus, embedder: Embedder | None) -> tuple[Built, Asked]:
    made = vectors(corpus, embedder) if embedder else None
    with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
        built = await build(corpus, made, embedder, Path(folder) / "index")
        return built, await ask(corpus, embedder, Path(folder) / "index")


def _scored(corpus: Corpus, ranked: list[list[str]]) -> Scores:
    """On the half of the questions that nothing was tuned on."""
    return scores(
        [
            (as_keys(ids, corpus.keys), question.relevant)
            for question, ids in zip(corpus.questions, ranked, strict=True)
            if question.split == "test" and question.relevant
        ]
    )
