"""SQLite files that are written in one go and from then on only read.

A store of sessions is shared and changes; a snapshot does neither. So it is read without locks and side files, also
from a folder that nobody may write to, and what its pages say is the caller's to check: SQLite notices little damage.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docgemma.errors import Conflict, Unavailable
from docgemma.store.database import T, Value
from docgemma.store.sqlite import connect, primary_code

LONGEST = 256 * 1024 * 1024
"""Of one value. A damaged length must not become an order for a gigabyte of memory."""
_READING = ("cell_size_check = ON", "trusted_schema = OFF", "query_only = ON", "cache_size = -4096", "mmap_size = 0")
_MAKING = ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -8192")
_RESUMABLE = ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL", "cache_size = -16384")
_PATIENCE = 0.5
_CLOSED = "cannot be opened. Check that it is there, and the rights of its folder."
_REASONS = {
    sqlite3.SQLITE_FULL: "cannot grow: the disk, or the one for temporary files, is full. "
    "Free some space and run the same command again.",
    sqlite3.SQLITE_CANTOPEN: _CLOSED,
    sqlite3.SQLITE_PERM: _CLOSED,
    sqlite3.SQLITE_READONLY: _CLOSED,
    sqlite3.SQLITE_AUTH: _CLOSED,
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error.",
}


class Damaged(Unavailable):
    """The file is not what was written, or was written by somebody else."""


class Handle:
    """An open file, for one thread. What goes wrong with the file is told in one sentence."""

    def __init__(self, connection: sqlite3.Connection, what: str) -> None:
        self._connection = connection
        self._what = what

    def execute(self, sql: str, params: tuple[Value, ...] = ()) -> int:
        """Run a statement; the number of the row that it made."""
        with _explained(self._what):
            return self._connection.execute(sql, params).lastrowid or 0

    def many(self, sql: str, params: Iterable[tuple[Value, ...]]) -> None:
        """Run a statement for each of these, which may be more than fit into memory."""
        with _explained(self._what):
            self._connection.executemany(sql, params)

    def row(self, sql: str, params: tuple[Value, ...] = ()) -> tuple[Any, ...] | None:
        """The first row, if there is one."""
        with _explained(self._what), closing(self._connection.execute(sql, params)) as cursor:
            found: tuple[Any, ...] | None = cursor.fetchone()
            return found

    def each(self, sql: str, params: tuple[Value, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Row after row; only one of them is in memory."""
        with _explained(self._what), closing(self._connection.execute(sql, params)) as cursor:
            yield from cursor

    def begin(self) -> None:
        self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self.execute("COMMIT")


@contextmanager
def reading(path: Path, what: str) -> Iterator[Handle]:
    """The file as it lies there. Nothing is written beside it."""
    with closing(_to_read(path, what)) as connection:
        yield Handle(connection, what)


@contextmanager
def making(path: Path, what: str) -> Iterator[Handle]:
    """A new file, as fast as the disk takes it. One that was not finished is worth nothing, and is begun again."""
    path.unlink(missing_ok=True)
    with closing(_opened(str(path), what, _MAKING)) as connection:
        handle = Handle(connection, what)
        handle.begin()
        yield handle
        handle.commit()


@contextmanager
def resumable(path: Path, what: str) -> Iterator[Handle]:
    """A file to work on, for one process at a time. Killed at any moment, it has what was committed."""
    with closing(_opened(str(path), what, _RESUMABLE)) as connection:
        handle = Handle(connection, what)
        handle.begin()  # takes the lock, and keeps it
        handle.commit()
        yield handle


def needs_full_text() -> None:
    """Raises Unavailable where the SQLite that Python brings has no full-text search; almost every one has."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
        except sqlite3.OperationalError:
            raise Unavailable(
                "The SQLite of this Python has no full-text search (FTS5), which packs of articles and trials need. "
                "Use a Python whose SQLite has it, such as the one of python.org."
            ) from None


class Snapshot:
    """A file that is read from asynchronous code: opened on the first question, on a thread of its own."""

    def __init__(self, path: Path, *, what: str) -> None:
        self._path = path
        self._what = what
        self._connection: sqlite3.Connection | None = None
        self._worker: ThreadPoolExecutor | None = None

    async def run(self, work: Callable[[Handle], T]) -> T:
        if self._worker is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="docgemma-pack")
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._read, work)

    async def close(self) -> None:
        if self._worker is not None:
            await asyncio.to_thread(self._worker.shutdown)
            self._worker = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _read(self, work: Callable[[Handle], T]) -> T:
        if self._connection is None:
            self._connection = _to_read(self._path, self._what)
        return work(Handle(self._connection, self._what))


def _to_read(path: Path, what: str) -> sqlite3.Connection:
    return _opened(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", what, _READING)


def _opened(address: str, what: str, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    with _explained(what):
        connection = connect(address, pragmas, patience=_PATIENCE, uri=address.startswith("file:"))
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        return connection


@contextmanager
def _explained(what: str) -> Iterator[None]:
    """Misuse of SQLite is a bug and passes through; the rest says what is the matter with the file."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError, sqlite3.InterfaceError):
        raise
    except sqlite3.Error as error:
        raise _error(what, primary_code(error)) from error
    except (UnicodeDecodeError, MemoryError):  # a damaged word in SQLite's own message, or a damaged length
        raise _damaged(what) from None
    except OSError as error:
        raise Unavailable(f"The {what} cannot be opened: {error.strerror}.") from error


def _error(what: str, code: int) -> Unavailable | Conflict:
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Conflict(f"The {what} is being written by another process. Wait until that has ended.")
    return Unavailable(f"The {what} {_REASONS[code]}") if code in _REASONS else _damaged(what)


def _damaged(what: str) -> Damaged:
    return Damaged(f"The {what} is damaged, or was not made by DocGemma.")
