"""SQLite: one file, several processes, one connection on one thread of its own."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

from docgemma.errors import Unavailable
from docgemma.store.database import Cursor, T

_RETRY_SECONDS = 0.02
_DAMAGED = "is damaged or was not made by DocGemma. Restore a backup, or move it away to start a new one."
_NO_RIGHTS = "cannot be written. Give write access to the file and its folder, or choose another folder."
_BUSY = "is kept busy by another program. Try again in a moment."
_REASONS = {
    sqlite3.SQLITE_READONLY: _NO_RIGHTS,
    sqlite3.SQLITE_CANTOPEN: _NO_RIGHTS,
    sqlite3.SQLITE_PERM: _NO_RIGHTS,
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full. Free some space and try again; nothing was half saved.",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error. Check the disk and try again.",
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}
"""What is said of an error of SQLite's; one that is not here is a bug."""


class SqliteDatabase:
    """Opens the file on first use, creating it readable for its owner alone.

    `what` it is called in errors. `durable`: a commit has reached the disk before it is reported; otherwise a power cut
    may take the last ones. `settled`: it has reached the main file too. `cache_mib` of its pages are kept in memory.
    """

    def __init__(
        self,
        path: Path,
        *,
        what: str = "session store",
        busy_seconds: float = 10.0,
        durable: bool = False,
        settled: bool = False,
        cache_mib: int = 2,
    ) -> None:
        self._path = path
        self._what = what
        self._busy_seconds = busy_seconds
        self._pragmas = (
            "foreign_keys = ON",
            f"synchronous = {'FULL' if durable else 'NORMAL'}",
            f"wal_autocheckpoint = {1 if settled else 1000}",
            f"cache_size = -{cache_mib * 1024}",
            "journal_mode = WAL",
        )
        self._connection: sqlite3.Connection | None = None  # the worker's; closed once it has ended
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="docgemma-store")

    async def run(self, work: Callable[[Cursor], T], *, write: bool = True) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._transact, work, write)

    async def close(self) -> None:
        await asyncio.to_thread(self._shut_down)

    def _transact(self, work: Callable[[Cursor], T], write: bool) -> T:
        with _explained(self._what, self._path):
            connection = self._connect()
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                with closing(connection.cursor()) as cursor:
                    result = work(Cursor(cursor, "sqlite"))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # a full disk rolls back by itself
                    connection.execute("ROLLBACK")
                raise
            return result

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            _create_private(self._path)
            connection = connect(self._path, self._pragmas, patience=self._busy_seconds)
            connection.row_factory = sqlite3.Row
            self._connection = connection
        return self._connection

    def _shut_down(self) -> None:
        self._worker.shutdown()
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _create_private(path: Path) -> None:
    """SQLite gives its side files the mode of the main one, so that one decides who may read all three."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def connect(address: str | Path, pragmas: Sequence[str], *, patience: float, uri: bool = False) -> sqlite3.Connection:
    """A connection that any thread may use, with its pragmas set; closed again when one of them fails."""
    connection = sqlite3.connect(address, timeout=patience, isolation_level=None, check_same_thread=False, uri=uri)
    try:
        give_up = time.monotonic() + patience
        for pragma in pragmas:
            while not _is_set(connection, pragma, give_up):
                time.sleep(_RETRY_SECONDS)
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


def _is_set(connection: sqlite3.Connection, pragma: str, give_up: float) -> bool:
    """Processes that switch to WAL at the same moment are refused at once, not queued: False, to ask again."""
    try:
        connection.execute(f"PRAGMA {pragma}")
    except sqlite3.OperationalError as error:
        if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
            raise
        return False
    return True


@contextmanager
def _explained(what: str, path: Path) -> Iterator[None]:
    """Turn what can go wrong with a file into one sentence; anything else is a bug and passes through."""
    try:
        yield
    except sqlite3.Error as error:
        reason = _reason(error)
        if reason is None:
            raise
        raise Unavailable(f"The {what} {_shown(path)} {reason}") from error
    except UnicodeDecodeError:  # a damaged word in SQLite's own message; the message may quote rows
        raise Unavailable(f"The {what} {_shown(path)} {_DAMAGED}") from None
    except OSError as error:
        raise Unavailable(
            f"The {what} {_shown(path)} cannot be opened ({error.strerror}). "
            "Give write access to its folder, or choose another folder."
        ) from error


def _reason(error: sqlite3.Error) -> str | None:
    code = primary_code(error)
    misread = "decode" in str(error)  # text that is no longer UTF-8 has no code of its own
    foreign = code == sqlite3.SQLITE_ERROR and str(error).startswith(("no such", "table ", "unsupported file format"))
    return _DAMAGED if misread or foreign else _REASONS.get(code)


def primary_code(error: sqlite3.Error) -> int:
    """What kind of error it is, in SQLite's own numbers; -1 for one that SQLite did not raise."""
    code: int = getattr(error, "sqlite_errorcode", -1)
    return code & 0xFF if code >= 0 else code


def _shown(path: Path) -> str:
    """The path without the name of the home folder, which is often a person's."""
    try:
        return str(Path("~") / path.relative_to(Path.home()))
    except (ValueError, RuntimeError):  # it lies elsewhere, or this user has no home
        return str(path)
