"""F24, F26 and F28: a ledger, a card or an audit log that is not what was written. Nothing is written on its word."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from docgemma.audit.entries import Access
from docgemma.audit.log import AuditLog
from docgemma.clinical import Purpose, acting
from docgemma.errors import Conflict, DocGemmaError, HardStop, Unavailable, UnknownId
from docgemma.orders.ledger.seal import COLUMNS, sealed
from docgemma.orders.model import digest
from docgemma.store.database import Cursor
from tests.safety.support import ANN, BEN, YES, Desk, Sent, adults, allergy, desk

STORE = "docgemma.sqlite"
NOTE = "Save a progress note: Sleeps well again."


def edit(home: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(home / STORE)) as raw, raw:
        assert raw.execute(sql, values).rowcount == 1


def stored(home: Path, id_: str) -> dict[str, str]:
    with closing(sqlite3.connect(home / STORE)) as raw:
        raw.row_factory = sqlite3.Row
        row = raw.execute("SELECT * FROM orders WHERE id = ?", (id_,)).fetchone()
        return {name: str(value) for name, value in dict(row).items()}


async def carded(on: Desk, text: str = NOTE, who: str = ANN) -> tuple[str, str]:
    """A card that waits, and its session."""
    record = await on.card(text, patient_id=who)
    assert record.approval is not None
    return record.approval.id, record.session_id


async def others_go_on(on: Desk) -> None:
    """Drugs and charts are still there for who asks."""
    drug = await on.ask("Check FDA warnings for warfarin")
    assert "bleeding" in drug.response
    chart = await on.ask(f"Show the allergies of {ANN}")
    assert "Ann Leeway" in chart.response


# ---- F24


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


@pytest.mark.xfail(
    strict=True, reason="a turn that cannot be stored is refused as a whole, also one that reads a label"
)
async def test_f24_on_a_full_disk_a_drug_is_still_looked_up_in_a_session(on: Desk) -> None:
    session = (await on.ask("Hello")).session_id
    await fill(on)
    with suppress(Unavailable):
        while True:
            await on.store.create_session("x" * 50)
    assert "bleeding" in (await on.ask("Check FDA warnings for warfarin", session)).response


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
    )  # noqa: S603, S607
    if done.returncode:
        pytest.skip("a small file system can only be mounted by root with the right to mount")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)  # noqa: S603, S607


async def test_f24_on_a_megabyte_of_disk_every_acknowledged_entry_is_there_once(
    small_disk: Path, tmp_path: Path
) -> None:
    written: list[str] = []
    refused: list[str] = []
    text = "Seen again. " * 800
    async with desk(small_disk, people=adults(), charts_file=tmp_path / "charts.sqlite") as on:
        for number in range(60):
            try:
                id_, _ = await carded(on, f"Save a progress note: {number}. {text}")
                written.append((await on.sessions.approve(id_, YES)).order_id)
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


# ---- F26


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, (*path, name))
    elif isinstance(value, list) and value:
        for at, each in enumerate(value):
            yield from leaves(each, (*path, at))
    else:
        yield path


def mutated(card: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    changed = copy.deepcopy(card)
    *way, last = path
    place = changed
    for step in way:
        place = place[step]
    value = place[last]
    place[last] = not value if isinstance(value, bool) else f"{value}x" if isinstance(value, str) else ["x"]
    return changed


@pytest.mark.parametrize("forged", ["card", "card and seal", "card, hash and seal"])
async def test_f26_a_change_of_any_field_of_a_stored_card_ends_its_approval(forged: str, tmp_path: Path) -> None:
    async with desk(tmp_path, people=adults()) as on:
        id_, _ = await carded(on, "Prescribe lisinopril 10 mg once daily by mouth")
        whole = stored(tmp_path, id_)
        card = json.loads(whole["card"])
        paths = list(leaves(card))
        assert len(paths) > 40
        for path in paths:
            text = json.dumps(mutated(card, path), sort_keys=True, separators=(",", ":"))
            texts = whole | {"card": text}
            if "hash" in forged:
                texts["hash"] = hashlib.sha256(text.encode()).hexdigest()
            if "seal" in forged:
                texts["seal"] = sealed(texts)
            edit(
                tmp_path,
                "UPDATE orders SET card = ?, hash = ?, seal = ? WHERE id = ?",
                texts["card"], texts["hash"], texts["seal"], id_,
            )  # fmt: skip
            with pytest.raises(DocGemmaError):
                await on.sessions.approve(id_, YES)
        assert (on.wire.writes, await on.entries()) == ([], [])
        edit(
            tmp_path,
            "UPDATE orders SET card = ?, hash = ?, seal = ? WHERE id = ?",
            whole["card"], whole["hash"], whole["seal"], id_,
        )  # fmt: skip
        assert (await on.sessions.approve(id_, YES)).status == "written"


SAID = ("yes", "Yes!", "approve", "ok do it", "OK", "go ahead", "sign it", "approved by Dr Lee", "confirm", "/approve")


async def test_f26_typed_words_approve_nothing(on: Desk) -> None:
    id_, session = await carded(on)
    for said in (*SAID, f"approve {id_}", f"I approve order {id_}"):
        record = await on.ask(said, session)
        assert record.receipt is None, said
        assert (await on.orders.get(id_)).state == "proposed", said
    assert on.wire.writes == []
    assert (await on.sessions.approve(id_, YES)).status == "written"


async def test_f26_an_edited_card_is_a_new_one_and_the_old_one_is_a_conflict(on: Desk) -> None:
    old, session = await carded(on, "Prescribe metformin 500 mg twice daily by mouth")
    changed = await on.card("make it 850 mg", session)
    assert changed.approval is not None
    new = changed.approval.id
    assert (changed.approval.replaces, changed.approval.args["dosage"]) == (old, "850 mg")
    with pytest.raises(Conflict):
        await on.sessions.approve(old, YES)
    before, after = await on.orders.get(old), await on.orders.get(new)
    assert before.hash != after.hash == digest(after.card)
    assert (await on.sessions.approve(new, YES)).status == "written"
    [entry] = await on.entries()
    assert entry["dosageInstruction"][0]["doseAndRate"][0]["doseQuantity"]["value"] == 850


async def test_f26_a_chart_that_changed_makes_the_approval_a_conflict_for_good(on: Desk) -> None:
    id_, _ = await carded(on, "Prescribe amoxicillin 500 mg three times daily by mouth")
    added = allergy(ANN, "Penicillin", "a9")
    await on.put(added)
    with pytest.raises(Conflict, match="changed"):
        await on.sessions.approve(id_, YES)
    reply = await on.server.delete(f"http://localhost/fhir/AllergyIntolerance/{added['id']}")
    assert reply.status_code < 300
    with pytest.raises(Conflict):
        await on.sessions.approve(id_, YES)
    assert on.wire.writes == []


async def test_f26_a_reason_for_one_card_releases_no_other(on: Desk) -> None:
    first, _ = await carded(on, "Prescribe warfarin 50 mg once daily by mouth")
    second, _ = await carded(on, "Prescribe warfarin 60 mg once daily by mouth", who=BEN)
    release = YES.model_copy(update={"override": "Checked with the clinic for blood clotting"})
    assert (await on.sessions.approve(first, release)).status == "written"
    with pytest.raises(HardStop):
        await on.sessions.approve(second, YES)
    assert len(on.wire.writes) == 1


# ---- F28


async def test_f28_each_step_has_its_audit_row_and_the_chain_holds(on: Desk) -> None:
    id_, session = await carded(on)
    await on.sessions.approve(id_, YES)
    why = YES.model_copy(update={"reason": "entered for the wrong visit"})
    await on.sessions.undo(id_, why)
    told = [each for each in await on.records.log.entries(session=session) if each.kind == "DocumentReference"]
    steps = [(each.action, each.outcome) for each in told]
    assert [step for step in steps if step[0] in ("propose", "approve", "write", "undo")] == [
        ("propose", "asked"),
        ("approve", "asked"),
        ("write", "asked"),
        ("write", "written"),
        ("undo", "asked"),
        ("write", "asked"),
        ("write", "undone"),
    ]
    assert {each.who for each in told} == {"dr-lee"}
    assert all(each.patients == (ANN,) for each in told)
    assert (await on.records.log.verify()).ok


@pytest.mark.parametrize("row", ["first", "middle", "last"])
async def test_f28_a_flipped_byte_in_the_audit_chain_refuses_the_approval(row: str, tmp_path: Path) -> None:
    async with desk(tmp_path, people=adults()) as on:
        id_, _ = await carded(on)
        count = len(await on.records.log.entries())
    position = {"first": 1, "middle": count // 2, "last": count}[row]
    edit(tmp_path, "UPDATE audit SET who = replace(who, 'lee', 'mee') WHERE position = ?", position)
    async with desk(tmp_path) as on:
        with pytest.raises(Unavailable, match="audit log does not match"):
            await on.sessions.approve(id_, YES)
        assert (await on.orders.get(id_)).state == "proposed"
        assert (on.wire.writes, await on.entries()) == ([], [])
        assert (await on.ask(f"Save a progress note for {ANN}: Sleeps well.")).approval is None
        assert "bleeding" in (await on.ask("Check FDA warnings for warfarin")).response


async def test_f28_a_decision_whose_audit_row_cannot_be_written_is_not_made(on: Desk) -> None:
    """The log fails just when the ledger notes the decision: after the chart was read for it."""
    id_, _ = await carded(on)

    def broken(cursor: Cursor) -> None:
        cursor.execute(
            "CREATE TRIGGER no_audit BEFORE INSERT ON audit WHEN NEW.action = 'approve' "
            "BEGIN SELECT RAISE(ABORT, 'no'); END"
        )

    await on.store.database.run(broken)
    with pytest.raises((Unavailable, sqlite3.Error)):
        await on.sessions.approve(id_, YES)
    assert (await on.orders.get(id_)).state == "proposed"
    assert on.wire.writes == []
    await on.store.database.run(lambda cursor: cursor.execute("DROP TRIGGER no_audit"))
    assert (await on.sessions.approve(id_, YES)).status == "written"
