"""PostgreSQL: a few threads, and as many connections. Needs the extra `postgres`."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from docgemma.errors import Unavailable
from docgemma.store.database import Cursor, Row, T

if TYPE_CHECKING:
    import psycopg

_CONNECT_SECONDS = 5
_THREADS = 4
_SETTINGS = (
    # A process that was frozen in mid-transaction must not hold the others up for ever.
    "SET lock_timeout = '10s'",
    "SET statement_timeout = '30s'",
    "SET idle_in_transaction_session_timeout = '30s'",
)
_BEGIN_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

_REASONS = {
    "25006": "only allows reading. Use the address of the primary server.",
    "42501": "does not allow this user to use its tables. Grant the user rights on the database.",
    "53100": "is out of disk space. Free some space and try again; nothing was half saved.",
    "55P03": "has been kept busy by another program for over 10 seconds. Try again.",
    "57014": "took too long to answer. Try again.",
}


class PostgresDatabase:
    """Connects on first use. Errors name the server, never the password."""

    def __init__(self, url: str) -> None:
        self._driver = _driver()
        self._url = url
        self._server = _server_name(self._driver, url)
        self._idle: deque[psycopg.Connection[Row]] = deque()
        self._workers = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="docgemma-store")

    async def run(self, work: Callable[[Cursor], T], *, write: bool = True) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._workers, self._transact, work, write)

    async def close(self) -> None:
        await asyncio.to_thread(self._workers.shutdown)
        while self._idle:
            self._idle.pop().close()

    def _transact(self, work: Callable[[Cursor], T], write: bool) -> T:
        """What a connection broke off while nothing was committed is done once more, on a new one."""
        try:
            try:
                return self._attempt(work, write)
            except _LostBeforeCommit:
                return self._attempt(work, write, anew=True)
        except _LostBeforeCommit:
            raise Unavailable(f"The database {self._server} closed the connection. Try again.") from None
        except self._driver.Error as refused:
            # The server's own words may quote rows, and rows are patient data.
            raise self._explained(refused) from None

    def _attempt(self, work: Callable[[Cursor], T], write: bool, *, anew: bool = False) -> T:
        with self._connection(anew) as connection:
            try:
                with connection.cursor() as cursor:
                    cursor.execute(_BEGIN_WRITE if write else _BEGIN_READ)
                    result = work(Cursor(cursor, "postgresql"))
            except BaseException as error:
                if connection.closed and isinstance(error, self._driver.Error):
                    raise _LostBeforeCommit from None
                with suppress(self._driver.OperationalError):
                    connection.execute("ROLLBACK")
                raise
            try:
                connection.execute("COMMIT")
            except self._driver.OperationalError:
                connection.close()
                raise Unavailable(
                    f"The connection to {self._server} broke while saving. Look whether the change is there."
                ) from None
            return result

    @contextmanager
    def _connection(self, anew: bool) -> Iterator[psycopg.Connection[Row]]:
        """One that nobody uses, or a new one. It is kept for the next transaction when it ends without one."""
        try:
            connection = self._connect() if anew else self._idle.pop()
        except IndexError:
            connection = self._connect()
        try:
            yield connection
        finally:
            if connection.info.transaction_status == self._driver.pq.TransactionStatus.IDLE:
                self._idle.append(connection)
            else:
                connection.close()

    def _connect(self) -> psycopg.Connection[Row]:
        from psycopg.rows import dict_row

        try:
            connection: psycopg.Connection[Row] = self._driver.connect(
                self._url,
                autocommit=True,  # transactions are opened and closed by hand, so that a lost COMMIT is known as one
                row_factory=dict_row,
                prepare_threshold=None,  # a connection pooler in between may not keep prepared statements
                connect_timeout=_CONNECT_SECONDS,
                application_name="docgemma",
                client_encoding="utf8",
            )
            for setting in _SETTINGS:
                connection.execute(setting)
        except self._driver.Error:
            raise Unavailable(
                f"The database {self._server} cannot be reached or refused the login. "
                "Check DOCGEMMA_DATABASE_URL and that the server is running."
            ) from None
        return connection

    def _explained(self, error: psycopg.Error) -> Unavailable:
        code = error.sqlstate or "unknown"
        reason = _REASONS.get(code, f"refused a statement (SQLSTATE {code}).")
        return Unavailable(f"The database {self._server} {reason}")


class _LostBeforeCommit(Exception):
    """The connection went away with the transaction still open: nothing was saved, so it can be run again."""


def _driver() -> Any:
    try:
        import psycopg
    except ImportError:
        raise Unavailable("PostgreSQL needs the driver: pip install 'docgemma[postgres]'.") from None
    return psycopg


def _server_name(driver: Any, url: str) -> str:
    """Host and database name: enough to find the server, nothing secret."""
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(url)
    except driver.Error:
        raise Unavailable(
            "DOCGEMMA_DATABASE_URL is not a PostgreSQL address. It reads postgresql://user:password@host:port/database."
        ) from None
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"{parts.get('host') or 'localhost'}{port}/{parts.get('dbname') or ''}"
