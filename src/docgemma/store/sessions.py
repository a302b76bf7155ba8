"""The store as the rest of the program sees it: sessions with their turns and images, and a few passing facts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from docgemma.clinical import Patient
from docgemma.errors import Conflict, Unavailable
from docgemma.store import traces, turns
from docgemma.store.database import Cursor, Database
from docgemma.store.ids import asked_id, new_image_id, new_session_id, unknown, usable_id
from docgemma.store.migrations import migrate
from docgemma.store.opened import Opened
from docgemma.store.rows import Begun, Session, StoredImage, Turn, pack, pack_patient, stamp, to_session, unpack

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Store(Opened):
    """One database. `async with` opens it, brings its schema up to date and closes it."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    @property
    def database(self) -> Database:
        """For what else is kept beside the sessions: one database to back up, one schema."""
        return self._database

    async def open(self) -> None:
        await self._database.run(migrate)

    async def close(self) -> None:
        await self._database.close()

    async def create_session(
        self, owner: str, *, title: str = "", patient: Patient | None = None, session_id: str | None = None
    ) -> Session:
        """Start a session. A given id that is taken is a Conflict."""
        new = new_session_id() if session_id is None else usable_id(session_id)
        now = self._now()

        def work(cursor: Cursor) -> Session:
            made = cursor.execute(
                """INSERT INTO sessions (id, owner, title, patient, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
                   ON CONFLICT (id) DO NOTHING""",
                (new, pack(owner), pack(title), pack_patient(patient), now, now),
            )
            if not made:
                raise Conflict(f"The session {new} is there already.")
            return to_session(turns.read_session(cursor, new))

        return await self._database.run(work)

    async def get_session(self, session_id: str) -> Session:
        known = asked_id("session", session_id)
        return await self._database.run(lambda cursor: to_session(turns.read_session(cursor, known)), write=False)

    async def list_sessions(self, owner: str, limit: int = 50) -> tuple[Session, ...]:
        """The owner's sessions, the last used first."""
        sql = turns.SELECT_SESSION + "s.owner = ? ORDER BY s.updated_at DESC, s.created_at DESC, s.id LIMIT ?"
        found = await self._database.run(lambda cursor: cursor.rows(sql, (pack(owner), limit)), write=False)
        return tuple(to_session(row) for row in found)

    async def rename_session(self, session_id: str, title: str) -> None:
        sql = "UPDATE sessions SET title = ? WHERE id = ?"
        params = (pack(title), asked_id("session", session_id))
        if not await self._database.run(lambda cursor: cursor.execute(sql, params)):
            raise unknown("session", session_id)

    async def pin_patient(self, session_id: str, patient: Patient) -> None:
        """Say whom a session without a patient is about. Conflict when it has another one, or is answering."""
        known, now = asked_id("session", session_id), self._now()
        await self._database.run(lambda cursor: turns.pin(cursor, known, patient, now))

    async def begin_turn(
        self,
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

        An interrupted turn may be begun again under its own id.
        """
        session, turn = asked_id("session", session_id), usable_id(turn_id)
        now, until = self._now(), self._later(lease_seconds)
        return await self._database.run(
            lambda cursor: turns.begin(
                cursor,
                session,
                turn,
                query=query,
                image_id=image_id,
                prior_image_id=prior_image_id,
                role=role,
                holder=holder,
                now=now,
                until=until,
            )
        )

    async def renew_lease(self, session_id: str, holder: str, lease_seconds: float) -> bool:
        """Keep the session for longer; False when it was lost. Late is fine as long as nobody else took it."""
        sql = "UPDATE sessions SET lease_until = ? WHERE id = ? AND lease_holder = ? AND lease_turn <> ''"
        params = (self._later(lease_seconds), asked_id("session", session_id), holder)
        return await self._database.run(lambda cursor: cursor.execute(sql, params)) == 1

    async def finish_turn(
        self,
        session_id: str,
        turn_id: str,
        *,
        holder: str,
        record: dict[str, Any],
        pending: dict[str, Any] | None,
        patient: Patient | None,
        status: Literal["done", "failed"] = "done",
        trace: bytes | None = None,
    ) -> None:
        """Store the record with what the session now waits for and is about, and free it: all or nothing.

        `trace` is what the turn was made from; it is stored and sealed with the record.

        Conflict when the lease was lost. A repeat by the same holder keeps the first record.
        """
        session, turn, now = asked_id("session", session_id), asked_id("turn", turn_id), self._now()
        await self._database.run(
            lambda cursor: turns.finish(
                cursor,
                session,
                turn,
                holder=holder,
                record=record,
                pending=pending,
                patient=patient,
                status=status,
                now=now,
                trace=trace,
            )
        )

    async def interrupt_turn(self, session_id: str, turn_id: str, *, holder: str) -> bool:
        """Give up a running turn on purpose (the user stopped it), so that the session is free at once."""
        session, turn = asked_id("session", session_id), asked_id("turn", turn_id)
        return await self._database.run(lambda cursor: turns.interrupt(cursor, session, turn, holder=holder))

    async def append_turn(self, session_id: str, turn_id: str, record: dict[str, Any], by: str = "person") -> None:
        """Add something that happened beside the conversation, such as a receipt; a repeat changes nothing."""
        session, turn, now = asked_id("session", session_id), usable_id(turn_id), self._now()
        await self._database.run(lambda cursor: turns.append(cursor, session, turn, record, by, now))

    async def turns(self, session_id: str, limit: int | None = None) -> tuple[Turn, ...]:
        """The turns (or the last `limit` of them), oldest first."""
        known, now = asked_id("session", session_id), self._now()
        return await self._database.run(lambda cursor: turns.listed(cursor, known, limit, now), write=False)

    async def get_turn(self, turn_id: str) -> Turn:
        known, now = asked_id("turn", turn_id), self._now()
        return await self._database.run(lambda cursor: turns.one(cursor, known, now), write=False)

    async def get_trace(self, turn_id: str) -> bytes | None:
        """What the turn was made from; empty where there is nothing to run again, None where it was never kept.

        Conflict when the turn's record or its trace is not what was written.
        """
        known = asked_id("turn", turn_id)
        return await self._database.run(lambda cursor: traces.kept(cursor, known), write=False)

    async def interrupted_turn(self, session_id: str) -> Turn | None:
        """The session's last question, when its turn died before the answer."""
        known, now = asked_id("session", session_id), self._now()
        return await self._database.run(lambda cursor: turns.interrupted(cursor, known, now), write=False)

    async def put_image(
        self,
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
        session = None if session_id is None else asked_id("session", session_id)
        new, now = new_image_id(session, data, facts, depth, frames), self._now()

        def work(cursor: Cursor) -> str:
            if session is not None:
                turns.read_session(cursor, session)
            cursor.execute(
                """INSERT INTO images
                   (id, session_id, media_type, data, width, height, created_at, facts, depth, frames)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING""",
                (new, session, media_type, data, width, height, now, facts, depth, frames),
            )
            return new

        return await self._database.run(work)

    async def get_image(self, image_id: str) -> StoredImage:
        known = asked_id("image", image_id)
        row = await self._database.run(
            lambda cursor: cursor.row("SELECT * FROM images WHERE id = ?", (known,)), write=False
        )
        if row is None:
            raise unknown("image", image_id)
        found = StoredImage(**row)
        if new_image_id(found.session_id, found.data, found.facts, found.depth, found.frames) != found.id:
            raise Unavailable(f"The stored image {known} is damaged. Attach it again.")
        return found

    async def put_fact(self, key: str, value: dict[str, Any], ttl_seconds: float) -> None:
        """Remember something small for a while, and forget what has run out."""
        now, until = self._now(), self._later(ttl_seconds)

        def work(cursor: Cursor) -> None:
            cursor.execute("DELETE FROM facts WHERE expires_at <= ?", (now,))
            cursor.execute(
                """INSERT INTO facts (name, value, expires_at) VALUES (?, ?, ?)
                   ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at""",
                (pack(key), pack(value), until),
            )

        await self._database.run(work)

    async def get_fact(self, key: str) -> dict[str, Any] | None:
        sql, params = "SELECT value FROM facts WHERE name = ? AND expires_at > ?", (pack(key), self._now())
        row = await self._database.run(lambda cursor: cursor.row(sql, params), write=False)
        return None if row is None else unpack(row["value"])

    def _now(self) -> str:
        return stamp(self._clock())

    def _later(self, seconds: float) -> str:
        return stamp(self._clock() + timedelta(seconds=seconds))


def open_store(path_or_url: str, *, clock: Clock = utc_now) -> Store:
    """A `postgresql://` address, or else the path of an SQLite file. Nothing is opened before `open()`."""
    if path_or_url.startswith(("postgresql://", "postgres://")):
        from docgemma.store.postgres import PostgresDatabase

        return Store(PostgresDatabase(path_or_url), clock=clock)
    from docgemma.store.sqlite import SqliteDatabase

    # Durable for the audit log in it: a chart that somebody saw must not lose its row to a power cut.
    return Store(SqliteDatabase(Path(path_or_url), durable=True), clock=clock)
