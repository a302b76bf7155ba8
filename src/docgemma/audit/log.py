"""The audit log in the database of the sessions: appended to by any number of processes, one row after the other.

No audit, no chart: what cannot be written down is refused. Nothing is added to a log that does not match its own
chain, so that new rows never lend credit to what was tampered with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from docgemma.audit.chain import COLUMNS, Fault, Head, seal
from docgemma.audit.entries import Access, Entry, is_id, to_entry
from docgemma.audit.verification import Progress, Verdict, end_of_chain, verify
from docgemma.clinical import Purpose, purpose
from docgemma.errors import Unavailable
from docgemma.store import ids
from docgemma.store.database import Cursor, Database, Value, reads
from docgemma.store.rows import Clock, pack, stamp, utc_now

_SECTION = "docgemma audit"
_FIRST_LOOK = 1_000
_INSERT = f"INSERT INTO audit ({', '.join(COLUMNS)}, hash) VALUES ({', '.join('?' * len(COLUMNS))}, ?)"  # noqa: S608


class AuditError(Unavailable):
    """The access could not be written down, so it does not take place."""


class AuditBroken(AuditError):
    """The log does not match its own chain."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(
            f"The audit log does not match its own chain: {fault.problem[0].lower()}{fault.problem[1:]} "
            "Chart access is stopped until the log is restored from a backup: run `docgemma audit verify`."
        )


class AuditLog:
    """Who read which chart, why and when. `database` is that of an open store."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock
        self._looked = False

    async def append(self, *accesses: Access) -> None:
        """Write the accesses down, all or none, for whoever `docgemma.clinical.purpose` names.

        AuditError when that is impossible: then nothing of the chart may be handed out.
        """
        reader = purpose.get()
        try:
            await self._database.run(lambda cursor: self.extend(cursor, reader, accesses))
        except AuditError:
            raise
        except Unavailable as error:
            raise AuditError(f"The audit log cannot be written, so no chart is opened. {error}") from error

    def extend(self, cursor: Cursor, reader: Purpose, accesses: Sequence[Access]) -> None:
        """The same inside a transaction of somebody else's: what they change and its rows are saved together, or not.

        No other process is in here at the same time: look at the end of the chain, then add to it.
        """
        cursor.exclusive(_SECTION)
        head = end_of_chain(cursor, 1 if self._looked else _FIRST_LOOK)
        if isinstance(head, Fault):
            raise AuditBroken(head)
        self._looked = True
        at = stamp(self._clock())
        for access in accesses:
            head = _add(cursor, head, at, reader, access)
        cursor.execute("UPDATE audit_head SET count = ?, hash = ?", (head.count, head.hash))

    async def verify(
        self, from_position: int = 1, *, expect_head: str | None = None, progress: Progress | None = None
    ) -> Verdict:
        """Recompute the chain. `expect_head` is a head noted before: it must still be the hash of a row."""
        return await verify(self._database, from_position, expect_head, progress)

    @reads
    def entries(
        self,
        cursor: Cursor,
        *,
        patient: str | None = None,
        session: str | None = None,
        who: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> tuple[Entry, ...]:
        """The last `limit` rows that fit, oldest first. UnknownId for what cannot be an id."""
        if patient is not None and not is_id(patient):
            raise ids.unknown("patient", patient)
        if session is not None:
            ids.asked_id("session", session)
        holds = {"sqlite": "instr", "postgresql": "strpos"}[cursor.dialect]
        asked: dict[str, Value] = {
            f"{holds}(patients, ?) > 0": None if patient is None else pack(patient),
            "session_id = ?": session,
            "who = ?": None if who is None else pack(who),
            "at >= ?": None if since is None else stamp(since),
        }
        given = {sql: value for sql, value in asked.items() if value is not None}
        where = f" WHERE {' AND '.join(given)}" if given else ""
        sql = f"SELECT * FROM audit{where} ORDER BY position DESC LIMIT ?"  # noqa: S608
        return tuple(to_entry(row) for row in reversed(cursor.rows(sql, (*given.values(), limit))))


def _add(cursor: Cursor, head: Head, at: str, reader: Purpose, access: Access) -> Head:
    row: dict[str, Value] = asdict(access) | {
        "position": head.count + 1,
        "at": at,
        "who": pack(reader.who),
        "why": pack(reader.why),
        "session_id": reader.session_id,
        "turn_id": reader.turn_id,
        "patients": pack(access.patients),
        "previous": head.hash,
    }
    hash_ = seal(row)
    cursor.execute(_INSERT, (*(row[name] for name in COLUMNS), hash_))
    return Head(head.count + 1, hash_)
