"""Tokens for programs and for the terminal: shown once, kept as a hash, named by a label and their last four letters.

They act as their user, with the role that the user has at that moment.
"""

from __future__ import annotations

import secrets
from datetime import timedelta

from docgemma.accounts.logins import kept, new_secret
from docgemma.accounts.model import Identity
from docgemma.clinical import Frozen
from docgemma.errors import BadInput, UnknownId
from docgemma.store.database import Cursor, Database, changes, reads
from docgemma.store.rows import Clock, pack, stamp, unpack

PREFIX = "dg_"
MOST_DAYS = 3650
_LONGEST_LABEL = 80
_LONGEST = 128
_SHOWN = "id, name, label, tail, created_at, expires_at"


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
        made, now = PREFIX + new_secret(), self._clock()
        shown = (secrets.token_hex(4), name, pack(label), made[-4:], stamp(now), stamp(now + timedelta(days=days)))
        sql = f"INSERT INTO tokens (hash, {_SHOWN}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - fixed words
        cursor.execute(sql, (kept(made), *shown))
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
        (kept(token), now),
    )
    return None if row is None else Identity(name=row["name"], role=row["role"], via="token", login_id=row["id"])
