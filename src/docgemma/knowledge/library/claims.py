"""Who is importing, and which state of the knowledge base this is: the one row that all processes share.

One import at a time. Its claim is free when its time is over, or at once when its process was of this machine and
has died: after a crash nobody should have to wait.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from docgemma.errors import Conflict, Unavailable
from docgemma.store.database import Cursor, Row
from docgemma.store.leases import holder_is_dead, holder_is_elsewhere
from docgemma.store.rows import stamp

CLAIM = timedelta(minutes=2)
"""Renewed with every batch: longer than any batch takes."""

_LONGEST = timedelta(days=1)


def alone(cursor: Cursor) -> None:
    """Nobody else changes the knowledge base until this transaction has ended."""
    cursor.exclusive("docgemma knowledge")


def generation(cursor: Cursor) -> int:
    number: int = _state(cursor)["generation"]
    return number


def advance(cursor: Cursor) -> int:
    """Something that is current has changed."""
    cursor.execute("UPDATE knowledge_state SET generation = generation + 1 WHERE one = 1")
    return generation(cursor)


def take(cursor: Cursor, import_id: str, holder: str, now: datetime) -> None:
    """Conflict while another import is alive."""
    if not _is_free(_state(cursor), now):
        raise Conflict("Another import into the knowledge base is running. Start this one again when it has ended.")
    cursor.execute(
        "UPDATE knowledge_state SET import_id = ?, holder = ?, held_until = ? WHERE one = 1",
        (import_id, holder, stamp(now + CLAIM)),
    )


def keep(cursor: Cursor, import_id: str, now: datetime) -> None:
    """Go on with an import. Late is fine as long as no other one has begun; then it is a Conflict."""
    sql = "UPDATE knowledge_state SET held_until = ? WHERE one = 1 AND import_id = ? AND holder <> ''"
    if cursor.execute(sql, (stamp(now + CLAIM), import_id)) != 1:
        raise Conflict("This import has ended or another one has taken its place. Run it again: nothing is mixed up.")


def let_go(cursor: Cursor, import_id: str) -> bool:
    sql = "UPDATE knowledge_state SET import_id = '', holder = '', held_until = '' WHERE one = 1 AND import_id = ?"
    return cursor.execute(sql, (import_id,)) == 1


def _state(cursor: Cursor) -> Row:
    found = cursor.row("SELECT generation, holder, held_until FROM knowledge_state WHERE one = 1")
    if found is None:
        raise Unavailable("The knowledge base is damaged. Restore a backup, or move it away and import it again.")
    return found


def _is_free(state: Row, now: datetime) -> bool:
    """Nobody holds it for a day: such a claim, of a process that is not to be seen, is of a clock that was wrong."""
    holder: str = state["holder"]
    until: str = state["held_until"]
    if not holder or until <= stamp(now) or holder_is_dead(holder):
        return True
    return until > stamp(now + _LONGEST) and holder_is_elsewhere(holder)
