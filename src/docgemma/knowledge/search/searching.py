"""From a question to entries, best first, each with how well it fits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from docgemma.embed import Embedder
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.index.contract import Document, Index, Scope
from docgemma.knowledge.search.asked import Asked, asked
from docgemma.knowledge.search.found import Findings, Found
from docgemma.knowledge.search.fusing import Fused, fused
from docgemma.knowledge.search.meaning import UNDERSTOOD
from docgemma.knowledge.search.readings import in_words
from docgemma.knowledge.search.relevance import FITS, NEAR, Weights, evidence, relevance, standing, weights_for
from docgemma.knowledge.search.words import entry_words, question_words

LONGEST = 500
"""Characters of a question that are searched for."""
BOTH, WORDS = "words and meaning", "words"

_OPINION, _READ = 50, 20
"""Entries that each opinion names, and of all of them those that are read and judged: 0.2 ms each."""

Read = Callable[[Sequence[str]], Awaitable[Mapping[str, Entry]]]


def document(entry: Entry, vector: Sequence[float] | None) -> Document:
    """What is indexed of an entry; without a vector, its words."""
    return Document(
        id=entry.id,
        role=entry.role,
        language=entry.language,
        topic=entry.topic,
        subtopic=entry.subtopic,
        words=entry_words(entry),
        meaning=vector,
    )


class Searcher:
    """Finds ids in the index, reads the entries themselves, and judges each against the question."""

    def __init__(self, index: Index, embedder: Embedder | None, read: Read) -> None:
        self._index = index
        self._embedder = embedder
        self._read = read

    async def search(self, question: str, scope: Scope, *, limit: int) -> Findings:
        text = question[:LONGEST].strip()
        words = question_words(in_words(text, scope.language), scope.language)
        if limit < 1 or not words:
            return Findings()
        vector = await self._vector(text, scope)
        ranked = await self._index.search(words, vector, scope, limit=_OPINION)
        taken_apart = asked(text, scope.language)
        candidates = fused(ranked, taken_apart.full)[: max(_READ, limit)]
        entries = await self._read([each.id for each in candidates])
        by_meaning = bool(ranked.meaning)
        weights = weights_for(scope.language, by_meaning=by_meaning)
        found = _judged(taken_apart, candidates, entries, scope, weights)
        return Findings(tuple(_distinct(found))[:limit], BOTH if by_meaning else WORDS)

    async def _vector(self, text: str, scope: Scope) -> Sequence[float] | None:
        if self._embedder is None or scope.language not in UNDERSTOOD:
            return None
        rows = await asyncio.to_thread(self._embedder.embed, [text])
        vector: list[float] = rows[0].tolist()
        return vector


def _judged(
    question: Asked, candidates: Iterable[Fused], entries: Mapping[str, Entry], scope: Scope, weights: Weights
) -> list[Found]:
    """Those that the library still has and the scope allows: an index may be older than the library.

    What fits comes first; among equals in that, what stands higher.
    """
    judged = []
    for each in candidates:
        entry = entries.get(each.id)
        if entry is None or not _allowed(entry, scope):
            continue
        seen = evidence(question, entry, each)
        value = relevance(seen, weights)
        judged.append((standing(seen, each, weights), Found(entry, value, value >= FITS, NEAR <= value < FITS)))
    return [found for _, found in sorted(judged, key=lambda pair: (not pair[1].fits, -pair[0]))]


def _allowed(entry: Entry, scope: Scope) -> bool:
    return (
        entry.role in scope.roles
        and entry.language == scope.language
        and scope.topic in ("", entry.topic)
        and scope.subtopic in ("", entry.subtopic)
    )


def _distinct(found: Iterable[Found]) -> Iterable[Found]:
    """The same answer once, under the question that fits best."""
    seen: set[str] = set()
    for each in found:
        answer = " ".join(each.entry.answer.casefold().split())
        if answer not in seen:
            seen.add(answer)
            yield each
