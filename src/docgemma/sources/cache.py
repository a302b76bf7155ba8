"""What public services said before, in one file: for the time when they cannot be asked.

A cache must never break a look-up. Whatever is wrong with the file, the answer is "not kept", once with a line in the
log. Of a question only its host and a hash are written down.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

from docgemma.errors import Unavailable
from docgemma.seal import BRIEF, CONTENT
from docgemma.store.database import Cursor, Row, Value
from docgemma.store.sqlite import SqliteDatabase

T = TypeVar("T")

EDITION = 1
OLDEST = timedelta(days=180)
"""What is older is not given any more: too much may have been added to a label since."""

_MAX_BYTES = 256 * 1024 * 1024
_BUSY_SECONDS = 0.5
_REST_SECONDS = 60.0
_LEVEL = 3
_LARGEST = 64 * 1024 * 1024
_ROOM = 0.9
_TABLES = (
    """CREATE TABLE replies (
        hash TEXT PRIMARY KEY, host TEXT NOT NULL, stored_at TEXT NOT NULL, status INTEGER NOT NULL,
        empty INTEGER NOT NULL, size INTEGER NOT NULL, body BLOB NOT NULL, seal TEXT NOT NULL)""",
    "CREATE INDEX replies_by_age ON replies (stored_at, size)",
)
_SAVE = """INSERT OR REPLACE INTO replies (hash, host, stored_at, status, empty, size, body, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, without its secrets."""

    host: str
    hash: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A reply that could be used when it came. `empty`: the service said that it has nothing."""

    status: int
    body: bytes
    stored_at: datetime
    empty: bool = False


def asked(url: str, params: Sequence[tuple[str, str]]) -> Asked:
    """The same question has the same hash, in every process and with every key of the service."""
    text = f"{EDITION}\nGET\n{url}\n{urlencode(params, errors='replace')}"
    return Asked(urlsplit(url).hostname or "", CONTENT.of(text.encode("utf-8", "replace")))


class Cache:
    """Opened on first use; several processes may share the file. When it is full, the oldest replies go first."""

    def __init__(
        self, path: Path, *, max_bytes: int = _MAX_BYTES, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database = SqliteDatabase(path, what="cache of public sources", busy_seconds=_BUSY_SECONDS)
        self._max_bytes = max_bytes
        self._clock = clock
        self._ready = False
        self._rests_until = {"read": 0.0, "write": 0.0}
        self._said = False

    async def close(self) -> None:
        await self._database.close()

    async def find(self, question: Asked) -> Kept | None:
        """What was kept for this question and is not too old; None also when the file cannot be read."""

        def work(cursor: Cursor) -> Row | None:
            return cursor.row("SELECT * FROM replies WHERE hash = ?", (question.hash,))

        row = await self._run(work, write=False)
        kept = None if row is None else await asyncio.to_thread(_unpacked, row, question)
        if kept is None or not timedelta(0) <= self._clock() - kept.stored_at <= OLDEST:
            return None
        return kept

    async def keep(self, question: Asked, status: int, body: bytes, *, empty: bool = False) -> None:
        """Write a reply down in place of the one before."""
        packed = await asyncio.to_thread(zlib.compress, body, _LEVEL)
        if len(packed) > self._max_bytes // 4 or len(body) > _LARGEST:
            return
        at = self._clock().astimezone(UTC).isoformat(timespec="milliseconds")
        seal = BRIEF.of(*_sealed(question, at, status, int(empty), packed))
        row: tuple[Value, ...] = (question.hash, question.host, at, status, int(empty), len(packed), packed, seal)

        def work(cursor: Cursor) -> None:
            cursor.execute(_SAVE, row)
            self._make_room(cursor)

        await self._run(work)

    async def _run(self, work: Callable[[Cursor], T], *, write: bool = True) -> T | None:
        """What cannot be written to may still be read: a full disk takes no kept reply away."""
        loop, kind = asyncio.get_running_loop(), "write" if write else "read"
        if loop.time() < self._rests_until[kind]:
            return None
        try:
            if not self._ready:
                await self._database.run(_prepare)
                self._ready = True
            return await self._database.run(work, write=write)
        except Unavailable as error:
            # Another program may let go of the file, or a full disk be emptied: it is tried again, not asked each time.
            self._rests_until[kind] = loop.time() + _REST_SECONDS
            if not self._said:
                _log.warning("Replies of public sources are not kept: %s", error)
            self._said = True
            return None

    def _make_room(self, cursor: Cursor) -> None:
        oldest = (self._clock() - OLDEST).astimezone(UTC).isoformat(timespec="milliseconds")
        cursor.execute("DELETE FROM replies WHERE stored_at < ?", (oldest,))
        row = cursor.row("SELECT SUM(size) AS total FROM replies")
        over = int((row and row["total"]) or 0) - self._max_bytes
        if over <= 0:
            return
        over += int(self._max_bytes * (1 - _ROOM))
        for old in cursor.rows("SELECT hash, size FROM replies ORDER BY stored_at"):
            if over <= 0:
                return
            cursor.execute("DELETE FROM replies WHERE hash = ?", (old["hash"],))
            over -= int(old["size"])


def _prepare(cursor: Cursor) -> None:
    """Make the tables of a new file, or prove that a file has them."""
    found = {row["sql"] for row in cursor.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
    row = cursor.row("PRAGMA user_version")
    edition = row["user_version"] if row else 0
    if not found and edition == 0:
        for statement in _TABLES:
            cursor.execute(statement)
        cursor.execute(f"PRAGMA user_version = {EDITION}")
    elif edition != EDITION or found != set(_TABLES):
        raise Unavailable("the file was not made by this DocGemma. Remove it, and a new one is made.")


def _unpacked(row: Row, question: Asked) -> Kept | None:
    """The reply of a row; None when a bit of the row is not as it was written."""
    try:
        packed, status, empty = bytes(row["body"]), int(row["status"]), int(row["empty"])
        stored_at = datetime.fromisoformat(row["stored_at"])
        if not BRIEF.fits(row["seal"], *_sealed(question, row["stored_at"], status, empty, packed)):
            return None
        unpacker = zlib.decompressobj()
        body = unpacker.decompress(packed, _LARGEST)
    except (TypeError, ValueError, KeyError, zlib.error):
        return None
    if not unpacker.eof or stored_at.tzinfo is None:
        return None
    return Kept(status, body, stored_at, bool(empty))


def _sealed(question: Asked, at: str, status: int, empty: int, packed: bytes) -> tuple[str, bytes]:
    return f"{question.hash}\n{question.host}\n{at}\n{status}\n{empty}\n", packed
