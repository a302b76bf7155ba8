"""The log on both databases: what it keeps, what it refuses, and that tampering is found."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from docgemma.audit.chain import seal
from docgemma.audit.entries import Access
from docgemma.audit.log import AuditBroken, AuditError, AuditLog
from docgemma.clinical import Purpose, acting
from docgemma.errors import Unavailable, UnknownId
from docgemma.store.database import Cursor, Row, T
from docgemma.store.sessions import Store, open_store
from tests.audit.conftest import Sql
from tests.store.conftest import Clock

CHART = Access("chart", "found", patients=("p1",), count=12)
TEXT_COLUMNS = (
    "at", "who", "why", "session_id", "turn_id", "action", "kind", "resource_id", "patients", "outcome", "previous",
    "hash",
)  # fmt: skip

pytestmark = pytest.mark.usefixtures("reader")


async def fill(log: AuditLog, rows: int = 5) -> None:
    for number in range(rows):
        await log.append(Access("read", "found", "Condition", f"c{number}", ("p1", "p2"), 1))


async def test_an_entry_tells_who_whom_why_and_when(log: AuditLog) -> None:
    await log.append(Access("search", "partial", "Patient", patients=("p1", "p2"), count=2))
    (entry,) = await log.entries()
    assert (entry.who, entry.why, entry.session_id, entry.turn_id) == ("dr.lee", "turn", "s1", "t1")
    assert (entry.action, entry.outcome, entry.kind, entry.count) == ("search", "partial", "Patient", 2)
    assert entry.patients == ("p1", "p2")
    assert entry.at == "2026-03-01T12:00:00.001000+00:00"
    assert entry.position == 1
    assert entry.intact


async def test_an_empty_log_is_whole(log: AuditLog) -> None:
    verdict = await log.verify()
    assert (verdict.ok, verdict.rows, verdict.head, verdict.first_bad) == (True, 0, "", None)
    assert await log.entries() == ()


async def test_several_accesses_are_written_together(log: AuditLog) -> None:
    await log.append(CHART, Access("export", "found", patients=("p2",), count=3))
    await log.append(CHART)
    verdict = await log.verify()
    assert (verdict.ok, verdict.rows) == (True, 3)
    assert verdict.head == (await log.entries())[-1].hash


async def test_without_a_purpose_nothing_is_written(log: AuditLog) -> None:
    with pytest.raises(LookupError):
        contextvars.Context().run(log.append(CHART).send, None)
    assert (await log.verify()).rows == 0


async def test_whatever_a_person_is_called_is_kept(log: AuditLog) -> None:
    for who in ("Ann O'Hara", "ann\0lee", "\ud800", "'; DROP TABLE audit; --", "é" * 300):
        with acting(Purpose(who=who, why="ehr export")):
            await log.append(CHART)
        (entry,) = await log.entries(who=who)
        assert (entry.who, entry.why, entry.session_id) == (who, "ehr export", "")
    assert (await log.verify()).ok


async def test_one_changed_letter_of_any_row_is_found(log: AuditLog, sql: Sql, store: Store) -> None:
    await fill(log)
    rows = (await store.database.run(everything))["audit"]
    for position, column in [(1, "who"), (5, "hash"), *((3, name) for name in TEXT_COLUMNS)]:
        before, change = rows[position - 1][column], f"UPDATE audit SET {column} = ? WHERE position = ?"
        assert await sql(change, f"{before}!", position) == 1
        verdict = await log.verify()
        assert not verdict.ok, column
        assert (verdict.first_bad, verdict.problem) == (position, f"Row {position} was changed.")
        await sql(change, before, position)
    assert (await log.verify()).ok


TAMPERED = {
    "a count": ("UPDATE audit SET count = 7 WHERE position = 2", 2),
    "a first row gone": ("DELETE FROM audit WHERE position = 1", 1),
    "a row gone": ("DELETE FROM audit WHERE position = 3", 3),
    "the last row gone": ("DELETE FROM audit WHERE position = 5", 5),
    "all rows gone": ("DELETE FROM audit", 1),
    "a row moved": ("UPDATE audit SET position = 9 WHERE position = 3", 6),
    "a row before the first": ("UPDATE audit SET position = 0 WHERE position = 1", 0),
    "a shorter head": ("UPDATE audit_head SET count = 4", 5),
    "a longer head": ("UPDATE audit_head SET count = 6", 6),
    "another head": ("UPDATE audit_head SET hash = 'abc'", 5),
    "no head": ("DELETE FROM audit_head", None),
    "two heads": ("INSERT INTO audit_head (count, hash) VALUES (0, '')", None),
    "a head that makes no sense": ("UPDATE audit_head SET count = -1", None),
}


async def test_tampering_is_found(log: AuditLog, sql: Sql, store: Store) -> None:
    await fill(log)
    whole = await store.database.run(everything)
    for what, (statement, first_bad) in TAMPERED.items():
        assert await sql(statement), what
        verdict = await log.verify()
        assert verdict.problem and not verdict.ok, what
        assert verdict.first_bad == first_bad, what
        await store.database.run(lambda cursor: put_back(cursor, whole))
    assert (await log.verify()).ok


AT_THE_END = [
    *(statement for name, (statement, _) in TAMPERED.items() if "head" in name or "last" in name or "all" in name),
    "UPDATE audit SET patients = '[]' WHERE position = 5",
    "UPDATE audit SET position = 6 WHERE position = 1",
]


async def test_a_log_whose_end_was_hit_takes_no_further_row(log: AuditLog, sql: Sql, store: Store) -> None:
    await fill(log)
    whole, before = await store.database.run(everything), (await log.verify()).rows
    for statement in AT_THE_END:
        await sql(statement)
        with pytest.raises(AuditBroken, match=r"does not match its own chain.*run `docgemma audit verify`") as refused:
            await log.append(CHART)
        assert "p1" not in str(refused.value), statement
        assert len(await log.entries()) <= before, statement
        await store.database.run(lambda cursor: put_back(cursor, whole))


Tables = dict[str, list[Row]]


def everything(cursor: Cursor) -> Tables:
    return {table: cursor.rows(f"SELECT * FROM {table}") for table in ("audit", "audit_head")}


def put_back(cursor: Cursor, whole: Tables) -> None:
    for table, rows in whole.items():
        cursor.execute(f"DELETE FROM {table}")
        for row in rows:
            insert(cursor, table, row)


def insert(cursor: Cursor, table: str, row: Row) -> None:
    cursor.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))


async def test_the_first_access_of_a_process_looks_further_back(log: AuditLog, sql: Sql, store: Store) -> None:
    await log.append(*[CHART] * 1_500)
    await sql("UPDATE audit SET who = '\"nobody\"' WHERE position = 501")
    with pytest.raises(AuditBroken, match=r"row 501 was changed"):
        await AuditLog(store.database).append(CHART)


async def test_a_log_that_was_mended_is_used_again(log: AuditLog, sql: Sql) -> None:
    await fill(log)
    await sql("UPDATE audit SET count = count + 1 WHERE position = 5")
    with pytest.raises(AuditBroken):
        await log.append(CHART)
    await sql("UPDATE audit SET count = count - 1 WHERE position = 5")
    await log.append(CHART)
    assert (await log.verify()).rows == 6


async def test_a_log_written_anew_shows_only_against_a_head_kept_elsewhere(log: AuditLog, store: Store) -> None:
    await fill(log)
    noted = (await log.verify()).head
    await store.database.run(write_anew)
    assert (await log.verify()).ok
    verdict = await log.verify(expect_head=noted)
    assert not verdict.ok
    assert verdict.first_bad is None
    assert "removed or written anew" in verdict.problem


def write_anew(cursor: Cursor) -> None:
    """What somebody does who knows how the chain is made: one row less, and every hash recomputed."""
    previous, kept = "", [row for row in cursor.rows("SELECT * FROM audit ORDER BY position") if row["position"] != 2]
    cursor.execute("DELETE FROM audit")
    for position, row in enumerate(kept, 1):
        row |= {"position": position, "previous": previous}
        row["hash"] = previous = seal(row)
        insert(cursor, "audit", row)
    cursor.execute("UPDATE audit_head SET count = ?, hash = ?", (len(kept), previous))


async def test_a_head_noted_before_the_log_grew_still_holds(log: AuditLog) -> None:
    await fill(log, 3)
    noted = (await log.verify()).head
    await fill(log, 2)
    assert (await log.verify(expect_head=noted)).ok
    assert (await log.verify(expect_head=(await log.verify()).head)).ok


async def test_a_long_log_is_read_in_pages(log: AuditLog, sql: Sql) -> None:
    await log.append(*[CHART] * 2_500)
    heard: list[tuple[int, int]] = []
    verdict = await log.verify(progress=lambda rows, total: heard.append((rows, total)))
    assert (verdict.ok, verdict.rows) == (True, 2_500)
    assert heard == [(1_000, 2_500), (1_000, 2_500), (500, 2_500)]
    await sql("UPDATE audit SET count = 0 WHERE position = 2001")
    assert (await log.verify()).first_bad == 2_001
    assert (await log.verify(2_002)).ok
    assert (await log.verify(9_999)).ok


async def test_appending_goes_on_while_the_log_is_verified(log: AuditLog, address: str) -> None:
    await log.append(*[CHART] * 1_200)
    async with open_store(address) as other:
        busy = AuditLog(other.database)
        pages: list[int] = []
        seen = 0

        class Growing:
            """The same database, where a row is added before each look."""

            async def run(self, work: Callable[[Cursor], T], *, write: bool = True) -> T:
                nonlocal seen
                seen += 1
                result = await other.database.run(work, write=write)
                await busy.append(CHART)
                return result

            async def close(self) -> None: ...

        verdict = await AuditLog(Growing()).verify(progress=lambda rows, _: pages.append(rows))
    assert (verdict.ok, verdict.rows, sum(pages)) == (True, 1_200, 1_200)
    assert seen > 2
    assert (await log.verify()).rows == 1_200 + seen


class Gone:
    """A database that nobody reaches."""

    async def run(self, work: Callable[[Cursor], T], *, write: bool = True) -> T:
        raise Unavailable("The database db1/docgemma cannot be reached.")

    async def close(self) -> None: ...


async def test_a_log_that_cannot_be_reached_is_a_refusal_too() -> None:
    with pytest.raises(AuditError, match=r"cannot be written, so no chart is opened\. The database db1/docgemma"):
        await AuditLog(Gone()).append(CHART)
    with pytest.raises(Unavailable, match="cannot be reached"):
        await AuditLog(Gone()).verify()


async def test_a_log_whose_table_is_gone_is_a_refusal_too(log: AuditLog, sql: Sql) -> None:
    await fill(log)
    await sql("DROP TABLE audit")
    with pytest.raises(AuditError):
        await log.append(CHART)


async def test_entries_are_found_by_what_is_asked(log: AuditLog, clock: Clock) -> None:
    await log.append(Access("chart", "found", patients=("p1",)))
    clock.advance(3600)
    moment = clock.now
    await log.append(Access("chart", "found", patients=("p10", "P1")))
    with acting(Purpose(who="nurse.kim", why="turn", session_id="s2", turn_id="t9")):
        await log.append(Access("search", "none"))
        await log.append(Access("search", "found", patients=("p1",)))

    async def positions(**asked: Any) -> list[int]:
        return [entry.position for entry in await log.entries(**asked)]

    assert await positions() == [1, 2, 3, 4]
    assert await positions(patient="p1") == [1, 4]
    assert await positions(patient="P1") == [2]
    assert await positions(session="s2") == [3, 4]
    assert await positions(who="dr.lee") == [1, 2]
    assert await positions(since=moment) == [2, 3, 4]
    assert await positions(since=datetime(2027, 1, 1, tzinfo=UTC)) == []
    assert await positions(patient="p1", who="nurse.kim") == [4]
    assert await positions(limit=2) == [3, 4]


async def test_what_cannot_be_an_id_is_unknown(log: AuditLog) -> None:
    await fill(log, 1)
    for text in ("%", '"', "p1' OR '1'='1", "", "a b", "\0", "\ud800", "[]", "x" * 200):
        for field in ("patient", "session"):
            asked: dict[str, Any] = {field: text}
            with pytest.raises(UnknownId, match=f"There is no {field} of that form"):
                await log.entries(**asked)


async def test_a_changed_row_is_shown_and_marked(log: AuditLog, sql: Sql) -> None:
    await fill(log, 2)
    for value in ("not json", "[", "{}", "3", '["p1"', "[" * 100_000):
        await sql("UPDATE audit SET patients = ?, who = ? WHERE position = 1", value, value)
        changed, other = await log.entries()
        assert not changed.intact
        assert other.intact
