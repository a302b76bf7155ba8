"""What the store asks of a database: one function, one transaction, away from the event loop.

SQL is written once, with `?` for parameters, in the words that SQLite and PostgreSQL share.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound="Keeper")
Row = dict[str, Any]
Value = str | int | bytes | None


class Cursor(Protocol):
    """One open transaction."""

    @property
    def dialect(self) -> Literal["sqlite", "postgresql"]:
        """For the few words the two databases do not share: column types, never logic."""
        ...

    def execute(self, sql: str, params: tuple[Value, ...] = ()) -> int:
        """Run a statement; how many rows it touched."""
        ...

    def many(self, sql: str, params: Sequence[tuple[Value, ...]]) -> int:
        """Run a statement for each of these; how many rows they touched together."""
        ...

    def rows(self, sql: str, params: tuple[Value, ...] = ()) -> list[Row]: ...

    def row(self, sql: str, params: tuple[Value, ...] = ()) -> Row | None:
        """The first row, if there is one."""
        ...

    def exclusive(self, name: str) -> None:
        """Wait until no other process is in the section of this name; held to the transaction's end."""
        ...


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
