"""What the store asks of a database: one function, one transaction, away from the event loop.

SQL is written once, with `?` for parameters, in the words that SQLite and PostgreSQL share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeVar

T = TypeVar("T")
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
