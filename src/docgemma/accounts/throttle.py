"""Slowing down whoever guesses passwords: by the name that is tried, and by the address it is tried from.

Counts lie in the database, so that all workers share them. An attempt is counted before the password is looked at and
taken back when it was right: a thousand attempts at the same moment are a thousand, not one.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from docgemma.accounts.model import TooManyTries
from docgemma.seal import CONTENT
from docgemma.store.database import Cursor, Database, changes
from docgemma.store.rows import Clock, stamp

FREE_FOR_NAME = 5
FREE_FOR_ADDRESS = 20
"""More: a whole ward may share one address."""

LONGEST_WAIT = timedelta(minutes=15)
FORGOTTEN_AFTER = timedelta(hours=24)


class _Key(NamedTuple):
    hash: str
    free: int


def wait_after(failed: int, free: int) -> timedelta:
    """Nothing for the first ones, then 1, 2, 4 … seconds, up to a quarter of an hour."""
    over = failed - free
    return timedelta(0) if over < 0 else min(timedelta(seconds=2 ** min(over, 20)), LONGEST_WAIT)


class Throttle:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def count_attempt(self, name: str, address: str) -> None:
        """Count one attempt, or TooManyTries when it comes too early. One that was refused counts for nothing:
        whoever keeps knocking does not lock the owner out for longer."""
        wait = await self._count(_keys(name, address))
        if wait:
            raise TooManyTries(wait)

    @changes
    def succeeded(self, cursor: Cursor, name: str, address: str) -> None:
        """The password was right: the name starts anew, and the address is not to blame."""
        by_name, by_address = _keys(name, address)
        cursor.execute("DELETE FROM sign_in_attempts WHERE key = ?", (by_name.hash,))
        less = "UPDATE sign_in_attempts SET failed = failed - 1 WHERE key = ? AND failed > 0"
        cursor.execute(less, (by_address.hash,))

    @changes
    def _count(self, cursor: Cursor, keys: Iterable[_Key]) -> int:
        """How many seconds to wait, or 0 with the attempt counted."""
        now = self._clock()
        cursor.exclusive("docgemma sign-in")
        cursor.execute("DELETE FROM sign_in_attempts WHERE at < ?", (stamp(now - FORGOTTEN_AFTER),))
        waits, counts = [0.0], dict.fromkeys(keys, 0)
        for key in counts:
            row = cursor.row("SELECT failed, at FROM sign_in_attempts WHERE key = ?", (key.hash,))
            if row:
                counts[key] = row["failed"]
                allowed = datetime.fromisoformat(row["at"]) + wait_after(row["failed"], key.free)
                waits.append((allowed - now).total_seconds())
        if max(waits) > 0:
            return int(max(waits)) + 1
        for key, failed in counts.items():
            cursor.execute(
                """INSERT INTO sign_in_attempts (key, failed, at) VALUES (?, ?, ?)
                   ON CONFLICT (key) DO UPDATE SET failed = excluded.failed, at = excluded.at""",
                (key.hash, failed + 1, stamp(now)),
            )
        return 0


def _keys(name: str, address: str) -> tuple[_Key, _Key]:
    """Hashed, because people type passwords into the field for the name."""
    return (
        _Key(CONTENT.of(f"name {name}"), FREE_FOR_NAME),
        _Key(CONTENT.of(f"address {_network(address)}"), FREE_FOR_ADDRESS),
    )


def _network(address: str) -> str:
    """One household of IPv6 has more addresses than anybody could count: it is counted as one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((int(parsed), 64), strict=False).network_address)
    return str(parsed)
