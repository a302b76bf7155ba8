"""A turn's life inside one transaction: running, then done or failed; interrupted when its worker went away.

Every function that changes a session first takes its row, so that two processes do it one after the other.
"""

from __future__ import annotations

from typing import Any, Literal

from docgemma.clinical import Patient
from docgemma.errors import Conflict
from docgemma.store import traces
from docgemma.store.database import Cursor, Row
from docgemma.store.ids import unknown
from docgemma.store.leases import lease_is_free
from docgemma.store.rows import Begun, Turn, TurnStatus, pack, pack_patient, to_session, to_turn, unpack

SELECT_SESSION = (
    "SELECT s.*, (SELECT COUNT(*) FROM turns t WHERE t.session_id = s.id) AS turn_count FROM sessions s WHERE "
)
_SELECT_TURN = (
    "SELECT t.*, s.lease_holder, s.lease_turn, s.lease_until FROM turns t JOIN sessions s ON s.id = t.session_id WHERE "
)
_HISTORY_TURNS = 4
_TITLE_LENGTH = 80
_EVERY = 2**31 - 1


def lock_session(cursor: Cursor, session_id: str) -> Row:
    """Take the session's row and read it. Touching the row is the lock that both databases understand."""
    cursor.execute("UPDATE sessions SET updated_at = updated_at WHERE id = ?", (session_id,))
    return read_session(cursor, session_id)


def read_session(cursor: Cursor, session_id: str) -> Row:
    found = cursor.row(SELECT_SESSION + "s.id = ?", (session_id,))
    if found is None:
        raise unknown("session", session_id)
    return found


def pin(cursor: Cursor, session_id: str, patient: Patient, now: str) -> None:
    """Not beside a running turn: its end writes down the patient it started with."""
    session = lock_session(cursor, session_id)
    _refuse_while_answering(session, now)
    pinned = to_session(session).patient
    if pinned is not None and pinned.confirmed and pinned.id != patient.id:
        raise Conflict("This session is about another patient. Start a new session for this one.")
    cursor.execute("UPDATE sessions SET patient = ? WHERE id = ?", (pack_patient(patient), session_id))


def begin(
    cursor: Cursor,
    session_id: str,
    turn_id: str,
    *,
    query: str,
    image_id: str | None,
    prior_image_id: str | None,
    role: str,
    holder: str,
    now: str,
    until: str,
) -> Begun:
    """Take the lease and write the turn down as running; whatever still ran under a free lease was interrupted.

    The first question names the session here, not at its end: one that is cut off must still be found in a list.
    """
    if not holder:
        raise ValueError("a lease needs a holder: an empty one means that the session is free")
    session = lock_session(cursor, session_id)
    _refuse_while_answering(session, now)
    cursor.execute(
        "UPDATE turns SET status = 'interrupted' WHERE session_id = ? AND status = 'running'",
        (session_id,),
    )
    history = _finished(cursor, session_id, now)
    _discard_unfinished(cursor, session_id, turn_id)
    _insert(cursor, session_id, turn_id, "running", "agent", query, image_id, None, holder, now, None, role)
    if prior_image_id is not None:
        cursor.execute("UPDATE turns SET prior_image_id = ? WHERE id = ?", (prior_image_id, turn_id))
    title = session["title"] if unpack(session["title"]) else pack(_title(query))
    cursor.execute(
        "UPDATE sessions SET title = ?, lease_holder = ?, lease_turn = ?, lease_until = ?, updated_at = ? WHERE id = ?",
        (title, holder, turn_id, until, now, session_id),
    )
    return Begun(to_session(session), history)


def finish(
    cursor: Cursor,
    session_id: str,
    turn_id: str,
    *,
    holder: str,
    record: dict[str, Any],
    pending: dict[str, Any] | None,
    patient: Patient | None,
    status: Literal["done", "failed"],
    now: str,
    trace: bytes | None = None,
) -> None:
    """Write down what came of the turn and of what, and give the lease back. Saying it twice changes nothing."""
    session = lock_session(cursor, session_id)
    turn = _turn_of(cursor, session_id, turn_id)
    if turn["status"] in ("done", "failed") and turn["holder"] == holder:
        return
    if session["lease_holder"] != holder or session["lease_turn"] != turn_id:
        raise Conflict("This turn took too long and its session has moved on. Ask again.")
    cursor.execute(
        "UPDATE turns SET status = ?, record = ?, finished_at = ? WHERE id = ?",
        (status, pack(record), now, turn_id),
    )
    traces.keep(cursor, turn_id, trace)
    cursor.execute(
        "UPDATE sessions SET pending = ?, patient = ?, updated_at = ? WHERE id = ?",
        (
            None if pending is None else pack(pending),
            pack_patient(patient),
            now,
            session_id,
        ),
    )
    _release(cursor, session_id)


def interrupt(cursor: Cursor, session_id: str, turn_id: str, *, holder: str) -> bool:
    """Give up a turn that is still ours; whether it was."""
    session = lock_session(cursor, session_id)
    if session["lease_holder"] != holder or session["lease_turn"] != turn_id:
        return False
    cursor.execute("UPDATE turns SET status = 'interrupted' WHERE id = ?", (turn_id,))
    _release(cursor, session_id)
    return True


def append(cursor: Cursor, session_id: str, turn_id: str, record: dict[str, Any], by: str, now: str) -> None:
    """Add a finished turn, once, also beside a running one: a receipt does not wait for an answer."""
    lock_session(cursor, session_id)
    known = cursor.row("SELECT session_id, made_by FROM turns WHERE id = ?", (turn_id,))
    if known is not None:
        if (known["session_id"], known["made_by"]) != (session_id, by):
            raise Conflict(f"The turn {turn_id} is there already.")
        return
    query = record.get("query", "")
    _insert(cursor, session_id, turn_id, "done", by, query, None, record, "", now, now)
    traces.keep(cursor, turn_id, None)
    cursor.execute("UPDATE sessions SET updated_at = ? WHERE id = ?", (now, session_id))


def listed(cursor: Cursor, session_id: str, limit: int | None, now: str) -> tuple[Turn, ...]:
    read_session(cursor, session_id)
    return _newest(cursor, "t.session_id = ?", session_id, _EVERY if limit is None else limit, now)


def one(cursor: Cursor, turn_id: str, now: str) -> Turn:
    found = cursor.row(_SELECT_TURN + "t.id = ?", (turn_id,))
    if found is None:
        raise unknown("turn", turn_id)
    return to_turn(found, _status(found, now))


def interrupted(cursor: Cursor, session_id: str, now: str) -> Turn | None:
    """The last question, when it was never answered. A receipt that came after it does not answer it."""
    read_session(cursor, session_id)
    newest = _newest(cursor, "t.session_id = ? AND t.made_by = 'agent'", session_id, 1, now)
    return newest[0] if newest and newest[0].status == "interrupted" else None


def _refuse_while_answering(session: Row, now: str) -> None:
    if not lease_is_free(session, now):
        raise Conflict("This session is still answering. Wait for the answer, or start a new session.")


def _finished(cursor: Cursor, session_id: str, now: str) -> tuple[Turn, ...]:
    where = "t.session_id = ? AND t.status IN ('done', 'failed')"
    return _newest(cursor, where, session_id, _HISTORY_TURNS, now)


def _newest(cursor: Cursor, where: str, session_id: str, limit: int, now: str) -> tuple[Turn, ...]:
    """The last turns that fit, oldest first."""
    found = cursor.rows(f"{_SELECT_TURN}{where} ORDER BY t.position DESC LIMIT ?", (session_id, limit))
    return tuple(to_turn(row, _status(row, now)) for row in reversed(found))


def _status(row: Row, now: str) -> TurnStatus:
    """A turn that says `running` but that nobody holds any more was interrupted, noted or not."""
    status: TurnStatus = row["status"]
    if status == "running" and (row["lease_turn"] != row["id"] or lease_is_free(row, now)):
        return "interrupted"
    return status


def _turn_of(cursor: Cursor, session_id: str, turn_id: str) -> Row:
    found = cursor.row("SELECT * FROM turns WHERE id = ? AND session_id = ?", (turn_id, session_id))
    if found is None:
        raise unknown("turn", turn_id)
    return found


def _discard_unfinished(cursor: Cursor, session_id: str, turn_id: str) -> None:
    """An interrupted turn begun again is the same turn, moved to the end; any other repeat is refused."""
    known = cursor.row("SELECT session_id, status FROM turns WHERE id = ?", (turn_id,))
    if known is None:
        return
    if known["session_id"] != session_id or known["status"] != "interrupted":
        raise Conflict(f"The turn {turn_id} has been answered already.")
    cursor.execute("DELETE FROM turns WHERE id = ?", (turn_id,))


def _insert(
    cursor: Cursor,
    session_id: str,
    turn_id: str,
    status: TurnStatus,
    by: str,
    query: str,
    image_id: str | None,
    record: dict[str, Any] | None,
    holder: str,
    created_at: str,
    finished_at: str | None,
    role: str = "",
) -> None:
    cursor.execute(
        """INSERT INTO turns (position, id, session_id, status, made_by, query, image_id, record, holder,
                              created_at, finished_at, role)
           SELECT COALESCE(MAX(position), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM turns WHERE session_id = ?""",
        (
            *(turn_id, session_id, status, by, pack(query), image_id),
            *(None if record is None else pack(record), holder, created_at, finished_at, role, session_id),
        ),
    )


def _release(cursor: Cursor, session_id: str) -> None:
    cursor.execute(
        "UPDATE sessions SET lease_holder = '', lease_turn = '', lease_until = '' WHERE id = ?",
        (session_id,),
    )


def _title(query: str) -> str:
    """The first question on one line, cut at a word."""
    words = " ".join(query.split())
    if len(words) <= _TITLE_LENGTH:
        return words
    cut = words[: _TITLE_LENGTH - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"
