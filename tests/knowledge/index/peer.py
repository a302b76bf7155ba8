"""The part of Qdrant's REST interface that an index uses, over real shards of Qdrant's own engine.

Written against the interface's description, not against our client: statuses, envelopes and the way in which an alias
stands for a collection are the server's. `seen` keeps every request body for tests to look at.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import qdrant_edge as engine
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

Json = dict[str, Any]


class Refused(Exception):
    def __init__(self, status: int) -> None:
        self.status = status


class Peer:
    """`async with serving(peer.app)`, or `Door.in_process(peer.app)`."""

    def __init__(self, folder: Path, *, api_key: str | None = None) -> None:
        self._folder = folder
        self._api_key = api_key
        self.shards: dict[str, engine.EdgeShard] = {}
        self.aliases: dict[str, str] = {}
        self.seen: list[tuple[str, str, Any]] = []
        at = "/collections/{name}"
        routes = [
            Route("/collections", self._entry(self._list), methods=["GET"]),
            Route("/aliases", self._entry(self._list_aliases), methods=["GET"]),
            Route("/collections/aliases", self._entry(self._change_aliases), methods=["POST"]),
            Route(at, self._entry(self._create), methods=["PUT"]),
            Route(at, self._entry(self._delete), methods=["DELETE"]),
            Route(f"{at}/index", self._entry(self._index), methods=["PUT"]),
            Route(f"{at}/points", self._entry(self._upsert), methods=["PUT"]),
            Route(f"{at}/points", self._entry(self._retrieve), methods=["POST"]),
            Route(f"{at}/points/count", self._entry(self._count), methods=["POST"]),
            Route(f"{at}/points/query/batch", self._entry(self._query), methods=["POST"]),
        ]
        self.app = Starlette(routes=routes)

    def _entry(self, handle: Any) -> Any:
        async def endpoint(request: Request) -> Response:
            if self._api_key is not None and request.headers.get("api-key") != self._api_key:
                return JSONResponse({"status": {"error": "Unauthorized"}}, 401)
            data = await request.body()
            body = json.loads(data) if data else None
            self.seen.append((request.method, request.url.path, body))
            try:
                found = handle(request.path_params.get("name", ""), body)
            except Refused as refused:
                return JSONResponse({"status": {"error": "no"}, "time": 0.0}, refused.status)
            return JSONResponse({"result": found, "status": "ok", "time": 0.0})

        return endpoint

    def _shard(self, name: str) -> engine.EdgeShard:
        try:
            return self.shards[self.aliases.get(name, name)]
        except KeyError:
            raise Refused(404) from None

    def _list(self, _: str, __: object) -> Json:
        return {"collections": [{"name": name} for name in self.shards]}

    def _list_aliases(self, _: str, __: object) -> Json:
        pairs = self.aliases.items()
        return {"aliases": [{"alias_name": alias, "collection_name": name} for alias, name in pairs]}

    def _change_aliases(self, _: str, body: Json) -> bool:
        changed = dict(self.aliases)
        for action in body["actions"]:
            if "delete_alias" in action:
                changed.pop(action["delete_alias"]["alias_name"])
            else:
                asked = action["create_alias"]
                if asked["collection_name"] not in self.shards:
                    raise Refused(404)
                changed[asked["alias_name"]] = asked["collection_name"]
        self.aliases = changed
        return True

    def _create(self, name: str, body: Json) -> bool:
        if name in self.shards or name in self.aliases:
            raise Refused(409)
        modifiers = {"idf": engine.Modifier.Idf}
        vectors = {
            each: engine.EdgeVectorParams(size=params["size"], distance=getattr(engine.Distance, params["distance"]))
            for each, params in body["vectors"].items()
        }
        words = {
            each: engine.EdgeSparseVectorParams(modifier=modifiers[params["modifier"]])
            for each, params in body["sparse_vectors"].items()
        }
        (self._folder / name).mkdir(parents=True)
        config = engine.EdgeConfig(vectors=vectors, sparse_vectors=words, wal_enabled=False, max_search_threads=1)
        self.shards[name] = engine.EdgeShard.create(str(self._folder / name), config)
        return True

    def _delete(self, name: str, _: object) -> bool:
        shard = self.shards.pop(name, None)
        if shard is None:
            return False
        shard.close()
        shutil.rmtree(self._folder / name)
        self.aliases = {alias: target for alias, target in self.aliases.items() if target != name}
        return True

    def _index(self, name: str, body: Json) -> Json:
        kinds = {"keyword": engine.PayloadSchemaType.Keyword}
        operation = engine.UpdateOperation.create_field_index(body["field_name"], kinds[body["field_schema"]])
        self._shard(name).update(operation)
        return {"operation_id": 0, "status": "completed"}

    def _upsert(self, name: str, body: Json) -> Json:
        shard = self._shard(name)
        points = [
            engine.Point(each["id"], {key: _vector(one) for key, one in each["vector"].items()}, each["payload"])
            for each in body["points"]
        ]
        shard.update(engine.UpdateOperation.upsert_points(points))
        return {"operation_id": 0, "status": "completed"}

    def _retrieve(self, name: str, body: Json) -> list[Json]:
        records = self._shard(name).retrieve(body["ids"], body["with_payload"], body["with_vector"])
        return [{"id": _id(record.id), "payload": record.payload} for record in records]

    def _count(self, name: str, body: Json) -> Json:
        assert body["exact"] is True
        return {"count": self._shard(name).count(engine.CountRequest(exact=True))}

    def _query(self, name: str, body: Json) -> list[Json]:
        shard = self._shard(name)
        return [{"points": _searched(shard, each)} for each in body["searches"]]


def _searched(shard: engine.EdgeShard, asked: Json) -> list[Json]:
    query = None
    if "query" in asked:
        query = engine.Query.Nearest(_vector(asked["query"]), using=asked["using"])
    request = engine.QueryRequest(
        limit=asked["limit"], query=query, filter=_filter(asked["filter"]), with_payload=asked["with_payload"]
    )
    try:
        found = shard.query(request)
    except Exception as error:
        if type(error) is Exception:  # as the engine says it: a vector that there is not, or of another length
            raise Refused(400) from None
        raise
    return [
        {"id": _id(point.id), "version": point.version, "score": point.score, "payload": point.payload}
        for point in found
    ]


def _filter(asked: Json) -> engine.Filter:
    return engine.Filter(must=[_condition(each) for each in asked["must"]])


def _condition(asked: Json) -> Any:
    if "has_id" in asked:
        return engine.HasIdCondition(set(asked["has_id"]))
    return engine.FieldCondition(asked["key"], match=engine.MatchAny(asked["match"]["any"]))


def _vector(asked: Any) -> Any:
    return asked if isinstance(asked, list) else engine.SparseVector(asked["indices"], asked["values"])


def _id(point: Any) -> int | str:
    return point if isinstance(point, int) else str(point)
