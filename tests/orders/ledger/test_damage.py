"""What can happen to what was stored: flipped bytes, edits, a broken audit log, a full disk, an older schema."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from docgemma.audit.entries import Access
from docgemma.audit.log import AuditBroken, AuditError, AuditLog
from docgemma.errors import Unavailable, UnknownId
from docgemma.orders.ledger.ledger import Ledger, LedgerDamaged
from docgemma.orders.ledger.seal import COLUMNS, sealed
from docgemma.orders.model import Row
from docgemma.store.database import Cursor
from docgemma.store.migrations import MIGRATIONS, migrate
from docgemma.store.sessions import Store, open_store
from docgemma.store.sqlite import SqliteDatabase
from tests.orders.ledger.cards import LIES, NO, YES, card, receipt, written
from tests.orders.ledger.conftest import Sql

NUMBERS = ("position", "attempts", "noted")


async def assert_nobody_acts_on(ledger: Ledger, id_: str, *others: str) -> None:
    """A damaged row is refused by name, told by `damaged`, and does not stand in the way of the others."""
    for asked in (
        ledger.get(id_),
        ledger.decide(id_, "approved", YES),
        ledger.claim(id_, "w", 60),
        ledger.settle(id_, "w", "written"),
        ledger.begin_undo(id_, NO),
        ledger.noted(id_),
    ):
        with pytest.raises(LedgerDamaged, match=rf"The stored order {id_} is damaged.*Restore a backup") as caught:
            await asked
        assert "Ann Lee" not in f"{caught.value} {caught.value.__cause__}"
        assert caught.value.__suppress_context__
    assert await ledger.damaged() == (id_,)
    assert [row.id for row in await ledger.listed()] == list(others)
    assert id_ not in [row.id for row in (*await ledger.unfinished(), *await ledger.unnoted())]


def flips(value: bytes, chosen: random.Random) -> Iterator[bytes]:
    """The value with one bit changed, in a few places: the ends, and some between."""
    places = {0, len(value) - 1, *(chosen.randrange(len(value)) for _ in range(6))}
    for place in sorted(places):
        changed = bytearray(value)
        changed[place] ^= 1 << chosen.randrange(8)
        yield bytes(changed)


async def test_one_flipped_bit_of_any_column_is_noticed(tmp_path: Path) -> None:
    """SQLite only: PostgreSQL takes no text that is none, and has checksums of its own for the rest."""
    path, chosen, tried = tmp_path / "store.db", random.Random(6), 0
    async with open_store(str(path)) as store:
        ledger = Ledger(store.database, AuditLog(store.database))
        row, other = await written(ledger), await ledger.propose(card(1))
        await ledger.begin_undo(row.id, NO)
        await ledger.claim(row.id, "w", 600)
        with sqlite3.connect(path, isolation_level=None) as raw:
            raw.text_factory = bytes
            for column in (*COLUMNS, "seal"):
                if column in NUMBERS:
                    continue
                (before,) = raw.execute(f"SELECT {column} FROM orders WHERE position = 1").fetchone()
                for changed in flips(before, chosen) if before else [b"x"]:
                    change = f"UPDATE orders SET {column} = CAST(? AS TEXT) WHERE position = 1"
                    raw.execute(change, (changed,))
                    tried += 1
                    assert len(await ledger.damaged()) == 1, (column, changed)
                    assert [each.id for each in await ledger.listed()] == [other.id]
                    with pytest.raises(LedgerDamaged if column != "id" else UnknownId):
                        await ledger.get(row.id)
                    raw.execute(change, (before,))
            for column in NUMBERS:
                raw.execute(f"UPDATE orders SET {column} = {column} + 7 WHERE position = 1")
                assert await ledger.damaged() == (row.id,), column
                raw.execute(f"UPDATE orders SET {column} = {column} - 7 WHERE id = ?", (row.id,))
        raw.close()
        assert await ledger.damaged() == ()
        assert (await ledger.get(row.id)).state == "undoing"
    assert tried > 100


async def test_a_damaged_file_never_shows_an_order_that_was_not_made(tmp_path: Path) -> None:
    """Bytes of the file itself: what is read is what was written, or it is told."""
    path = tmp_path / "store.db"
    async with open_store(str(path)) as store:
        ledger = Ledger(store.database, AuditLog(store.database))
        made = {row.id: await ledger.get(row.id) for row in [await written(ledger, n) for n in range(6)]}
    whole, chosen = path.read_bytes(), random.Random(24)
    body = [place for place in range(len(whole)) if whole[place]]
    told = 0
    for number in range(150):
        damaged = bytearray(whole)
        damaged[chosen.choice(body)] ^= 1 << chosen.randrange(8)
        other = tmp_path / f"{number}.db"
        other.write_bytes(damaged)
        told += await _told_or_right(other, made)
        other.unlink()
    assert told > 20


async def _told_or_right(path: Path, made: dict[str, Row]) -> bool:
    try:
        async with open_store(str(path)) as store:
            ledger = Ledger(store.database, AuditLog(store.database))
            listed = {row.id: row for row in await ledger.listed()}
            assert all(made.get(id_) == row for id_, row in listed.items())
            missing = set(made) - set(listed)
            assert len(await ledger.damaged()) == len(missing)
            return bool(missing)
    except Unavailable:
        return True


async def test_an_order_that_an_index_has_lost_is_told(tmp_path: Path) -> None:
    """Each row is whole, and yet the one that waits to be written would never be found."""
    path = tmp_path / "store.db"
    async with open_store(str(path)) as store:
        ledger = Ledger(store.database, AuditLog(store.database))
        await _approved(ledger, 1)
        await _approved(ledger, 2)
    whole = path.read_bytes()
    assert whole.count(b"approved\x02") == 1  # the index names the state and the position
    path.write_bytes(whole.replace(b"approved\x02", b"approver\x02"))
    async with open_store(str(path)) as store:
        ledger = Ledger(store.database, AuditLog(store.database))
        assert len(await ledger.listed()) == 2
        assert len(await ledger.unfinished()) == 1
        with pytest.raises(Unavailable, match=r"list of orders .* is damaged"):
            await ledger.damaged()


EDITS = {
    "another dose": ("card", "500 mg", "5000 mg"),
    "another patient": ("card", '"p1"', '"p2"'),
    "a check taken off": ("card", '"passed"', '"warning"'),
    "another patient to be found by": ("patient_id", "p1", "p2"),
    "another session": ("session_id", "s1", "s2"),
    "approved by a hand": ("state", "proposed", "approved"),
}


@pytest.mark.parametrize("resealed", [False, True])
async def test_an_edited_card_is_damaged(ledger: Ledger, store: Store, resealed: bool) -> None:
    """Also under a seal made for it: the hash, the name and the card hold each other. A state has its seal alone."""
    other = await ledger.propose(card(1))
    row = await ledger.propose(card())
    for column, old, new in EDITS.values():
        if resealed and column == "state":
            continue

        def edit(cursor: Cursor, column: str = column, old: str = old, new: str = new) -> dict[str, object]:
            found = cursor.row("SELECT * FROM orders WHERE id = ?", (row.id,))
            assert found is not None
            changed = {name: str(value) for name, value in found.items()}
            changed[column] = changed[column].replace(old, new)
            assert changed[column] != found[column]
            seal = sealed(changed) if resealed else found["seal"]
            cursor.execute(f"UPDATE orders SET {column} = ?, seal = ? WHERE id = ?", (changed[column], seal, row.id))
            return found

        before = await store.database.run(edit)
        await assert_nobody_acts_on(ledger, row.id, other.id)
        undo = f"UPDATE orders SET {column} = ?, seal = ? WHERE id = ?"
        values = (before[column], before["seal"], row.id)
        await store.database.run(lambda cursor, undo=undo, values=values: cursor.execute(undo, values))
    assert await ledger.get(row.id) == row


async def test_a_row_put_in_the_place_of_another_is_damaged(ledger: Ledger, sql: Sql) -> None:
    row, other = await written(ledger), await ledger.propose(card(1))
    await sql("UPDATE orders SET receipt = (SELECT receipt FROM orders WHERE id = ?) WHERE id = ?", row.id, other.id)
    await assert_nobody_acts_on(ledger, other.id, row.id)


async def test_a_table_that_is_gone_is_told(ledger: Ledger, sql: Sql) -> None:
    await ledger.propose(card())
    await sql("DROP TABLE orders")
    for asked in (ledger.listed(), ledger.unfinished(), ledger.damaged(), ledger.propose(card(1))):
        with pytest.raises(Unavailable):
            await asked


async def test_without_an_audit_row_nothing_changes(ledger: Ledger, log: AuditLog, sql: Sql, store: Store) -> None:
    row = await ledger.propose(card())
    approved, _ = await ledger.decide((await ledger.propose(card(1))).id, "approved", YES)
    done = await written(ledger, 2)
    held = await ledger.claim((await _approved(ledger, 3)).id, "w", 600)
    assert held is not None
    entries = len(await log.entries())
    await sql("UPDATE audit SET count = count + 1 WHERE position = ?", entries)
    for fresh in (ledger, Ledger(store.database, AuditLog(store.database))):
        for asked in (
            fresh.propose(card(4)),
            fresh.decide(row.id, "approved", YES),
            fresh.claim(approved.id, "w", 60),
            fresh.settle(held.id, "w", "written", receipt=receipt(held), place=LIES),
            fresh.begin_undo(done.id, NO),
        ):
            with pytest.raises(AuditBroken, match="does not match its own chain"):
                await asked
    assert await ledger.listed() == (held, done, approved, row)
    assert len(await log.entries()) == entries
    await sql("UPDATE audit SET count = count - 1 WHERE position = ?", entries)
    assert (await ledger.decide(row.id, "approved", YES))[1]
    assert issubclass(AuditBroken, AuditError)


async def test_without_an_audit_table_nothing_changes(ledger: Ledger, sql: Sql) -> None:
    row = await ledger.propose(card())
    await sql("DROP TABLE audit")
    with pytest.raises(Unavailable):
        await ledger.decide(row.id, "approved", YES)
    assert await ledger.get(row.id) == row


async def _approved(ledger: Ledger, number: int) -> Row:
    return (await ledger.decide((await ledger.propose(card(number))).id, "approved", YES))[0]


async def test_a_full_disk_refuses_the_step_and_reading_goes_on(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "store.db", durable=True)
    async with Store(database):
        log = AuditLog(database)
        ledger = Ledger(database, log)
        first = await ledger.propose(card())
        (pages,) = await database.run(lambda cursor: (cursor.row("PRAGMA page_count") or {}).values())
        await database.run(lambda cursor: cursor.execute(f"PRAGMA max_page_count = {pages + 3}"))
        refused = 0
        for number in range(1, 60):
            before, rows = await ledger.listed(limit=100), (await log.verify()).rows
            try:
                row = await ledger.propose(card(number))
                await ledger.decide(row.id, "approved", YES)
            except Unavailable as error:
                assert "disk is full" in str(error)
                refused += 1
                proposed = [each for each in await ledger.listed(limit=100) if each not in before]
                assert (await log.verify()).rows == rows + len(proposed)
                assert {each.state for each in proposed} <= {"proposed"}
        assert refused > 10
        assert await ledger.get(first.id) == first
        assert (await log.verify()).ok
        assert await ledger.damaged() == ()
        await database.run(lambda cursor: cursor.execute("PRAGMA max_page_count = 100000"))
        assert (await ledger.decide(first.id, "approved", YES))[1]


async def test_a_store_from_before_there_were_orders_keeps_its_sessions(address: str) -> None:
    store = open_store(address)
    await store.database.run(lambda cursor: migrate(cursor, MIGRATIONS[:2]))
    session = await store.create_session("a", title="before")
    await AuditLog(store.database).append(Access("chart", "found", patients=("p1",)))
    await store.close()
    async with open_store(address) as opened:
        assert (await opened.get_session(session.id)).title == "before"
        log = AuditLog(opened.database)
        assert (await written(Ledger(opened.database, log))).state == "written"
        assert (await log.verify()).rows == 1 + 4


async def test_an_approval_outlasts_a_power_cut(tmp_path: Path) -> None:
    """FULL is what SQLite promises that of."""
    async with open_store(str(tmp_path / "store.db")) as store:
        await Ledger(store.database, AuditLog(store.database)).propose(card())
        found = await store.database.run(lambda cursor: cursor.row("PRAGMA synchronous"), write=False)
    assert found == {"synchronous": 2}
