"""What turns tell while they run, kept for as long as a page may ask for it again.

The record of a turn is the lasting word. The events are there for the page that lost its connection, was reloaded, or
talks to another process: they can go once they are old.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from docgemma.errors import Conflict
from docgemma.store.database import Cursor, Database, T, Value, changes, reads
from docgemma.store.ids import asked_id, find
from docgemma.store.rows import Clock, pack, stamp, unpack, utc_now

RunState = Literal["running", "done", "failed", "stopped"]
EndState = Literal["done", "failed", "stopped"]

_ROWS = 100


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A turn as seen by those who watch it; its id is the turn's."""

    id: str
    session_id: str
    owner: str
    asked: str
    """A digest of the question."""
    state: RunState
    stop_wanted: bool
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class Opening:
    """A run begins, or begins again."""

    run_id: str
    session_id: str
    owner: str
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event. Numbers count up within a run."""

    run_id: str
    number: int
    kind: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Closing:
    run_id: str
    state: EndState


Write = Opening | Entry | Closing


class Events:
    """The log, in the database of the sessions: one to back up, one schema."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    @changes
    def write(self, cursor: Cursor, writes: Sequence[Write]) -> None:
        """All or nothing, in one transaction. Conflict where a run is somebody else's, or goes on elsewhere."""
        now = stamp(self._clock())
        _open(cursor, [write for write in writes if isinstance(write, Opening)], now)
        _append(cursor, [write for write in writes if isinstance(write, Entry)])
        _close(cursor, [write for write in writes if isinstance(write, Closing)], now)

    @reads
    def run(self, cursor: Cursor, run_id: str) -> StoredRun:
        row = find(cursor, "run", run_id, "SELECT * FROM runs WHERE id = ?")
        return StoredRun(**{**row, "owner": unpack(row["owner"]), "stop_wanted": bool(row["stop_wanted"])})

    @reads
    def since(self, cursor: Cursor, run_id: str, after: int = 0) -> tuple[Entry, ...]:
        """The events after this number, in order."""
        return _since(cursor, asked_id("run", run_id), after)

    @reads
    def since_each(self, cursor: Cursor, places: Mapping[str, int]) -> dict[str, tuple[Entry, ...]]:
        """The same for many runs in one go; those without news are left out."""
        found = {run_id: _since(cursor, run_id, after) for run_id, after in places.items()}
        return {run_id: news for run_id, news in found.items() if news}

    @reads
    def last_number(self, cursor: Cursor, run_id: str) -> int:
        """Of the last event; 0 where there is none."""
        sql = "SELECT COALESCE(MAX(number), 0) AS last FROM events WHERE run_id = ?"
        row = cursor.row(sql, (asked_id("run", run_id),))
        return int(row["last"]) if row else 0

    @changes
    def want_stop(self, cursor: Cursor, run_id: str) -> bool:
        """Ask the process that runs it to stop; whether it still ran."""
        sql = "UPDATE runs SET stop_wanted = 1 WHERE id = ? AND state = 'running'"
        return cursor.execute(sql, (asked_id("run", run_id),)) == 1

    @reads
    def stops_wanted(self, cursor: Cursor, ids: Sequence[str]) -> tuple[str, ...]:
        """Which of these somebody wants to end. Read from the few that are wanted, however many run here."""
        mine = frozenset(ids)
        found = cursor.rows("SELECT id FROM runs WHERE state = 'running' AND stop_wanted = 1")
        return tuple(row["id"] for row in found if row["id"] in mine)

    @changes
    def prune(self, cursor: Cursor, before: datetime) -> int:
        """Forget the runs that nothing was written to since then; how many they were."""
        old = (stamp(before),)
        cursor.execute("DELETE FROM events WHERE run_id IN (SELECT id FROM runs WHERE updated_at < ?)", old)
        return cursor.execute("DELETE FROM runs WHERE updated_at < ?", old)


def _since(cursor: Cursor, run_id: str, after: int) -> tuple[Entry, ...]:
    sql = "SELECT run_id, number, kind, body FROM events WHERE run_id = ? AND number > ? ORDER BY number"
    return tuple(Entry(**{**row, "body": unpack(row["body"])}) for row in cursor.rows(sql, (run_id, after)))


def _open(cursor: Cursor, openings: Sequence[Opening], now: str) -> None:
    for some in _batches(openings):
        added = cursor.execute(
            f"""INSERT INTO runs (id, session_id, owner, asked, state, stop_wanted, created_at, updated_at)
                VALUES {_placeholders(8, len(some))}
                ON CONFLICT (id) DO UPDATE SET state = excluded.state, stop_wanted = 0, updated_at = excluded.updated_at
                WHERE runs.session_id = excluded.session_id AND runs.owner = excluded.owner""",  # noqa: S608 - `?` alone
            _values((new.run_id, new.session_id, pack(new.owner), new.asked, "running", 0, now, now) for new in some),
        )
        if added != len(some):
            raise Conflict("A run of this id is there already, for another question. Ask again.")


def _append(cursor: Cursor, entries: Sequence[Entry]) -> None:
    for some in _batches(entries):
        sql = "INSERT INTO events (run_id, number, kind, body) VALUES "
        added = cursor.execute(
            f"{sql}{_placeholders(4, len(some))} ON CONFLICT DO NOTHING",
            _values((each.run_id, each.number, each.kind, pack(each.body)) for each in some),
        )
        if added != len(some):
            raise Conflict("This answer is being written by another process. Load the page again.")


def _close(cursor: Cursor, closings: Sequence[Closing], now: str) -> None:
    for state in sorted({closing.state for closing in closings}):
        for some in _batches([closing.run_id for closing in closings if closing.state == state]):
            sql = "UPDATE runs SET state = ?, updated_at = ? WHERE id IN "
            cursor.execute(f"{sql}{_placeholders(len(some), 1)}", (state, now, *some))


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """As many as one statement takes. One for each row would be slow: each waits for its turn in a busy process."""
    return (items[at : at + _ROWS] for at in range(0, len(items), _ROWS))


def _placeholders(columns: int, rows: int) -> str:
    return ", ".join([f"({', '.join('?' * columns)})"] * rows)


def _values(rows: Iterable[tuple[Value, ...]]) -> tuple[Value, ...]:
    return tuple(value for row in rows for value in row)
