"""An index in memory that ranks as the engines do, and a library that is a dictionary."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.index.contract import Document, Hit, Ranked, Scope, Version, Words
from docgemma.knowledge.search.searching import Searcher, document

if TYPE_CHECKING:
    from docgemma.embed import Embedder

ROLE = "patient_diabetes"


def entry(
    name: str, question: str, answer: str = "See your care team.", language: Language = "en", **more: str
) -> Entry:
    fields = {"role": ROLE, "topic": "General", "source": "test"} | more
    return Entry(id=name, question=question, answer=answer, language=language, **fields)


class MemoryIndex:
    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = list(documents)
        self.asked: list[tuple[Words, Sequence[float] | None]] = []

    async def version(self) -> Version | None:
        return Version(1, "", 0, len(self.documents))

    async def build(self, version: Version, documents: AsyncIterator[Sequence[Document]]) -> None:
        raise NotImplementedError

    async def close(self) -> None: ...

    async def search(self, words: Words, meaning: Sequence[float] | None, scope: Scope, *, limit: int) -> Ranked:
        self.asked.append((words, meaning))
        inside = [each for each in self.documents if each.role in scope.roles and each.language == scope.language]
        by_words = [Hit(each.id, self._score(words, each)) for each in inside]
        near = [Hit(each.id, _dot(meaning, each.meaning)) for each in inside if meaning and each.meaning]
        return Ranked(_best([hit for hit in by_words if hit.score > 0], limit), _best(near, limit))

    def _score(self, words: Words, found: Document) -> float:
        return sum(
            weight * found.words[word] * self._rarity(word) for word, weight in words.items() if word in found.words
        )

    def _rarity(self, word: int) -> float:
        having, count = sum(word in each.words for each in self.documents), len(self.documents)
        return math.log((count - having + 0.5) / (having + 0.5) + 1)


def _best(hits: list[Hit], limit: int) -> tuple[Hit, ...]:
    return tuple(sorted(hits, key=lambda hit: -hit.score)[:limit])


def _dot(one: Sequence[float] | None, other: Sequence[float] | None) -> float:
    return sum(left * right for left, right in zip(one or (), other or (), strict=True))


def searcher(
    entries: Sequence[Entry], embedder: Embedder | None = None, gone: frozenset[str] = frozenset()
) -> Searcher:
    """`gone`: indexed, but the library no longer has them."""
    from docgemma.knowledge.search.meaning import meaning_text

    rows = embedder.embed([meaning_text(each) for each in entries]).tolist() if embedder else [None] * len(entries)
    index = MemoryIndex(document(each, row) for each, row in zip(entries, rows, strict=True))

    async def read(ids: Sequence[str]) -> Mapping[str, Entry]:
        return {each.id: each for each in entries if each.id in ids and each.id not in gone}

    return Searcher(index, embedder, read)
