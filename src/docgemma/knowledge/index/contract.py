"""What an index is to the rest of the program. It finds ids; the text of an entry is always read from the library."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from docgemma.knowledge.entry import Language

Words = Mapping[int, float]
"""A text as weighted words: number of the word → weight. How rare a word is, the index knows."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be found at all. Roles and language always hold; a topic narrows further."""

    roles: tuple[str, ...]
    language: Language
    topic: str = ""
    subtopic: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """What is indexed of one entry. `meaning` is None where no embedder is installed."""

    id: str
    role: str
    language: Language
    topic: str
    subtopic: str
    words: Words
    meaning: Sequence[float] | None


@dataclass(frozen=True, slots=True)
class Hit:
    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """Two independent opinions, best first each. Putting them together is the search's business."""

    words: tuple[Hit, ...] = ()
    meaning: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """Which state of the library is indexed, and how. `embedder` is empty where there are words only.

    `layout` names how words are weighted: an index of another layout cannot be asked.
    """

    generation: int
    embedder: str
    dimensions: int
    entries: int
    layout: str = ""


class Index(Protocol):
    """One engine: Qdrant's in process, or a Qdrant server. Both keep the same layout.

    Built in a version of its own while the one before goes on answering; the switch is one step. Several processes
    read while another builds. What is wrong with engine, files or server is raised as Unavailable.
    """

    async def version(self) -> Version | None:
        """What is being answered from now; None before the first build."""
        ...

    async def build(self, version: Version, documents: AsyncIterator[Sequence[Document]]) -> None:
        """Index all of these and switch to them. Conflict when another process is building."""
        ...

    async def search(self, words: Words, meaning: Sequence[float] | None, scope: Scope, *, limit: int) -> Ranked:
        """Up to `limit` each. Empty before the first build."""
        ...

    async def close(self) -> None: ...
