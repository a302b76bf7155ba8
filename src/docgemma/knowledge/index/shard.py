"""Qdrant's engine in this process: one shard, made once and from then on only read. Nothing else knows the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from docgemma.errors import Unavailable
from docgemma.knowledge.index.contract import Document, Hit, Ranked, Scope, Version, Words
from docgemma.knowledge.index.layout import (
    EXACT_UP_TO,
    FILTERED,
    MEANING,
    WORDS,
    conditions,
    counted,
    damaged,
    hit,
    measured,
    payload_of,
    point_id,
    sparse,
)

if TYPE_CHECKING:
    from qdrant_edge import EdgeConfig, EdgeShard, Filter, Point, QueryRequest

_AT_ONCE = 1_000
_LINKS, _CARE, _SCAN_KB = 16, 100, 10_000


class Writing:
    """A shard in the making. `finish` leaves it on the disk, closed."""

    def __init__(self, folder: Path, version: Version, *, exact_up_to: int = EXACT_UP_TO) -> None:
        import qdrant_edge as engine

        folder.mkdir()
        self._folder = folder
        self._version = version
        self._ids: set[str] = set()
        with _explained(_unwritten):
            self._shard = engine.EdgeShard.create(str(folder), _config(version, exact=version.entries <= exact_up_to))
            for key in FILTERED:
                kind = engine.PayloadSchemaType.Keyword
                self._shard.update(engine.UpdateOperation.create_field_index(key, kind))

    def add(self, documents: Sequence[Document]) -> None:
        from qdrant_edge import UpdateOperation

        for start in range(0, len(documents), _AT_ONCE):
            points = [_point(document, self._version) for document in documents[start : start + _AT_ONCE]]
            with _explained(_unwritten):
                self._shard.update(UpdateOperation.upsert_points(points))
        self._ids.update(document.id for document in documents)

    def finish(self) -> None:
        counted(len(self._ids), self._version)
        with _explained(_unwritten):
            self._shard.optimize()
            self._shard.flush()
        self.close()
        # The first opening puts the engine's journals into their place; from the second on no byte changes.
        Reading.opened(self._folder, self._version).close()

    def close(self) -> None:
        with _explained(_unwritten):
            self._shard.close()


class Reading:
    """An open shard. It only ever answers from the version whose files it was opened on."""

    def __init__(self, shard: EdgeShard, version: Version) -> None:
        self._shard = shard
        self.version = version

    @classmethod
    def opened(cls, folder: Path, version: Version) -> Self:
        import qdrant_edge as engine

        with _explained(damaged):
            shard = engine.EdgeShard.load(str(folder))
            if shard.info().points_count != version.entries:
                raise damaged()
        return cls(shard, version)

    def search(self, words: Words, meaning: Sequence[float] | None, scope: Scope, limit: int) -> Ranked:
        import qdrant_edge as engine

        indices, weights = sparse(words)
        requests: dict[str, QueryRequest] = {}
        if indices:
            requests[WORDS] = _request(engine.SparseVector(indices, weights), WORDS, scope, limit)
        if meaning is not None and self.version.embedder:
            measured(meaning, self.version.dimensions)
            requests[MEANING] = _request([float(each) for each in meaning], MEANING, scope, limit)
        if not requests:
            return Ranked()
        with _explained(damaged):
            answers = self._shard.query_batch(engine.QueryBatchRequest(list(requests.values())))
        hits: dict[str, tuple[Hit, ...]] = {
            name: tuple(hit(str(point.id), point.score, point.payload, scope) for point in points)
            for name, points in zip(requests, answers, strict=True)
        }
        return Ranked(hits.get(WORDS, ()), hits.get(MEANING, ()))

    def close(self) -> None:
        with _explained(damaged):
            self._shard.close()


def _config(version: Version, *, exact: bool) -> EdgeConfig:
    """On disk, read through the page cache: what nobody asks for takes no memory. No log: it would lock out readers."""
    import qdrant_edge as engine

    cold = engine.Memory.Cold
    cosine = engine.Distance.Cosine
    meaning = {MEANING: engine.EdgeVectorParams(size=version.dimensions, distance=cosine, memory=cold)}
    return engine.EdgeConfig(
        vectors=meaning if version.embedder else {},
        sparse_vectors={WORDS: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf, memory=cold)},
        hnsw_config=engine.HnswIndexConfig(
            m=0 if exact else _LINKS, ef_construct=_CARE, full_scan_threshold=_SCAN_KB, memory=cold
        ),
        optimizers=engine.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=1),
        max_search_threads=1,
        wal_enabled=False,
    )


def _point(document: Document, version: Version) -> Point:
    from qdrant_edge import Point, SparseVector

    indices, weights = sparse(document.words)
    vectors: dict[str, list[float] | SparseVector] = {WORDS: SparseVector(indices, weights)} if indices else {}
    if version.embedder and document.meaning is not None:
        measured(document.meaning, version.dimensions)
        vectors[MEANING] = [float(each) for each in document.meaning]
    return Point(point_id(document.id), vectors, payload_of(document))  # type: ignore[arg-type]


def _request(query: object, using: str, scope: Scope, limit: int) -> QueryRequest:
    from qdrant_edge import Query, QueryRequest

    nearest = Query.Nearest(query, using=using)  # type: ignore[arg-type]
    return QueryRequest(limit=limit, query=nearest, filter=_filter(scope), with_payload=True)


def _filter(scope: Scope) -> Filter:
    from qdrant_edge import FieldCondition, Filter, MatchAny

    return Filter(must=[FieldCondition(key, match=MatchAny(list(allowed))) for key, allowed in conditions(scope)])


def _unwritten() -> Unavailable:
    return Unavailable(
        "The knowledge index could not be written: the engine reports a fault. Check the space and the rights of its "
        "folder, then run `docgemma kb index` again."
    )


@contextmanager
def _explained(told: Callable[[], Unavailable]) -> Iterator[None]:
    """The engine raises bare exceptions, and panics that are no Exception at all. Neither is of use to anybody."""
    try:
        yield
    except BaseException as error:
        if type(error) is Exception or type(error).__name__ == "PanicException":
            raise told() from None
        raise
