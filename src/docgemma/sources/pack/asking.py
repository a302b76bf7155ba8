"""Asking a pack within a time, with one sentence for whatever keeps it from answering."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from docgemma.errors import Unavailable
from docgemma.sources.contract import SourceError
from docgemma.sources.pack.manifest import REBUILD
from docgemma.store.snapshot import Damaged


@asynccontextmanager
async def asked(name: str, ends_at: float) -> AsyncIterator[None]:
    """Raises nothing but SourceError for what a pack can suffer from."""
    try:
        async with asyncio.timeout_at(ends_at):
            yield
    except TimeoutError:
        raise SourceError("timeout", f"The {name} was not read in time.") from None
    except Damaged as error:
        raise SourceError("not_configured", f"{error} It is the {name}. {REBUILD}") from error
    except SourceError:
        raise
    except Unavailable as error:
        raise SourceError("not_configured", str(error)) from error
