"""F26 and F28: an approval is for one card on one chart, as an unbroken log tells it. Whatever else is not written."""

from __future__ import annotations

import copy
import hashlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docgemma.errors import Conflict, DocGemmaError, HardStop, Unavailable
from docgemma.orders.ledger.seal import sealed
from docgemma.orders.model import digest
from docgemma.store.database import Cursor
from tests.safety.people import ANN, BEN, adults, allergy
from tests.safety.support import YES, Desk, carded, desk, edit, stored


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


async def test_f26_f28_an_approval_that_the_audit_log_does_not_know_is_not_carried_out(tmp_path: Path) -> None:
    """Somebody who can write to the database decides for a person, and makes the seal fit."""
    async with desk(tmp_path, people=adults()) as on:
        id_, _ = await carded(on)
        texts = stored(tmp_path, id_)
        texts |= {"state": "approved", "decision": YES.model_dump_json(), "decided_at": texts["updated_at"]}
        edit(
            tmp_path,
            "UPDATE orders SET state = ?, decision = ?, decided_at = ?, seal = ? WHERE id = ?",
            texts["state"], texts["decision"], texts["decided_at"], sealed(texts), id_,
        )  # fmt: skip
        await on.sessions.settle()
        assert (on.wire.writes, await on.entries()) == ([], [])


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
