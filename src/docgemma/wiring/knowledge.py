"""Which library and which index the knowledge base has, by the settings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from threading import Lock

from docgemma.config import Settings
from docgemma.embed import Embedder, open_minilm
from docgemma.fetch.door import Door
from docgemma.knowledge.base import KnowledgeBase
from docgemma.knowledge.index.contract import Index
from docgemma.knowledge.library.library import open_library


class Once:
    """Loads the embedder at the first wish, for everybody who wants it: it is the largest thing in memory."""

    def __init__(self, load: Callable[[], Embedder | None]) -> None:
        self._load = load
        self._loading = Lock()
        self._loaded: tuple[Embedder | None] | None = None

    def __call__(self) -> Embedder | None:
        with self._loading:
            if self._loaded is None:
                self._loaded = (self._load(),)
            return self._loaded[0]


def embedder_folder(settings: Settings) -> Path:
    """Where a sentence embedder is looked for."""
    return settings.embedder or settings.home / "models" / "minilm"


def embedder_of(settings: Settings) -> Once:
    return Once(partial(open_minilm, embedder_folder(settings)))


@asynccontextmanager
async def open_knowledge(
    settings: Settings, door: Door | None = None, load: Callable[[], Embedder | None] | None = None
) -> AsyncIterator[KnowledgeBase]:
    """The base for as long as it is used. Nothing is read before the first question."""
    if door is None:
        async with Door() as own, open_knowledge(settings, own, load) as base:
            yield base
        return
    library, index = open_library(settings.knowledge_address), knowledge_index(settings, door)
    vectors = settings.knowledge_folder / "vectors.sqlite"
    async with KnowledgeBase(library, index, vectors=vectors, load=load or embedder_of(settings)) as base:
        yield base


def knowledge_index(settings: Settings, door: Door) -> Index:
    """A Qdrant server where an address is given, else Qdrant's engine in this process."""
    if settings.qdrant_url is not None:
        from docgemma.knowledge.index.server import ServerIndex

        key = settings.qdrant_api_key
        return ServerIndex(
            door,
            settings.qdrant_url,
            api_key=key.get_secret_value() if key else None,
            allow_http=settings.allow_http_qdrant,
        )
    from docgemma.knowledge.index.edge import EdgeIndex

    return EdgeIndex(settings.knowledge_folder / "index")
