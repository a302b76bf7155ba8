"""A turn's life: running, then done or failed; interrupted when its worker went away.

Every method that changes a session first takes its row, so that two processes do it one after the other. With a turn
lies what it was made from, its trace, under a seal: a byte that changed in either is noticed.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal, get_args

from docgemma.clinical import Patient
from docgemma.errors import Conflict
from docgemma.seal import CONTENT
from docgemma.store.database import Cursor, Database, Row, Value, changes, reads
from docgemma.store.ids import asked_id, find, unknown, usable_id
from docgemma.store.leases import lease_is_free
from docgemma.store.rows import (
    Begun,
    Clock,
    Turn,
    TurnStatus,
    pack,
    pack_patient,
    stamp,
    to_session,
    to_turn,
    unpack,
    utc_now,
)

DAMAGED = "The stored record of this turn, or its trace, is not what was written. Restore a backup of the store."
SELECT_SESSION = (
    "SELECT s.*, (SELECT COUNT(*) FROM turns t WHERE t.session_id = s.id) AS turn_count FROM sessions s WHERE "
)
Finished = Literal["done", "failed"]

_SELECT_TURN = (
    "SELECT t.*, s.lease_holder, s.lease_turn, s.lease_until FROM turns t JOIN sessions s ON s.id = t.session_id WHERE "
)
_FREED = "lease_holder = '', lease_turn = '', lease_until = ''"
_SEALED = ("id", "session_id", "status", "made_by", "query", "image_id", "record")
_HISTORY_TURNS = 4
_TITLE_LENGTH = 80
_EVERY = 2**31 - 1


class Turns:
    """The turns of all sessions in one database."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    @changes
    def begin_turn(
        self,
        cursor: Cursor,
        session_id: str,
        turn_id: str,
        query: str,
        *,
        image_id: str | None = None,
        prior_image_id: str | None = None,
        role: str = "",
        holder: str,
        lease_seconds: float,
    ) -> Begun:
        """Take the session for one turn, or refuse with Conflict while another turn holds it.

        Whatever still ran under a free lease was interrupted; such a turn may be begun again under its own id. The
        first question names the session here, not at its end: one that is cut off must still be found in a list.
        """
        if not holder:
            raise ValueError("a lease needs a holder: an empty one means that the session is free")
        turn_id = usable_id(turn_id)
        session, now = lock_session(cursor, session_id), self._now()
        refuse_while_answering(session, now)
        interrupt = "UPDATE turns SET status = 'interrupted' WHERE session_id = ? AND status = 'running'"
        cursor.execute(interrupt, (session_id,))
        history = _newest(cursor, "t.status IN ('done', 'failed')", session_id, _HISTORY_TURNS, now)
        _discard_unfinished(cursor, session_id, turn_id)
        turn = _new_turn(session_id, turn_id, query, "running", "agent", now)
        _insert(cursor, turn | {"image_id": image_id, "prior_image_id": prior_image_id, "role": role, "holder": holder})
        title = session["title"] if unpack(session["title"]) else pack(_title(query))
        cursor.execute(
            """UPDATE sessions SET title = ?, lease_holder = ?, lease_turn = ?, lease_until = ?, updated_at = ?
               WHERE id = ?""",
            (title, holder, turn_id, self._later(lease_seconds), now, session_id),
        )
        return Begun(to_session(session), history)

    @changes
    def renew_lease(self, cursor: Cursor, session_id: str, holder: str, lease_seconds: float) -> bool:
        """Keep the session for longer; False when it was lost. Late is fine as long as nobody else took it."""
        sql = "UPDATE sessions SET lease_until = ? WHERE id = ? AND lease_holder = ? AND lease_turn <> ''"
        return cursor.execute(sql, (self._later(lease_seconds), asked_id("session", session_id), holder)) == 1

    @changes
    def finish_turn(
        self,
        cursor: Cursor,
        session_id: str,
        turn_id: str,
        *,
        holder: str,
        record: dict[str, Any],
        pending: dict[str, Any] | None,
        patient: Patient | None,
        status: Finished = "done",
        trace: bytes | None = None,
    ) -> None:
        """Store the record with what the session now waits for and is about, and free it: all or nothing.

        `trace` is what the turn was made from; it is stored and sealed with the record.

        Conflict when the lease was lost. A repeat by the same holder keeps the first record.
        """
        session, now = lock_session(cursor, session_id), self._now()
        turn = _row_of_turn(cursor, turn_id)
        if turn["session_id"] != session_id:
            raise unknown("turn", turn_id)
        if turn["status"] in get_args(Finished) and turn["holder"] == holder:
            return
        if not _holds(session, turn_id, holder):
            raise Conflict("This turn took too long and its session has moved on. Ask again.")
        ended = "UPDATE turns SET status = ?, record = ?, finished_at = ? WHERE id = ?"
        cursor.execute(ended, (status, pack(record), now, turn_id))
        _keep_trace(cursor, turn_id, trace)
        cursor.execute(
            f"UPDATE sessions SET pending = ?, patient = ?, updated_at = ?, {_FREED} WHERE id = ?",  # noqa: S608
            (None if pending is None else pack(pending), pack_patient(patient), now, session_id),
        )

    @changes
    def interrupt_turn(self, cursor: Cursor, session_id: str, turn_id: str, *, holder: str) -> bool:
        """Give up a running turn on purpose, so that the session is free at once; whether it was still ours."""
        if not _holds(lock_session(cursor, session_id), asked_id("turn", turn_id), holder):
            return False
        cursor.execute("UPDATE turns SET status = 'interrupted' WHERE id = ?", (turn_id,))
        cursor.execute(f"UPDATE sessions SET {_FREED} WHERE id = ?", (session_id,))  # noqa: S608
        return True

    @changes
    def append_turn(
        self, cursor: Cursor, session_id: str, turn_id: str, record: dict[str, Any], by: str = "person"
    ) -> None:
        """Add something that happened beside the conversation, such as a receipt, also beside a running turn.

        A repeat changes nothing.
        """
        turn_id = usable_id(turn_id)
        lock_session(cursor, session_id)
        known = cursor.row("SELECT session_id, made_by FROM turns WHERE id = ?", (turn_id,))
        if known is not None:
            if (known["session_id"], known["made_by"]) != (session_id, by):
                raise Conflict(f"The turn {turn_id} is there already.")
            return
        now = self._now()
        turn = _new_turn(session_id, turn_id, record.get("query", ""), "done", by, now)
        _insert(cursor, turn | {"record": pack(record), "finished_at": now})
        _keep_trace(cursor, turn_id, None)
        cursor.execute("UPDATE sessions SET updated_at = ? WHERE id = ?", (now, session_id))

    @reads
    def turns(self, cursor: Cursor, session_id: str, limit: int | None = None) -> tuple[Turn, ...]:
        """The turns (or the last `limit` of them), oldest first."""
        read_session(cursor, session_id)
        return _newest(cursor, "1 = 1", session_id, _EVERY if limit is None else limit, self._now())

    @reads
    def get_turn(self, cursor: Cursor, turn_id: str) -> Turn:
        found = find(cursor, "turn", turn_id, _SELECT_TURN + "t.id = ?")
        return to_turn(found, _status(found, self._now()))

    @reads
    def get_trace(self, cursor: Cursor, turn_id: str) -> bytes | None:
        """What the turn was made from; empty where there is nothing to run again, None where it was never kept.

        Conflict when the turn's record or its trace is not what was written.
        """
        turn = _row_of_turn(cursor, turn_id)
        found = cursor.row("SELECT body, digest FROM traces WHERE turn_id = ?", (turn_id,))
        if found is None:
            return None
        body = found["body"]
        if not isinstance(body, bytes) or not CONTENT.fits(found["digest"], _columns(turn), body):
            raise Conflict(DAMAGED)
        return body

    @reads
    def interrupted_turn(self, cursor: Cursor, session_id: str) -> Turn | None:
        """The session's last question, when its turn died before the answer. A later receipt does not answer it."""
        read_session(cursor, session_id)
        newest = _newest(cursor, "t.made_by = 'agent'", session_id, 1, self._now())
        return newest[0] if newest and newest[0].status == "interrupted" else None

    def _now(self) -> str:
        return stamp(self._clock())

    def _later(self, seconds: float) -> str:
        return stamp(self._clock() + timedelta(seconds=seconds))


def lock_session(cursor: Cursor, session_id: str) -> Row:
    """Take the session's row and read it. Touching the row is the lock that both databases understand."""
    cursor.execute("UPDATE sessions SET updated_at = updated_at WHERE id = ?", (asked_id("session", session_id),))
    return read_session(cursor, session_id)


def read_session(cursor: Cursor, session_id: str) -> Row:
    return find(cursor, "session", session_id, SELECT_SESSION + "s.id = ?")


def refuse_while_answering(session: Row, now: str) -> None:
    if not lease_is_free(session, now):
        raise Conflict("This session is still answering. Wait for the answer, or start a new session.")


def _holds(session: Row, turn_id: str, holder: str) -> bool:
    return (session["lease_holder"], session["lease_turn"]) == (holder, turn_id)


def _newest(cursor: Cursor, where: str, session_id: str, limit: int, now: str) -> tuple[Turn, ...]:
    """The last turns that fit, oldest first."""
    sql = f"{_SELECT_TURN}t.session_id = ? AND {where} ORDER BY t.position DESC LIMIT ?"
    return tuple(to_turn(row, _status(row, now)) for row in reversed(cursor.rows(sql, (session_id, limit))))


def _status(row: Row, now: str) -> TurnStatus:
    """A turn that says `running` but that nobody holds any more was interrupted, noted or not."""
    status: TurnStatus = row["status"]
    if status == "running" and (row["lease_turn"] != row["id"] or lease_is_free(row, now)):
        return "interrupted"
    return status


def _row_of_turn(cursor: Cursor, turn_id: str) -> Row:
    return find(cursor, "turn", turn_id, "SELECT * FROM turns WHERE id = ?")


def _discard_unfinished(cursor: Cursor, session_id: str, turn_id: str) -> None:
    """An interrupted turn begun again is the same turn, moved to the end; any other repeat is refused."""
    known = cursor.row("SELECT session_id, status FROM turns WHERE id = ?", (turn_id,))
    if known is None:
        return
    if (known["session_id"], known["status"]) != (session_id, "interrupted"):
        raise Conflict(f"The turn {turn_id} has been answered already.")
    cursor.execute("DELETE FROM turns WHERE id = ?", (turn_id,))


def _new_turn(session_id: str, turn_id: str, query: str, status: TurnStatus, by: str, now: str) -> dict[str, Value]:
    turn: dict[str, Value] = {"id": turn_id, "session_id": session_id, "query": pack(query), "created_at": now}
    return turn | {"status": status, "made_by": by, "holder": ""}


def _insert(cursor: Cursor, turn: dict[str, Value]) -> None:
    """Behind the turns that its session has."""
    sql = f"""INSERT INTO turns (position, {", ".join(turn)})
        SELECT COALESCE(MAX(position), 0) + 1, {", ".join("?" * len(turn))} FROM turns WHERE session_id = ?"""  # noqa: S608
    cursor.execute(sql, (*turn.values(), turn["session_id"]))


def _keep_trace(cursor: Cursor, turn_id: str, trace: bytes | None) -> None:
    """In the transaction that finishes the turn, after it: both are there or neither.

    A turn that nobody can run again, such as a receipt, has a seal all the same and an empty trace.
    """
    body = trace or b""
    digest = CONTENT.of(_columns(_row_of_turn(cursor, turn_id)), body)
    cursor.execute("INSERT INTO traces (turn_id, body, digest) VALUES (?, ?, ?)", (turn_id, body, digest))


def _columns(turn: Row) -> str:
    """What is sealed of a turn, as it is stored. None of it holds a NUL: it is ids or packed JSON."""
    return "".join(f"{name}={turn[name]}\0" for name in _SEALED)


def _title(query: str) -> str:
    """The first question on one line, cut at a word."""
    words = " ".join(query.split())
    if len(words) <= _TITLE_LENGTH:
        return words
    cut = words[: _TITLE_LENGTH - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"
