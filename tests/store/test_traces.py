"""What a turn was made from: kept with it, sealed with it, on both databases."""

from __future__ import annotations

import pytest

from docgemma.errors import Conflict, Unavailable, UnknownId
from docgemma.store.database import Value
from docgemma.store.sessions import Store


async def finished(store: Store, trace: bytes | None, turn_id: str = "t1") -> None:
    session = await store.create_session("a")
    await store.begin_turn(session.id, turn_id, "how é?", holder="h", lease_seconds=30)
    record = {"response": "so", "query": "how é?"}
    await store.finish_turn(session.id, turn_id, holder="h", record=record, pending=None, patient=None, trace=trace)


async def change(store: Store, sql: str, *params: Value) -> None:
    await store.database.run(lambda cursor: cursor.execute(sql, params))


async def test_a_trace_comes_back_as_it_was(store: Store) -> None:
    await finished(store, b'{"a":"\xc3\xa9"}', "with")
    await finished(store, None, "without")
    assert [await store.get_trace(turn_id) for turn_id in ("with", "without")] == [b'{"a":"\xc3\xa9"}', b""]


async def test_a_receipt_is_sealed_too(store: Store) -> None:
    session = await store.create_session("a")
    await store.append_turn(session.id, "r1", {"response": "written"})
    await store.append_turn(session.id, "r1", {"response": "written"})
    assert await store.get_trace("r1") == b""
    await change(store, 'UPDATE turns SET record = \'{"response":"rejected"}\'')
    with pytest.raises(Conflict):
        await store.get_trace("r1")


CHANGES: tuple[tuple[str, Value], ...] = (
    ("turns SET record = replace(record, 'so', ?) WHERE id", "no"),
    ("turns SET record = ? WHERE id", "no JSON"),
    ("turns SET record = ? WHERE id", None),
    ("turns SET query = ? WHERE id", '"why"'),
    ("turns SET made_by = ? WHERE id", "person"),
    ("traces SET digest = replace(digest, substr(digest, 1, 1), ?) WHERE turn_id", "-"),
    ("traces SET body = ? WHERE turn_id", b'{"a":2}'),
)


async def test_a_changed_byte_is_noticed(store: Store) -> None:
    for number, (sql, value) in enumerate(CHANGES):
        turn_id = f"t{number}"
        await finished(store, b'{"a":1}', turn_id)
        assert await store.get_trace(turn_id) == b'{"a":1}'
        await change(store, f"UPDATE {sql} = ?", value, turn_id)
        with pytest.raises(Conflict, match="is not what was written"):
            await store.get_trace(turn_id)


async def test_turns_from_before_have_none(store: Store) -> None:
    await finished(store, b"{}")
    await change(store, "DELETE FROM traces")
    assert await store.get_trace("t1") is None
    with pytest.raises(UnknownId):
        await store.get_trace("t2")


async def test_a_turn_is_not_done_without_its_trace(store: Store) -> None:
    """One transaction: where the trace cannot be kept, the turn is not finished either, and may be run again."""
    session = await store.create_session("a")
    await store.begin_turn(session.id, "t1", "how?", holder="h", lease_seconds=30)
    await change(store, "ALTER TABLE traces RENAME TO away")
    with pytest.raises(Unavailable):
        await store.finish_turn(session.id, "t1", holder="h", record={}, pending=None, patient=None, trace=b"{}")
    assert (await store.get_turn("t1")).status == "running"
    await change(store, "ALTER TABLE away RENAME TO traces")
    await store.finish_turn(session.id, "t1", holder="h", record={}, pending=None, patient=None, trace=b"{}")
    assert (await store.get_turn("t1")).status == "done"
    assert await store.get_trace("t1") == b"{}"
