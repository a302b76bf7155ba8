"""A public service's stand-in on a real socket, and the way to ask it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from starlette.types import ASGIApp

from docgemma.fetch.door import Door
from docgemma.fetch.outside import Outside
from docgemma.fetch.pacing import Manners
from docgemma.sources.cache import Cache
from docgemma.sources.web import Mode, Web
from tests.support.http import serving

UNHURRIED = Manners(per_minute=60_000, burst=1_000)


def soon(seconds: float = 5.0) -> float:
    return asyncio.get_running_loop().time() + seconds


@asynccontextmanager
async def asking(
    app: ASGIApp,
    *,
    cache: Cache | None = None,
    mode: Mode = "auto",
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> AsyncIterator[tuple[Web, str]]:
    """The web as a client sees it, and the address of the service."""
    async with serving(app) as url, Door() as door:
        yield Web(Outside(door, default=UNHURRIED), cache, mode=mode, clock=clock), url
