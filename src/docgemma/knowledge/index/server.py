"""The index on a Qdrant server: a collection for each version, and an alias for the one that is answered from.

A server has no lock that a dead process lets go of. So two builds may run at once: the one that ends first wins, and
the other is told so when it wants to switch.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress

from pydantic_core import to_json

from docgemma.errors import Conflict, Unavailable
from docgemma.fetch.address import base_address
from docgemma.fetch.door import Door, FetchError, Reply
from docgemma.knowledge.index import rest
from docgemma.knowledge.index.contract import Document, Ranked, Scope, Version, Words
from docgemma.knowledge.index.layout import FILTERED, MEANING, MOST_HITS, WORDS, counted

_SEARCH_S, _STEP_S = 5.0, 60.0
_AT_ONCE = 200
_TRIES = 3
_WHO = "The Qdrant server of the knowledge base"
_GONE = (
    "Another process has built the knowledge index meanwhile. Run `docgemma kb index` again if it is not up to date."
)


def check_url(url: str, allow_http: bool = False) -> str:
    """The server's base address. Numbers of words can be traced back to words: off this machine they are encrypted."""
    return base_address(
        url,
        what="Qdrant",
        example="http://127.0.0.1:6333",
        setting="DOCGEMMA_ALLOW_HTTP_QDRANT",
        because="questions can be traced in what it is asked",
        allow_http=allow_http,
    )


class ServerIndex:
    """`deadline_s` is for a whole search; steps of a build have more time."""

    def __init__(
        self,
        door: Door,
        url: str,
        api_key: str | None = None,
        *,
        allow_http: bool = False,
        deadline_s: float = _SEARCH_S,
    ) -> None:
        self._door = door
        self._deadline_s = deadline_s
        self._url = check_url(url, allow_http)
        self._headers: Mapping[str, str] = {"api-key": api_key} if api_key else {}
        self._known: Version | None = None

    async def version(self) -> Version | None:
        reply = await self._ask("POST", f"/collections/{rest.ALIAS}/points", rest.marker_request())
        if reply.status == 404:
            return None
        return rest.version_of(rest.result(_ok(reply), list[rest.Point]))

    async def search(self, words: Words, meaning: Sequence[float] | None, scope: Scope, *, limit: int) -> Ranked:
        most = min(limit, MOST_HITS)
        if most < 1 or not scope.roles or not (words or meaning is not None):
            return Ranked()
        try:
            async with asyncio.timeout(self._deadline_s):
                return await self._searched(words, meaning, scope, most)
        except TimeoutError:
            raise Unavailable(f"{_WHO} did not answer in time.") from None

    async def build(self, version: Version, documents: AsyncIterator[Sequence[Document]]) -> None:
        before = await self._current()
        name = rest.collection_name(version, secrets.token_hex(6))
        try:
            await self._filled(name, version, documents)
            if await self._current() != before:
                raise Conflict(_GONE)
            _ok(await self._ask("POST", "/collections/aliases", rest.switch(name, before), _STEP_S))
        except BaseException:
            with suppress(Unavailable):
                await self._ask("DELETE", f"/collections/{name}")
            raise
        with suppress(Unavailable):  # the switch is done; what cannot be removed now is removed after the next
            await self._remove_others(name)

    async def close(self) -> None:
        """The door belongs to whoever opened it."""

    async def _searched(self, words: Words, meaning: Sequence[float] | None, scope: Scope, limit: int) -> Ranked:
        """The marker comes with every answer: one of another version than expected is asked for again."""
        for attempt in range(1, _TRIES + 1):
            if self._known is None:
                self._known = await self.version()
            if self._known is None:
                return Ranked()
            body, asked = rest.search_batch(words, meaning, scope, limit, self._known)
            reply = await self._ask("POST", f"/collections/{rest.ALIAS}/points/query/batch", body)
            if reply.status in (400, 404) and attempt < _TRIES:  # switched between the two requests
                self._known = None
                continue
            answers = rest.result(_ok(reply), list[rest.Points])
            if len(answers) != len(asked) + 1:
                raise Unavailable(f"{_WHO} answered to something else than was asked.")
            is_now = rest.version_of(answers[0].points)
            if is_now == self._known:
                found = {name: rest.hits(answer.points, scope) for name, answer in zip(asked, answers[1:], strict=True)}
                return Ranked(found.get(WORDS, ()), found.get(MEANING, ()))
            self._known = is_now
        raise Unavailable(f"{_WHO} switches its index too often. Try again in a while.")

    async def _filled(self, name: str, version: Version, documents: AsyncIterator[Sequence[Document]]) -> None:
        place = f"/collections/{name}"
        _ok(await self._ask("PUT", place, rest.new_collection(version), _STEP_S))
        for key in FILTERED:
            _there(await self._ask("PUT", f"{place}/index?wait=true", rest.field_index(key), _STEP_S))
        async for batch in documents:
            for start in range(0, len(batch), _AT_ONCE):
                part = batch[start : start + _AT_ONCE]
                content = await asyncio.to_thread(rest.points_body, part, version)
                _there(await self._send("PUT", f"{place}/points?wait=true", content, _STEP_S))
        count = _there(await self._ask("POST", f"{place}/points/count", rest.count_request(), _STEP_S))
        counted(rest.result(count, rest.Count).count, version)
        _there(await self._ask("PUT", f"{place}/points?wait=true", rest.marker_point(version), _STEP_S))

    async def _current(self) -> str | None:
        aliases = rest.result(_ok(await self._ask("GET", "/aliases")), rest.Aliases).aliases
        return next((each.collection_name for each in aliases if each.alias_name == rest.ALIAS), None)

    async def _remove_others(self, name: str) -> None:
        there = rest.result(_ok(await self._ask("GET", "/collections")), rest.Collections).collections
        for each in there:
            if each.name != name and rest.is_ours(each.name):
                await self._ask("DELETE", f"/collections/{each.name}", deadline_s=_STEP_S)

    async def _ask(
        self, method: str, path: str, body: rest.Json | None = None, deadline_s: float | None = None
    ) -> Reply:
        content = None if body is None else to_json(body)
        return await self._send(method, path, content, deadline_s or self._deadline_s)

    async def _send(self, method: str, path: str, content: bytes | None, deadline_s: float) -> Reply:
        try:
            return await self._door.json(
                method, f"{self._url}{path}", content=content, headers=self._headers, deadline_s=deadline_s
            )
        except FetchError as error:
            ended = {"refused": "could not be reached", "timeout": "did not answer in time"}
            raise Unavailable(f"{_WHO} {ended.get(error.kind, 'broke off its answer')}.") from error


def _ok(reply: Reply) -> bytes:
    if reply.status == 200:
        return reply.body
    if reply.status in (401, 403):
        raise Unavailable(f"{_WHO} does not let us in. Check its API key.")
    if reply.status == 429 or reply.status >= 500:
        raise Unavailable(f"{_WHO} reports a fault of its own (status {reply.status}). Try again in a while.")
    raise Unavailable(f"{_WHO} refused a request (status {reply.status}). It must be Qdrant 1.10 or later.")


def _there(reply: Reply) -> bytes:
    """A collection that vanishes while it is being filled was removed by a build that ended before this one."""
    if reply.status == 404:
        raise Conflict(_GONE)
    return _ok(reply)
