"""Sign-ins of browsers: a random token in a cookie here, only its hash in the database.

Whoever reads the database, or a backup of it, can sign in as nobody.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from docgemma.accounts.model import Identity, User
from docgemma.seal import CONTENT
from docgemma.store.database import Cursor, Database, Row, changes, reads
from docgemma.store.rows import Clock, stamp

IDLE = timedelta(hours=12)
ABSOLUTE = timedelta(days=7)
_TOUCH = timedelta(minutes=1)
"""How exactly the last use is kept: not every request has to write."""

_LONGEST = 128


def new_secret() -> str:
    """256 random bits, as text for a cookie or a header."""
    return secrets.token_urlsafe(32)


def kept(secret: str) -> str:
    """As it stands in the database. It was random: there is nothing to guess, so one round is enough."""
    return CONTENT.of(secret)


class Logins:
    def __init__(
        self, database: Database, clock: Clock, *, idle: timedelta = IDLE, absolute: timedelta = ABSOLUTE
    ) -> None:
        self._database = database
        self._clock = clock
        self._idle = idle
        self._absolute = absolute

    @changes
    def start(self, cursor: Cursor, user: User, password: str, *, instead_of: str = "") -> str | None:
        """A new sign-in; the one that the browser brought along ends. `password` is the stored hash that was checked:
        None when the account is another one by now."""
        made, now = new_secret(), self._clock()
        gone = "DELETE FROM logins WHERE created_at < ? OR hash = ?"
        cursor.execute(gone, (stamp(now - self._absolute), kept(instead_of)))
        there = "SELECT 1 AS one FROM users WHERE name = ? AND password = ? AND active = 1"
        if cursor.row(there, (user.name, password)) is None:
            return None
        cursor.execute(
            "INSERT INTO logins (hash, id, name, created_at, seen_at) VALUES (?, ?, ?, ?, ?)",
            (kept(made), secrets.token_hex(16), user.name, stamp(now), stamp(now)),
        )
        return made

    async def find(self, token: str) -> Identity | None:
        """Whose it is; None when it was never given out, has ended, or its user may not sign in any more."""
        now = self._clock()
        row = await self._row(token) if 0 < len(token) <= _LONGEST else None
        if row is None or row["created_at"] <= stamp(now - self._absolute) or row["seen_at"] <= stamp(now - self._idle):
            return None
        if row["seen_at"] <= stamp(now - _TOUCH):
            await self._touch(token, now)
        return Identity(name=row["name"], role=row["role"], via="login", login_id=row["id"])

    @changes
    def end(self, cursor: Cursor, token: str) -> None:
        """Sign out."""
        cursor.execute("DELETE FROM logins WHERE hash = ?", (kept(token),))

    @reads
    def _row(self, cursor: Cursor, token: str) -> Row | None:
        sql = """SELECT l.id, l.created_at, l.seen_at, u.name, u.role FROM logins l JOIN users u ON u.name = l.name
                 WHERE l.hash = ? AND u.active = 1"""
        return cursor.row(sql, (kept(token),))

    @changes
    def _touch(self, cursor: Cursor, token: str, now: datetime) -> None:
        cursor.execute("UPDATE logins SET seen_at = ? WHERE hash = ?", (stamp(now), kept(token)))
