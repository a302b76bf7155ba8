"""How text gets into a column and out again.

SQLite gives up on a whole answer over one byte that is no letter, so columns are read as the bytes they are stored as:
then a flipped byte is one damaged row, and not a knowledge base that nobody can read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from docgemma.errors import BadInput


def selected(dialect: Literal["sqlite", "postgresql"], names: Iterable[str], table: str = "") -> str:
    """Columns of text for a SELECT."""
    of = f"{table}." if table else ""
    if dialect == "sqlite":
        return ", ".join(f"CAST({of}{name} AS BLOB) AS {name}" for name in names)
    return ", ".join(f"{of}{name}" for name in names)


def read(value: object) -> str | None:
    """None for what is no text any more."""
    if isinstance(value, str):
        return value
    try:
        return value.decode() if isinstance(value, bytes) else None
    except UnicodeDecodeError:
        return None


def storable(what: str, texts: Iterable[str]) -> None:
    """Of all characters only NUL is refused: PostgreSQL has no place for it, and no text needs it."""
    if any("\x00" in text for text in texts):
        raise BadInput(f"{what} contains a NUL character. Remove it from the text.")
