"""What a turn was made from, kept beside it and sealed: a byte that changed in either is noticed.

A turn that nobody can run again, such as a receipt, has a seal all the same and an empty trace.
"""

from __future__ import annotations

from docgemma.errors import Conflict
from docgemma.seal import CONTENT
from docgemma.store.database import Cursor, Row
from docgemma.store.ids import unknown

_COLUMNS = ("id", "session_id", "status", "made_by", "query", "image_id", "record")
DAMAGED = "The stored record of this turn, or its trace, is not what was written. Restore a backup of the store."


def keep(cursor: Cursor, turn_id: str, trace: bytes | None) -> None:
    """In the transaction that finishes the turn, after it: both are there or neither."""
    turn = _turn(cursor, turn_id)
    body = trace or b""
    cursor.execute(
        "INSERT INTO traces (turn_id, body, digest) VALUES (?, ?, ?)", (turn_id, body, CONTENT.of(*_sealed(turn, body)))
    )


def kept(cursor: Cursor, turn_id: str) -> bytes | None:
    """The trace; empty where the turn has none, None where not even a seal was kept. Conflict when it was changed."""
    turn = _turn(cursor, turn_id)
    found = cursor.row("SELECT body, digest FROM traces WHERE turn_id = ?", (turn_id,))
    if found is None:
        return None
    body = found["body"]
    if not isinstance(body, bytes) or not CONTENT.fits(found["digest"], *_sealed(turn, body)):
        raise Conflict(DAMAGED)
    return body


def _turn(cursor: Cursor, turn_id: str) -> Row:
    found = cursor.row(f"SELECT {', '.join(_COLUMNS)} FROM turns WHERE id = ?", (turn_id,))  # noqa: S608
    if found is None:
        raise unknown("turn", turn_id)
    return found


def _sealed(turn: Row, body: bytes) -> tuple[str, bytes]:
    """The columns as they are stored. None of them holds a NUL: they are ids or packed JSON."""
    return "".join(f"{name}={turn[name]}\0" for name in _COLUMNS), body
