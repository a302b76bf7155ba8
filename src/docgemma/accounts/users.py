"""The accounts of an installation. Without any, the person at this machine works under their own name.

Accounts are never deleted, only disabled: what their owners decided stays theirs.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

from docgemma.accounts.logins import Logins, end_all
from docgemma.accounts.model import Identity, SignInRefused, User, UserRole
from docgemma.accounts.passwords import Passwords, acceptable
from docgemma.accounts.throttle import Throttle
from docgemma.accounts.tokens import Tokens, of_token, revoke_all
from docgemma.errors import BadInput, Conflict, UnknownId
from docgemma.store.database import Cursor, Database, Row, Value
from docgemma.store.rows import stamp
from docgemma.store.sessions import Clock, utc_now

_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
_FIELDS = "name, role, active, created_at, updated_at"
_Work = Callable[[Cursor, User], None]
_LAST_ADMIN = "This is the last administrator who can sign in. Make somebody else one first."


class Accounts:
    """Users, and through `logins` and `tokens` how they come in."""

    def __init__(self, database: Database, clock: Clock = utc_now, passwords: Passwords | None = None) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords or Passwords()
        self._throttle = Throttle(database, clock)
        self.logins = Logins(database, clock)
        self.tokens = Tokens(database, clock)

    async def count(self) -> int:
        """All of them, also disabled ones: an installation that has had accounts never opens again by itself."""
        row = await self._database.run(lambda cursor: cursor.row("SELECT COUNT(*) AS n FROM users"), write=False)
        return int(row["n"]) if row else 0

    async def listed(self) -> tuple[User, ...]:
        sql = f"SELECT {_FIELDS} FROM users ORDER BY name"  # noqa: S608 - fixed words
        rows = await self._database.run(lambda cursor: cursor.rows(sql), write=False)
        return tuple(_user(row) for row in rows)

    async def get(self, name: str) -> User:
        asked = name.strip().lower()
        return await self._database.run(lambda cursor: _user(_read(cursor, asked)), write=False)

    async def add(self, name: str, role: UserRole, password: str) -> User:
        new = usable_name(name)
        hashed, now = await self._passwords.hashed(password, name=new), stamp(self._clock())

        def work(cursor: Cursor) -> User:
            made = cursor.execute(
                """INSERT INTO users (name, role, password, active, created_at, updated_at) VALUES (?, ?, ?, 1, ?, ?)
                   ON CONFLICT (name) DO NOTHING""",
                (new, role, hashed, now, now),
            )
            if not made:
                raise Conflict(f"There is a user {new} already.")
            return _user(_read(cursor, new))

        return await self._database.run(work)

    async def set_role(self, name: str, role: UserRole) -> User:
        """From the next request on; whoever was signed in signs in again."""

        def work(cursor: Cursor, user: User) -> None:
            if role != "admin":
                _keep_an_admin(cursor, user)
            self._changed(cursor, user, "role = ?", role)

        return await self._change(name, work)

    async def set_password(self, name: str, password: str) -> User:
        """Ends every sign-in of the user. Tokens stay: they are revoked one by one, or by disabling the account."""
        hashed = await self._passwords.hashed(password, name=name.strip().lower())
        return await self._change(name, lambda cursor, user: self._changed(cursor, user, "password = ?", hashed))

    async def disable(self, name: str) -> User:
        """Nobody signs in with it any more; sign-ins and tokens end at once and for good."""

        def work(cursor: Cursor, user: User) -> None:
            _keep_an_admin(cursor, user)
            revoke_all(cursor, user.name)
            self._changed(cursor, user, "active = ?", 0)

        return await self._change(name, work)

    async def enable(self, name: str) -> User:
        return await self._change(name, lambda cursor, user: self._changed(cursor, user, "active = ?", 1))

    async def sign_in(self, name: str, password: str, address: str, *, instead_of: str = "") -> str:
        """The token for the cookie. SignInRefused for whatever is wrong with name, password or account, after the same
        work; TooManyTries for whoever guesses. `instead_of` is what the browser brought along: it ends."""
        user, stored = await self._proved(name, password, address)
        made = await self.logins.start(user, stored, instead_of=instead_of)
        if made is None:
            raise SignInRefused
        return made

    async def change_own_password(self, name: str, current: str, new: str, address: str) -> User:
        """By the user, who proves to be it: an unlocked screen must not be enough."""
        acceptable(new, name=name)  # said before an attempt is used up
        await self._proved(name, current, address)
        return await self.set_password(name, new)

    async def _proved(self, name: str, password: str, address: str) -> tuple[User, str]:
        """The user of this name and password, with the hash that the password was checked against."""
        asked = name.strip().lower()
        await self._throttle.enter(asked, address)
        sql = f"SELECT {_FIELDS}, password FROM users WHERE name = ?"  # noqa: S608 - fixed words
        row = None
        if _NAME.fullmatch(asked):
            row = await self._database.run(lambda cursor: cursor.row(sql, (asked,)), write=False)
        stored: str | None = row["password"] if row is not None and row["active"] else None
        verdict = await self._passwords.check(password, stored)
        if row is None or stored is None or not verdict.right:
            raise SignInRefused
        if verdict.renewed is not None:
            stored = await self._renew(asked, stored, verdict.renewed)
        await self._throttle.passed(asked, address)
        return _user(row), stored

    async def at_terminal(self, token: str | None, local: Identity) -> Identity | None:
        """Who is at the terminal: `local` while there are no accounts, then the token's user; None without one."""
        now = stamp(self._clock())

        def work(cursor: Cursor) -> Identity | None:
            if cursor.row("SELECT 1 AS one FROM users LIMIT 1") is None:
                return local
            return None if token is None else of_token(cursor, token, now)

        return await self._database.run(work, write=False)

    async def secret(self) -> str:
        """Random, made once for this installation and shared by its workers; for tokens against forged requests."""
        new = secrets.token_hex(32)

        def work(cursor: Cursor) -> str:
            cursor.execute(
                "INSERT INTO secrets (name, value) VALUES ('forms', ?) ON CONFLICT (name) DO NOTHING", (new,)
            )
            row = cursor.row("SELECT value FROM secrets WHERE name = 'forms'")
            return str(row["value"]) if row else new

        return await self._database.run(work)

    async def _change(self, name: str, work: _Work) -> User:
        asked = name.strip().lower()

        def change(cursor: Cursor) -> User:
            cursor.exclusive("docgemma accounts")
            work(cursor, _user(_read(cursor, asked)))
            end_all(cursor, asked)
            return _user(_read(cursor, asked))

        return await self._database.run(change)

    def _changed(self, cursor: Cursor, user: User, assignment: str, value: Value) -> None:
        sql = f"UPDATE users SET {assignment}, updated_at = ? WHERE name = ?"  # noqa: S608 - fixed words
        cursor.execute(sql, (value, stamp(self._clock()), user.name))

    async def _renew(self, name: str, old: str, new: str) -> str:
        """The same password, hashed as is done now. A password that was changed meanwhile stays."""
        sql = "UPDATE users SET password = ? WHERE name = ? AND password = ?"
        return new if await self._database.run(lambda cursor: cursor.execute(sql, (new, name, old))) else old


def usable_name(text: str) -> str:
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise BadInput(
            "A user name has 1 to 64 letters (a to z), digits, dots, dashes, underscores or @, "
            "and begins with a letter or a digit."
        )
    return name


def _read(cursor: Cursor, name: str) -> Row:
    sql = f"SELECT {_FIELDS} FROM users WHERE name = ?"  # noqa: S608 - fixed words
    row = cursor.row(sql, (name,)) if _NAME.fullmatch(name) else None
    if row is None:
        raise UnknownId(f"There is no user {name}." if _NAME.fullmatch(name) else "There is no user of that name.")
    return row


def _user(row: Row) -> User:
    return User(**{field: row[field] for field in User.model_fields} | {"active": bool(row["active"])})


def _keep_an_admin(cursor: Cursor, user: User) -> None:
    if user.role != "admin" or not user.active:
        return
    sql = "SELECT 1 AS one FROM users WHERE role = 'admin' AND active = 1 AND name <> ? LIMIT 1"
    if cursor.row(sql, (user.name,)) is None:
        raise Conflict(_LAST_ADMIN)
