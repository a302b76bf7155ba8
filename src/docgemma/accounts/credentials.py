"""How people and programs prove who they are: sign-ins of browsers, and tokens for programs and the terminal.

Both are random, readable once, and kept as a hash alone: whoever reads the database, or a backup of it, can sign in as
nobody. They act as their user, with the role that the user has at that moment.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from docgemma.accounts.model import Identity, User
from docgemma.clinical import Frozen
from docgemma.errors import BadInput, UnknownId
from docgemma.seal import CONTENT
from docgemma.store.database import Cursor, Database, Row, changes, reads
from docgemma.store.rows import Clock, pack, stamp, unpack

IDLE = timedelta(hours=12)
ABSOLUTE = timedelta(days=7)
_TOUCH = timedelta(minutes=1)
"""How exactly the last use is kept: not every request has to write."""

PREFIX = "dg_"
MOST_DAYS = 3650
_LONGEST_LABEL = 80
_LONGEST = 128
_SHOWN = "id, name, label, tail, created_at, expires_at"


def _new_secret() -> str:
    """256 random bits, as text for a cookie or a header."""
    return secrets.token_urlsafe(32)


def _hash(secret: str) -> str:
    """As it stands in the database. It was random: there is nothing to guess, so one round is enough."""
    return CONTENT.of(secret)


class Logins:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @changes
    def start(self, cursor: Cursor, user: User, password: str, *, instead_of: str = "") -> str | None:
        """A new sign-in; the one that the browser brought along ends. `password` is the stored hash that was checked:
        None when the account is another one by now."""
        made, now = _new_secret(), self._clock()
        gone = "DELETE FROM logins WHERE created_at < ? OR hash = ?"
        cursor.execute(gone, (stamp(now - ABSOLUTE), _hash(instead_of)))
        there = "SELECT 1 AS one FROM users WHERE name = ? AND password = ? AND active = 1"
        if cursor.row(there, (user.name, password)) is None:
            return None
        cursor.execute(
            "INSERT INTO logins (hash, id, name, created_at, seen_at) VALUES (?, ?, ?, ?, ?)",
            (_hash(made), secrets.token_hex(16), user.name, stamp(now), stamp(now)),
        )
        return made

    async def find(self, token: str) -> Identity | None:
        """Whose it is; None when it was never given out, has ended, or its user may not sign in any more."""
        now = self._clock()
        row = await self._row(token) if 0 < len(token) <= _LONGEST else None
        if row is None or row["created_at"] <= stamp(now - ABSOLUTE) or row["seen_at"] <= stamp(now - IDLE):
            return None
        if row["seen_at"] <= stamp(now - _TOUCH):
            await self._touch(token, now)
        return Identity(name=row["name"], role=row["role"], via="login", login_id=row["id"])

    @changes
    def end(self, cursor: Cursor, token: str) -> None:
        """Sign out."""
        cursor.execute("DELETE FROM logins WHERE hash = ?", (_hash(token),))

    @reads
    def _row(self, cursor: Cursor, token: str) -> Row | None:
        sql = """SELECT l.id, l.created_at, l.seen_at, u.name, u.role FROM logins l JOIN users u ON u.name = l.name
                 WHERE l.hash = ? AND u.active = 1"""
        return cursor.row(sql, (_hash(token),))

    @changes
    def _touch(self, cursor: Cursor, token: str, now: datetime) -> None:
        cursor.execute("UPDATE logins SET seen_at = ? WHERE hash = ?", (stamp(now), _hash(token)))


class Token(Frozen):
    """What is shown of a token after it was issued."""

    id: str
    name: str
    label: str
    tail: str
    created_at: str
    expires_at: str
    expired: bool


class Tokens:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @changes
    def issue(self, cursor: Cursor, name: str, label: str, days: int) -> str:
        """A new token, readable this one time."""
        label = " ".join(label.split())
        if not 1 <= len(label) <= _LONGEST_LABEL:
            raise BadInput(f"The label of a token says what it is for, in 1 to {_LONGEST_LABEL} characters.")
        if not 1 <= days <= MOST_DAYS:
            raise BadInput(f"A token is good for 1 to {MOST_DAYS} days.")
        found = cursor.row("SELECT active FROM users WHERE name = ?", (name,))
        if found is None:
            raise UnknownId(f"There is no user {name}.")
        if not found["active"]:
            raise BadInput(f"The account of {name} is disabled. Enable it first.")
        made, now = PREFIX + _new_secret(), self._clock()
        shown = (secrets.token_hex(4), name, pack(label), made[-4:], stamp(now), stamp(now + timedelta(days=days)))
        sql = f"INSERT INTO tokens (hash, {_SHOWN}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - fixed words
        cursor.execute(sql, (_hash(made), *shown))
        return made

    @reads
    def find(self, cursor: Cursor, token: str) -> Identity | None:
        """Whose it is; None when it is unknown, revoked or over, or its user is disabled."""
        return of_token(cursor, token, stamp(self._clock()))

    @reads
    def listed(self, cursor: Cursor, name: str | None = None) -> tuple[Token, ...]:
        now = stamp(self._clock())
        where, params = ("WHERE name = ?", (name,)) if name is not None else ("", ())
        sql = f"SELECT {_SHOWN} FROM tokens {where} ORDER BY name, created_at, id"  # noqa: S608 - fixed words
        return tuple(
            Token(**{**row, "label": unpack(row["label"]), "expired": row["expires_at"] <= now})
            for row in cursor.rows(sql, params)
        )

    @changes
    def revoke(self, cursor: Cursor, token_id: str) -> None:
        if not cursor.execute("DELETE FROM tokens WHERE id = ?", (token_id,)):
            raise UnknownId("There is no token of that id. `docgemma users tokens` lists them.")


def of_token(cursor: Cursor, token: str, now: str) -> Identity | None:
    """Whose it is, inside a transaction that is open already."""
    if not token.startswith(PREFIX) or len(token) > _LONGEST:
        return None
    row = cursor.row(
        """SELECT t.id, u.name, u.role FROM tokens t JOIN users u ON u.name = t.name
           WHERE t.hash = ? AND t.expires_at > ? AND u.active = 1""",
        (_hash(token), now),
    )
    return None if row is None else Identity(name=row["name"], role=row["role"], via="token", login_id=row["id"])
