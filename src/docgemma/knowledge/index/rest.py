"""Qdrant's REST interface as far as an index needs it: what is asked, and what a reply may look like.

What a version is lies in the collection itself, as point 0. Newer servers keep facts about a collection, older ones
drop them without a word; a point is kept by all, arrives with the very answer it is about, and, written last, says
that everything before it has arrived. It has neither role nor language, so that no scope ever finds it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from docgemma.errors import Unavailable
from docgemma.knowledge.index.contract import Document, Hit, Scope, Version, Words
from docgemma.knowledge.index.layout import (
    EXACT_UP_TO,
    MEANING,
    WORDS,
    conditions,
    damaged,
    hit,
    measured,
    payload_of,
    point_id,
    sparse,
)

T = TypeVar("T")
Json = dict[str, Any]

ALIAS = "docgemma_knowledge"
MARKER = 0
_OURS = re.compile(rf"{ALIAS}_[0-9]{{1,19}}_[0-9a-f]{{12}}", re.ASCII)


class _Reply(BaseModel, Generic[T]):
    result: T


class Marker(BaseModel):
    format: Literal["docgemma-knowledge-1"] = "docgemma-knowledge-1"
    version: Version


class Point(BaseModel):
    id: int | str
    score: float = 0.0
    payload: dict[str, Any] | None = None


class Points(BaseModel):
    points: list[Point]


class Count(BaseModel):
    count: int


class Alias(BaseModel):
    alias_name: str
    collection_name: str


class Aliases(BaseModel):
    aliases: list[Alias]


class Collection(BaseModel):
    name: str


class Collections(BaseModel):
    collections: list[Collection]


def collection_name(version: Version, token: str) -> str:
    return f"{ALIAS}_{version.generation}_{token}"


def is_ours(collection: str) -> bool:
    """Whether it is a version that this program made. Other people's collections are none of its business."""
    return _OURS.fullmatch(collection) is not None


def new_collection(version: Version) -> Json:
    """Without links up to the size that is compared one by one, as in process."""
    meaning = {"size": version.dimensions, "distance": "Cosine", "on_disk": True}
    return {
        "vectors": {MEANING: meaning} if version.embedder else {},
        "sparse_vectors": {WORDS: {"modifier": "idf", "index": {"on_disk": True}}},
        "hnsw_config": {"m": 0 if version.entries <= EXACT_UP_TO else 16},
        "on_disk_payload": True,
    }


def field_index(key: str) -> Json:
    return {"field_name": key, "field_schema": "keyword"}


def points_body(documents: Sequence[Document], version: Version) -> bytes:
    """Written out here, so that a thread can do it: it is some megabytes of numbers."""
    return to_json({"points": [_point(document, version) for document in documents]})


def marker_point(version: Version) -> Json:
    facts = Marker(version=version)
    return {"points": [{"id": MARKER, "vector": {}, "payload": facts.model_dump()}]}


def marker_request() -> Json:
    return {"ids": [MARKER], "with_payload": True, "with_vector": False}


def count_request() -> Json:
    return {"exact": True}


def switch(collection: str, before: str | None) -> Json:
    """Both in one request: at no moment is there no alias."""
    create = {"create_alias": {"collection_name": collection, "alias_name": ALIAS}}
    delete = {"delete_alias": {"alias_name": ALIAS}}
    return {"actions": [create] if before is None else [delete, create]}


def search_batch(
    words: Words, meaning: Sequence[float] | None, scope: Scope, limit: int, version: Version
) -> tuple[Json, tuple[str, ...]]:
    """The marker first, then what is asked; and what is asked, in that order. Nothing in it is text of a question."""
    must = [{"key": key, "match": {"any": list(allowed)}} for key, allowed in conditions(scope)]
    asked: dict[str, object] = {}
    indices, weights = sparse(words)
    if indices:
        asked[WORDS] = {"indices": indices, "values": weights}
    if meaning is not None and version.embedder:
        measured(meaning, version.dimensions)
        asked[MEANING] = [float(each) for each in meaning]
    searches: list[Json] = [{"filter": {"must": [{"has_id": [MARKER]}]}, "limit": 1, "with_payload": True}]
    for name, query in asked.items():
        one = {"query": query, "using": name, "filter": {"must": must}, "limit": limit, "with_payload": True}
        searches.append(one)
    return {"searches": searches}, tuple(asked)


def result(body: bytes, kind: type[T]) -> T:
    """What the server says, if it has the shape that Qdrant's answers have."""
    try:
        reply: _Reply[T] = _Reply[kind].model_validate_json(body)  # type: ignore[valid-type]
    except ValidationError:
        raise Unavailable(
            "The Qdrant server of the knowledge base gave an answer that is not Qdrant's. Check its address."
        ) from None
    return reply.result


def version_of(points: Sequence[Point]) -> Version:
    """What the marker says. A collection without one was not made by this program, or not to its end."""
    try:
        facts = Marker.model_validate(points[0].payload if points and points[0].id == MARKER else None)
    except ValidationError:
        raise damaged() from None
    return facts.version


def hits(points: Sequence[Point], scope: Scope) -> tuple[Hit, ...]:
    return tuple(hit(str(point.id), point.score, point.payload, scope) for point in points)


def _point(document: Document, version: Version) -> Json:
    indices, weights = sparse(document.words)
    vectors: Json = {WORDS: {"indices": indices, "values": weights}} if indices else {}
    if version.embedder and document.meaning is not None:
        measured(document.meaning, version.dimensions)
        vectors[MEANING] = [float(each) for each in document.meaning]
    return {"id": point_id(document.id), "vector": vectors, "payload": payload_of(document)}
