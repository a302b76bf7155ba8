"""F24, F26 and F28: a ledger, a card or an audit log that is not what was written. Nothing is written on its word."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from docgemma.audit.entries import Access
from docgemma.audit.log import AuditLog
from docgemma.clinical import Purpose, acting
from docgemma.errors import Unavailable, UnknownId
from docgemma.orders.ledger.seal import COLUMNS
from docgemma.store.database import Cursor
from tests.safety.people import ANN, BEN, adults
from tests.safety.support import NOTE, STORE, YES, Desk, carded, desk, edit, stored
from tests.safety.wire import Sent


async def others_go_on(on: Desk) -> None:
    """Drugs and charts are still there for who asks."""
    drug = await on.ask("Check FDA warnings for warfarin")
    assert "bleeding" in drug.response
    chart = await on.ask(f"Show the allergies of {ANN}")
    assert "Ann Leeway" in chart.response


async def test_f24_a_flipped_byte_in_a_ledger_row_stops_that_order_and_nothing_else(tmp_path: Path) -> None:
    chance = random.Random(24)
    async with desk(tmp_path, people=adults()) as on:
        id_, _ = await carded(on)
        other, _ = await carded(on, who=BEN)
        whole = stored(tmp_path, id_)
        for column in (*COLUMNS, "seal"):
            if column in ("id", "position", "attempts", "noted"):
                continue
            before = whole[column].encode()
            at = chance.randrange(len(before)) if before else 0
            flipped = before[:at] + bytes([before[at] ^ 1]) + before[at + 1 :] if before else b"x"
            edit(tmp_path, f"UPDATE orders SET {column} = CAST(? AS TEXT) WHERE id = ?", flipped, id_)
            with pytest.raises(Unavailable, match="damaged"):
                await on.sessions.approve(id_, YES)
            edit(tmp_path, f"UPDATE orders SET {column} = ? WHERE id = ?", whole[column], id_)
        edit(tmp_path, "UPDATE orders SET attempts = 7 WHERE id = ?", id_)
        with pytest.raises(Unavailable, match="Restore a backup"):
            await on.sessions.approve(id_, YES)
        assert on.wire.writes == []
        await others_go_on(on)
        assert (await on.sessions.approve(other, YES)).status == "written"
        await on.sessions.settle()
        assert len(await on.entries()) == 1


def _full(cursor: Cursor) -> None:
    cursor.execute("PRAGMA max_page_count = 1")


def _free(cursor: Cursor) -> None:
    cursor.execute("PRAGMA max_page_count = 100000")


async def fill(on: Desk) -> None:
    """No page can be added, and those that are there are full."""
    await on.store.database.run(_full)
    with acting(Purpose(who="x" * 200, why="patient")), suppress(Unavailable):
        while True:
            await AuditLog(on.store.database).append(Access("read", "none", kind="Patient"))


async def test_f24_on_a_full_disk_nothing_is_approved_and_the_message_is_clear(on: Desk) -> None:
    id_, session = await carded(on)
    await fill(on)
    with pytest.raises(Unavailable, match="disk is full"):
        await on.sessions.approve(id_, YES)
    with pytest.raises(Unavailable, match="disk is full"):
        await on.ask(NOTE, session)
    assert on.wire.writes == []
    safe = await on.services.tools.call("check_drug_safety", {"drug_name": "warfarin"})
    assert safe.status == "found"
    await on.store.database.run(_free)
    assert (await on.orders.get(id_)).state == "proposed"
    assert (await on.sessions.approve(id_, YES)).status == "written"
    assert len(await on.entries()) == 1


async def test_f24_on_a_full_disk_a_drug_is_still_looked_up_in_a_session(on: Desk) -> None:
    session = (await on.ask("Hello")).session_id
    await fill(on)
    with suppress(Unavailable):
        while True:
            await on.store.create_session("x" * 50)
    record = await on.ask("Check FDA warnings for warfarin", session)
    assert "bleeding" in record.response
    assert record.notices[0].startswith("This question and its answer are not kept")


async def test_f24_a_disk_that_fills_up_behind_a_write_is_told_and_settles_as_one_entry(on: Desk) -> None:
    id_, session = await carded(on)

    async def fills(sent: Sent) -> None:
        if sent.writes:
            await fill(on)

    on.wire.waits = fills
    with pytest.raises(Unavailable, match="do not enter it again"):
        await on.sessions.approve(id_, YES)
    assert len(await on.entries()) == 1
    await on.store.database.run(_free)
    assert [receipt.status for receipt in await on.later(timedelta(minutes=2)).settle()] == ["written"]
    assert (len(await on.entries()), len(on.wire.writes)) == (1, 1)
    assert (await on.turns(session))[-1]["receipt"]["order_id"] == id_


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("a small file system can only be mounted by root with the right to mount")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


async def test_f24_on_a_megabyte_of_disk_every_acknowledged_entry_is_there_once(
    small_disk: Path, tmp_path: Path
) -> None:
    written: list[str] = []
    refused: list[str] = []
    text = "Wound clean and dry, dressing changed, walking without help and eating well. " * 125
    async with desk(small_disk, people=adults(), charts_file=tmp_path / "charts.sqlite") as on:
        for number in range(60):
            try:
                record = await on.ask(f"Save a progress note: {number}. {text}", patient_id=ANN)
                if record.approval is None:
                    raise Unavailable(" ".join([record.response, *record.notices]))
                written.append((await on.sessions.approve(record.approval.id, YES)).order_id)
            except Unavailable as error:
                refused.append(str(error))
            if len(refused) > 2:
                break
        entries = [entry["identifier"][0]["value"] for entry in await on.entries()]
    assert refused
    assert "disk is full" in refused[0]
    assert len(set(entries)) == len(entries)
    assert set(written) <= set(entries)
    assert len(entries) <= len(written) + len(refused)


async def test_f24_a_store_that_is_no_store_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    async with desk(tmp_path, people=adults()) as on:
        id_, _ = await carded(on)
    whole = (tmp_path / STORE).read_bytes()
    for damage in (b"", whole[:5000], b"\xff" * 100 + whole[100:], whole[:4096] + bytes(len(whole) - 4096)):
        (tmp_path / STORE).write_bytes(damage)
        for side in ("-wal", "-shm"):
            (tmp_path / f"{STORE}{side}").unlink(missing_ok=True)
        with pytest.raises((Unavailable, UnknownId)) as told:
            async with desk(tmp_path) as on:
                await on.sessions.approve(id_, YES)
        assert str(told.value).count(". ") < 3
    (tmp_path / STORE).write_bytes(whole)
    async with desk(tmp_path) as on:
        assert await on.entries() == []
        assert (await on.sessions.approve(id_, YES)).status == "written"


async def test_f24_a_decision_has_reached_the_disk_before_anybody_is_told(on: Desk) -> None:
    level = await on.store.database.run(lambda cursor: cursor.row("PRAGMA synchronous"))
    assert level == {"synchronous": 2}
