"""What the store asks of a database: one function, one transaction, away from the event loop.

SQL is written once, with `?` for parameters, in the words that SQLite and PostgreSQL share.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import lru_cache, wraps
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

from docgemma.seal import CONTENT

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound="Keeper")
Dialect = Literal["sqlite", "postgresql"]
Row = dict[str, Any]
Value = str | int | bytes | None


class Cursor:
    """One open transaction, over a cursor of either driver."""

    def __init__(self, cursor: Any, dialect: Dialect) -> None:
        self._cursor = cursor
        self.dialect: Dialect = dialect
        """For the few words the two databases do not share: column types, never logic."""

    def execute(self, sql: str, params: tuple[Value, ...] = ()) -> int:
        """Run a statement; how many rows it touched."""
        self._cursor.execute(self._spelt(sql), params)
        return int(self._cursor.rowcount)

    def many(self, sql: str, params: Sequence[tuple[Value, ...]]) -> int:
        """Run a statement for each of these; how many rows they touched together."""
        if not params:
            return 0
        self._cursor.executemany(self._spelt(sql), params)
        return int(self._cursor.rowcount)

    def rows(self, sql: str, params: tuple[Value, ...] = ()) -> list[Row]:
        self._cursor.execute(self._spelt(sql), params)
        return [dict(row) for row in self._cursor.fetchall()]

    def row(self, sql: str, params: tuple[Value, ...] = ()) -> Row | None:
        """The first row, if there is one."""
        self._cursor.execute(self._spelt(sql), params)
        found = self._cursor.fetchone()
        return None if found is None else dict(found)

    def exclusive(self, name: str) -> None:
        """Wait until no other process is in the section of this name; held to the transaction's end.

        SQLite lets only one writer in anyway.
        """
        if self.dialect == "postgresql":
            key = int.from_bytes(bytes.fromhex(CONTENT.of(name)[:16]), "big", signed=True)
            self._cursor.execute("SELECT pg_advisory_xact_lock(%s)", (key,))

    def _spelt(self, sql: str) -> str:
        return sql if self.dialect == "sqlite" else _with_percent_signs(sql)


@lru_cache(maxsize=256)
def _with_percent_signs(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")


class Database(Protocol):
    """Runs work in transactions. What goes wrong with the database itself is raised as Unavailable."""

    async def run(self, work: Callable[[Cursor], T], *, write: bool = True) -> T:
        """Commit what `work` did, or nothing of it when it raises.

        `work` runs in a thread and may run twice when the connection was lost before the commit, so it does
        nothing but talk to the cursor.
        """
        ...

    async def close(self) -> None: ...


class Keeper(Protocol):
    """Keeps rows in a database: what the methods that `reads` and `changes` wrap belong to."""

    _database: Database


def reads(work: Callable[Concatenate[S, Cursor, P], T]) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """A method over an open transaction, to be awaited without one: it sees one moment and changes nothing."""
    return _in_a_transaction(work, write=False)


def changes(work: Callable[Concatenate[S, Cursor, P], T]) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """The same for one that changes something: all of it is saved, or nothing when it raises."""
    return _in_a_transaction(work, write=True)


def _in_a_transaction(
    work: Callable[Concatenate[S, Cursor, P], T], *, write: bool
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    @wraps(work)
    async def run(keeper: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await keeper._database.run(lambda cursor: work(keeper, cursor, *args, **kwargs), write=write)

    return run
