"""Small bases to index, and ways to hand them over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence

from docgemma.knowledge.entry import Language
from docgemma.knowledge.index.contract import Document, Hit, Index, Scope, Version

NURSE = Scope(("nurse",), "en")


def document(
    entry: str,
    words: Iterable[int] = (1,),
    *,
    role: str = "nurse",
    language: Language = "en",
    topic: str = "Wounds",
    subtopic: str = "",
    meaning: Sequence[float] | None = None,
) -> Document:
    return Document(entry, role, language, topic, subtopic, dict.fromkeys(words, 1.0), meaning)


async def handed(documents: Sequence[Document], size: int = 3) -> AsyncIterator[Sequence[Document]]:
    for start in range(0, len(documents), size):
        yield documents[start : start + size]


def version_of(documents: Sequence[Document], generation: int = 1) -> Version:
    meant = next((len(each.meaning) for each in documents if each.meaning is not None), 0)
    return Version(generation, "embedder-1" if meant else "", meant, len(documents))


async def build(index: Index, documents: Sequence[Document], generation: int = 1) -> None:
    await index.build(version_of(documents, generation), handed(documents))


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.id for hit in hits]
