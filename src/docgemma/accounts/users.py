"""The accounts of an installation. Without any, the person at this machine works under their own name.

Accounts are never deleted, only disabled: what their owners decided stays theirs.
"""

from __future__ import annotations

import re
import secrets

from docgemma.accounts.credentials import Logins, Tokens, of_token
from docgemma.accounts.model import Identity, SignInRefused, User, UserRole
from docgemma.accounts.passwords import Passwords, acceptable
from docgemma.accounts.throttle import Throttle
from docgemma.errors import BadInput, Conflict, UnknownId
from docgemma.store.database import Cursor, Database, Row, Value, changes, reads
from docgemma.store.rows import Clock, stamp, utc_now

_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
_SELECT = "SELECT name, role, active, created_at, updated_at, password FROM users"


class Accounts:
    """Users, and through `logins` and `tokens` how they come in."""

    def __init__(self, database: Database, clock: Clock = utc_now, passwords: Passwords | None = None) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords or Passwords()
        self._throttle = Throttle(database, clock)
        self.logins = Logins(database, clock)
        self.tokens = Tokens(database, clock)

    @reads
    def count(self, cursor: Cursor) -> int:
        """All of them, also disabled ones: an installation that has had accounts never opens again by itself."""
        row = cursor.row("SELECT COUNT(*) AS n FROM users")
        return int(row["n"]) if row else 0

    @reads
    def listed(self, cursor: Cursor) -> tuple[User, ...]:
        return tuple(_user(row) for row in cursor.rows(f"{_SELECT} ORDER BY name"))

    @reads
    def get(self, cursor: Cursor, name: str) -> User:
        return _user(_read(cursor, name))

    async def add(self, name: str, role: UserRole, password: str) -> User:
        new = usable_name(name)
        return await self._add(new, role, await self._passwords.hashed(password, name=new))

    @changes
    def set_role(self, cursor: Cursor, name: str, role: UserRole) -> User:
        """From the next request on; whoever was signed in signs in again."""
        return self._change(cursor, name, "role", role, keep_admin=role != "admin")

    async def set_password(self, name: str, password: str) -> User:
        """Ends every sign-in of the user. Tokens stay: they are revoked one by one, or by disabling the account."""
        return await self._set_password(name, await self._passwords.hashed(password, name=_asked(name)))

    @changes
    def disable(self, cursor: Cursor, name: str) -> User:
        """Nobody signs in with it any more; sign-ins and tokens end at once and for good."""
        changed = self._change(cursor, name, "active", 0, keep_admin=True)
        cursor.execute("DELETE FROM tokens WHERE name = ?", (changed.name,))
        return changed

    @changes
    def enable(self, cursor: Cursor, name: str) -> User:
        return self._change(cursor, name, "active", 1)

    async def sign_in(self, name: str, password: str, address: str, *, instead_of: str = "") -> str:
        """The token for the cookie. SignInRefused for whatever is wrong with name, password or account, after the same
        work; TooManyTries for whoever guesses. `instead_of` is what the browser brought along: it ends."""
        user, stored = await self._authenticated(name, password, address)
        made = await self.logins.start(user, stored, instead_of=instead_of)
        if made is None:
            raise SignInRefused
        return made

    async def change_own_password(self, name: str, current: str, new: str, address: str) -> User:
        """By the user, who proves to be it: an unlocked screen must not be enough."""
        acceptable(new, name=name)  # said before an attempt is used up
        await self._authenticated(name, current, address)
        return await self.set_password(name, new)

    async def _authenticated(self, name: str, password: str, address: str) -> tuple[User, str]:
        """The user of this name and password, with the hash that the password was checked against."""
        asked = _asked(name)
        await self._throttle.count_attempt(asked, address)
        row = await self._row(asked)
        stored: str | None = row["password"] if row is not None and row["active"] else None
        verdict = await self._passwords.check(password, stored)
        if row is None or stored is None or not verdict.right:
            raise SignInRefused
        if verdict.renewed is not None:
            stored = await self._renew(asked, stored, verdict.renewed)
        await self._throttle.succeeded(asked, address)
        return _user(row), stored

    @reads
    def at_terminal(self, cursor: Cursor, token: str | None, local: Identity) -> Identity | None:
        """Who is at the terminal: `local` while there are no accounts, then the token's user; None without one."""
        if cursor.row("SELECT 1 AS one FROM users LIMIT 1") is None:
            return local
        return None if token is None else of_token(cursor, token, stamp(self._clock()))

    @changes
    def secret(self, cursor: Cursor) -> str:
        """Random, made once for this installation and shared by its workers; for tokens against forged requests."""
        new = secrets.token_hex(32)
        cursor.execute("INSERT INTO secrets (name, value) VALUES ('forms', ?) ON CONFLICT (name) DO NOTHING", (new,))
        row = cursor.row("SELECT value FROM secrets WHERE name = 'forms'")
        return str(row["value"]) if row else new

    @reads
    def _row(self, cursor: Cursor, name: str) -> Row | None:
        return cursor.row(f"{_SELECT} WHERE name = ?", (name,)) if _NAME.fullmatch(name) else None

    @changes
    def _add(self, cursor: Cursor, name: str, role: UserRole, hashed: str) -> User:
        now = stamp(self._clock())
        made = cursor.execute(
            """INSERT INTO users (name, role, password, active, created_at, updated_at) VALUES (?, ?, ?, 1, ?, ?)
               ON CONFLICT (name) DO NOTHING""",
            (name, role, hashed, now, now),
        )
        if not made:
            raise Conflict(f"There is a user {name} already.")
        return _user(_read(cursor, name))

    @changes
    def _set_password(self, cursor: Cursor, name: str, hashed: str) -> User:
        return self._change(cursor, name, "password", hashed)

    @changes
    def _renew(self, cursor: Cursor, name: str, old: str, new: str) -> str:
        """The same password, hashed as is done now. A password that was changed meanwhile stays."""
        sql = "UPDATE users SET password = ? WHERE name = ? AND password = ?"
        return new if cursor.execute(sql, (new, name, old)) else old

    def _change(self, cursor: Cursor, name: str, column: str, value: Value, *, keep_admin: bool = False) -> User:
        """Change an account, one process at a time, and end its sign-ins. `keep_admin`: Conflict for the last one."""
        cursor.exclusive("docgemma accounts")
        user = _user(_read(cursor, name))
        if keep_admin and user.role == "admin" and user.active:
            others = "SELECT 1 AS one FROM users WHERE role = 'admin' AND active = 1 AND name <> ? LIMIT 1"
            if cursor.row(others, (user.name,)) is None:
                raise Conflict("This is the last administrator who can sign in. Make somebody else one first.")
        sql = f"UPDATE users SET {column} = ?, updated_at = ? WHERE name = ?"  # noqa: S608 - fixed words
        cursor.execute(sql, (value, stamp(self._clock()), user.name))
        cursor.execute("DELETE FROM logins WHERE name = ?", (user.name,))
        return _user(_read(cursor, user.name))


def _asked(name: str) -> str:
    return name.strip().lower()


def usable_name(text: str) -> str:
    name = _asked(text)
    if not _NAME.fullmatch(name):
        raise BadInput(
            "A user name has 1 to 64 letters (a to z), digits, dots, dashes, underscores or @, "
            "and begins with a letter or a digit."
        )
    return name


def _read(cursor: Cursor, name: str) -> Row:
    name = _asked(name)
    row = cursor.row(f"{_SELECT} WHERE name = ?", (name,)) if _NAME.fullmatch(name) else None
    if row is None:
        raise UnknownId(f"There is no user {name}." if _NAME.fullmatch(name) else "There is no user of that name.")
    return row


def _user(row: Row) -> User:
    return User(**{field: row[field] for field in User.model_fields} | {"active": bool(row["active"])})
