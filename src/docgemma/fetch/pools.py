"""Connections in several small pools instead of a large one.

A pool looks through all of its connections for every request: with hundreds of answers streaming at once that would
take more time than the answers. While few requests are under way the first pool takes them all, and keeps connections.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache
from typing import cast

import httpx2

_POOLS, _EACH = 32, 32
"""Together as many answers as a server of models has readers; further requests wait for a connection."""


@dataclass(slots=True)
class _Pool:
    transport: httpx2.AsyncHTTPTransport
    busy: int = 0


class Pools(httpx2.AsyncBaseTransport):
    """Pools are made as they are needed: reading the certificates takes time that an offline run need not spend."""

    def __init__(self) -> None:
        self._pools: list[_Pool] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        pool = self._chosen()
        pool.busy += 1
        try:
            response = await pool.transport.handle_async_request(request)
        except BaseException:
            pool.busy -= 1
            raise
        response.stream = _Counted(cast(httpx2.AsyncByteStream, response.stream), pool)
        return response

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.transport.aclose()

    def _chosen(self) -> _Pool:
        """The first with room, so that few requests share few connections; the least busy where none has."""
        for pool in self._pools:
            if pool.busy < _EACH:
                return pool
        if len(self._pools) == _POOLS:
            return min(self._pools, key=lambda pool: pool.busy)
        limits = httpx2.Limits(max_connections=_EACH, max_keepalive_connections=_EACH, keepalive_expiry=60)
        self._pools.append(_Pool(httpx2.AsyncHTTPTransport(verify=_certificates(), limits=limits)))
        return self._pools[-1]


class _Counted(httpx2.AsyncByteStream):
    """A reply's body; its pool has room again once it is closed."""

    def __init__(self, body: httpx2.AsyncByteStream, pool: _Pool) -> None:
        self._body = body
        self._pool: _Pool | None = pool

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._body:
            yield part

    async def aclose(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.busy -= 1
        await self._body.aclose()


@cache
def _certificates() -> ssl.SSLContext:
    """Read once a process."""
    return httpx2.create_ssl_context()
