"""Sentence vectors that were worked out before. A long ingest that was cut off goes on where it stopped."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docgemma.embed import Embedder
from docgemma.errors import Unavailable
from docgemma.store.database import Cursor, T
from docgemma.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

TOGETHER = 256
"""Texts that are worked out and kept in one go: what a kill can cost."""
_ONE = 0.01
"""How far a kept vector may be from length one. Halved numbers are a thousandth off at most; a damaged one is more."""


class Vectors:
    """A cache beside the index. It may be deleted, and where it cannot be used everything is worked out anew."""

    def __init__(self, file: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self._database = SqliteDatabase(file, what="vector cache", cache_mib=8)
        self.usable = True

    async def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text, in order."""
        import numpy as np

        rows = np.empty((len(texts), self._embedder.dimensions), dtype=np.float32)
        for first in range(0, len(texts), TOGETHER):
            part = texts[first : first + TOGETHER]
            rows[first : first + len(part)] = await self._part(part)
        return rows

    async def close(self) -> None:
        await self._database.close()

    async def _part(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        keys = [self._key(text) for text in texts]
        known = await self._known(keys)
        rows = np.zeros((len(texts), self._embedder.dimensions), dtype=np.float32)
        for place, key in enumerate(keys):
            if key in known:
                rows[place] = np.frombuffer(known[key], dtype=np.float16)
        missing = np.flatnonzero(~_whole(rows)).tolist()
        if missing:
            made = await asyncio.to_thread(self._embedder.embed, [texts[place] for place in missing])
            halves = made.astype(np.float16)
            rows[missing] = halves  # the same index comes of a cache and of none
            await self._keep([(keys[place], halves[row].tobytes()) for row, place in enumerate(missing)])
        return rows

    async def _known(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        marks = ", ".join("?" * len(keys))
        size = 2 * self._embedder.dimensions

        def work(cursor: Cursor) -> dict[bytes, bytes]:
            cursor.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
            found = cursor.rows(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", tuple(keys))  # noqa: S608
            whole = (row for row in found if isinstance(row["vector"], bytes) and len(row["vector"]) == size)
            return {bytes(row["key"]): row["vector"] for row in whole}

        return await self._tried(work, {})

    async def _keep(self, made: list[tuple[bytes, bytes]]) -> None:
        def work(cursor: Cursor) -> int:
            return cursor.many("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", made)

        await self._tried(work, 0)

    async def _tried(self, work: Callable[[Cursor], T], otherwise: T) -> T:
        if not self.usable:
            return otherwise
        try:
            return await self._database.run(work)
        except Unavailable as error:
            log.warning("the vector cache is not used: %s", type(error).__name__)
            self.usable = False
            return otherwise

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self._embedder.name}\0{text}".encode("utf-8", "surrogatepass")).digest()[:16]


def _whole(rows: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which rows are vectors of length one. SQLite does not notice a changed byte in one."""
    import numpy as np

    with np.errstate(all="ignore"):
        found: NDArray[np.bool_] = np.abs(np.linalg.norm(rows, axis=1) - 1.0) <= _ONE
    return found
