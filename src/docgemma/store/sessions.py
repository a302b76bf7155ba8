"""The store as the rest of the program sees it: sessions with their turns and images, and a few passing facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docgemma.clinical import Patient
from docgemma.errors import Conflict, Unavailable
from docgemma.store.database import Cursor, Database, changes, reads
from docgemma.store.ids import asked_id, find, new_image_id, new_session_id, unknown, usable_id
from docgemma.store.migrations import migrate
from docgemma.store.opened import Opened
from docgemma.store.rows import Clock, Session, StoredImage, pack, pack_patient, to_session, unpack, utc_now
from docgemma.store.turns import SELECT_SESSION, Turns, lock_session, read_session, refuse_while_answering

__all__ = ["Clock", "Store", "open_store", "utc_now"]


class Store(Turns, Opened):
    """One database. `async with` opens it, brings its schema up to date and closes it."""

    @property
    def database(self) -> Database:
        """For what else is kept beside the sessions: one database to back up, one schema."""
        return self._database

    async def open(self) -> None:
        await self._database.run(migrate)

    async def close(self) -> None:
        await self._database.close()

    @changes
    def create_session(
        self,
        cursor: Cursor,
        owner: str,
        *,
        title: str = "",
        patient: Patient | None = None,
        session_id: str | None = None,
    ) -> Session:
        """Start a session. A given id that is taken is a Conflict."""
        new, now = new_session_id() if session_id is None else usable_id(session_id), self._now()
        made = cursor.execute(
            """INSERT INTO sessions (id, owner, title, patient, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
               ON CONFLICT (id) DO NOTHING""",
            (new, pack(owner), pack(title), pack_patient(patient), now, now),
        )
        if not made:
            raise Conflict(f"The session {new} is there already.")
        return to_session(read_session(cursor, new))

    @reads
    def get_session(self, cursor: Cursor, session_id: str) -> Session:
        return to_session(read_session(cursor, session_id))

    @reads
    def list_sessions(self, cursor: Cursor, owner: str, limit: int = 50) -> tuple[Session, ...]:
        """The owner's sessions, the last used first."""
        sql = SELECT_SESSION + "s.owner = ? ORDER BY s.updated_at DESC, s.created_at DESC, s.id LIMIT ?"
        return tuple(to_session(row) for row in cursor.rows(sql, (pack(owner), limit)))

    @changes
    def rename_session(self, cursor: Cursor, session_id: str, title: str) -> None:
        sql = "UPDATE sessions SET title = ? WHERE id = ?"
        if not cursor.execute(sql, (pack(title), asked_id("session", session_id))):
            raise unknown("session", session_id)

    @changes
    def pin_patient(self, cursor: Cursor, session_id: str, patient: Patient) -> None:
        """Say whom a session without a patient is about. Conflict when it has another one.

        Conflict also beside a running turn: its end writes down the patient it started with.
        """
        session = lock_session(cursor, session_id)
        refuse_while_answering(session, self._now())
        pinned = to_session(session).patient
        if pinned is not None and pinned.confirmed and pinned.id != patient.id:
            raise Conflict("This session is about another patient. Start a new session for this one.")
        cursor.execute("UPDATE sessions SET patient = ? WHERE id = ?", (pack_patient(patient), session_id))

    @changes
    def put_image(
        self,
        cursor: Cursor,
        session_id: str | None,
        media_type: str,
        data: bytes,
        *,
        width: int,
        height: int,
        facts: str = "",
        depth: bytes | None = None,
        frames: bytes | None = None,
    ) -> str:
        """Keep an image; the same bytes in the same session are kept once, under one id."""
        if session_id is not None:
            read_session(cursor, session_id)
        new = new_image_id(session_id, data, facts, depth, frames)
        cursor.execute(
            """INSERT INTO images
               (id, session_id, media_type, data, width, height, created_at, facts, depth, frames)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING""",
            (new, session_id, media_type, data, width, height, self._now(), facts, depth, frames),
        )
        return new

    @reads
    def get_image(self, cursor: Cursor, image_id: str) -> StoredImage:
        """Unavailable when it is not what was put there: its id is a seal over all of it."""
        found = StoredImage(**find(cursor, "image", image_id, "SELECT * FROM images WHERE id = ?"))
        if new_image_id(found.session_id, found.data, found.facts, found.depth, found.frames) != found.id:
            raise Unavailable(f"The stored image {image_id} is damaged. Attach it again.")
        return found

    @changes
    def put_fact(self, cursor: Cursor, key: str, value: dict[str, Any], ttl_seconds: float) -> None:
        """Remember something small for a while, and forget what has run out."""
        cursor.execute("DELETE FROM facts WHERE expires_at <= ?", (self._now(),))
        cursor.execute(
            """INSERT INTO facts (name, value, expires_at) VALUES (?, ?, ?)
               ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at""",
            (pack(key), pack(value), self._later(ttl_seconds)),
        )

    @reads
    def get_fact(self, cursor: Cursor, key: str) -> dict[str, Any] | None:
        sql = "SELECT value FROM facts WHERE name = ? AND expires_at > ?"
        row = cursor.row(sql, (pack(key), self._now()))
        return None if row is None else unpack(row["value"])


def open_store(path_or_url: str, *, clock: Clock = utc_now) -> Store:
    """A `postgresql://` address, or else the path of an SQLite file. Nothing is opened before `open()`."""
    if path_or_url.startswith(("postgresql://", "postgres://")):
        from docgemma.store.postgres import PostgresDatabase

        return Store(PostgresDatabase(path_or_url), clock=clock)
    from docgemma.store.sqlite import SqliteDatabase

    # Durable for the audit log in it: a chart that somebody saw must not lose its row to a power cut.
    return Store(SqliteDatabase(Path(path_or_url), durable=True), clock=clock)
