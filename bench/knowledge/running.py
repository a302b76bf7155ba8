"""Builds an index through the program's own modules and asks it everything."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.knowledge.corpus import Corpus, Question, batches
from docgemma.embed import Embedder
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.index.contract import Document, Hit, Scope, Version
from docgemma.knowledge.index.edge import EdgeIndex
from docgemma.knowledge.index.layout import EXACT_UP_TO
from docgemma.knowledge.search.asked import asked as taken_apart
from docgemma.knowledge.search.fusing import fused
from docgemma.knowledge.search.searching import Searcher, document
from docgemma.knowledge.search.words import LAYOUT, question_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEPTH = 50
_WARM_UP = 20


@dataclass(frozen=True, slots=True)
class Built:
    rows_a_second: float
    megabytes: float


@dataclass(slots=True)
class Asked:
    """For each question the ids by each way, and the relevance of the best entry."""

    words: list[list[str]] = field(default_factory=list)
    meaning: list[list[str]] = field(default_factory=list)
    fused: list[list[str]] = field(default_factory=list)
    found: list[list[str]] = field(default_factory=list)
    best: list[float] = field(default_factory=list)
    cpu_ms: float = 0.0
    embedding_ms: float = 0.0
    memory_mb: float = 0.0


async def build(
    corpus: Corpus,
    vectors: NDArray[np.float32] | None,
    embedder: Embedder | None,
    folder: Path,
    *,
    exact_up_to: int = EXACT_UP_TO,
) -> Built:
    """Vectors are there already: what is timed is words and index."""
    count = len(corpus.entries)
    version = (
        Version(1, embedder.name, embedder.dimensions, count, LAYOUT) if embedder else Version(1, "", 0, count, LAYOUT)
    )

    async def documents() -> AsyncIterator[Sequence[Document]]:
        for start, part in batches(corpus.entries):
            rows = vectors[start : start + len(part)].tolist() if vectors is not None else [None] * len(part)
            yield [document(entry, row) for entry, row in zip(part, rows, strict=True)]

    index = EdgeIndex(folder, exact_up_to=exact_up_to)
    start = time.perf_counter()
    await index.build(version, documents())
    spent = time.perf_counter() - start
    await index.close()
    size = sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
    return Built(count / spent, size / 1e6)


async def ask(corpus: Corpus, embedder: Embedder | None, folder: Path) -> Asked:
    """The library is a dictionary here: reading twenty entries from SQLite comes on top, about a millisecond."""
    by_id = {entry.id: entry for entry in corpus.entries}

    async def read(ids: Sequence[str]) -> Mapping[str, Entry]:
        return {each: by_id[each] for each in ids if each in by_id}

    asked, before = Asked(), _resident_mb()
    index = EdgeIndex(folder)
    searcher = Searcher(index, embedder, read)
    for question in corpus.questions[:_WARM_UP]:
        await searcher.search(question.text, scope_of(question), limit=20)
    start = time.process_time()
    for question in corpus.questions:
        found = (await searcher.search(question.text, scope_of(question), limit=20)).found
        asked.found.append([each.entry.id for each in found])
        asked.best.append(max((each.relevance for each in found), default=0.0))
    asked.cpu_ms = (time.process_time() - start) / len(corpus.questions) * 1e3
    asked.memory_mb = _resident_mb() - before
    await _opinions(asked, corpus, embedder, index)
    await index.close()
    return asked


async def _opinions(asked: Asked, corpus: Corpus, embedder: Embedder | None, index: EdgeIndex) -> None:
    start = time.process_time()
    texts = [question.text for question in corpus.questions]
    rows = [embedder.embed([text])[0].tolist() for text in texts] if embedder else [None] * len(texts)
    asked.embedding_ms = (time.process_time() - start) / len(texts) * 1e3
    for question, row in zip(corpus.questions, rows, strict=True):
        words = question_words(question.text, question.language)
        ranked = await index.search(words, row, scope_of(question), limit=DEPTH)
        asked.words.append(_ids(ranked.words))
        asked.meaning.append(_ids(ranked.meaning))
        asked.fused.append([each.id for each in fused(ranked, taken_apart(question.text, question.language).full)])


async def ask_peer(corpus: Corpus, folder: Path) -> list[list[str]]:
    """The engine's own BM25 with its defaults for English, over the same text in the same engine."""
    import qdrant_edge as engine

    peer = engine.Bm25(engine.Bm25Config(language="english"))

    async def documents() -> AsyncIterator[Sequence[Document]]:
        for _, part in batches(corpus.entries):
            yield [
                replace(document(entry, None), words=dict(zip(vector.indices, vector.values, strict=True)))
                for entry in part
                for vector in (peer.embed_document(f"{entry.question} {entry.topic} {entry.subtopic} {entry.answer}"),)
            ]

    index = EdgeIndex(folder)
    await index.build(Version(1, "", 0, len(corpus.entries), "peer"), documents())
    found = []
    for question in corpus.questions:
        vector = peer.embed_query(question.text)
        words = dict(zip(vector.indices, vector.values, strict=True))
        ranked = await index.search(words, None, scope_of(question), limit=DEPTH)
        found.append(_ids(ranked.words))
    await index.close()
    return found


def scope_of(question: Question) -> Scope:
    return Scope((question.role,), question.language)


def _ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.id for hit in hits]


def _resident_mb() -> float:
    """0 where the system does not say."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * 4_096 / 1e6 if status.exists() else 0.0
