"""What a turn was made from: kept with it, sealed with it, on both databases."""

from __future__ import annotations

import pytest

from docgemma.errors import Conflict, Unavailable, UnknownId
from docgemma.store.sessions import Store


async def finished(store: Store, trace: bytes | None) -> str:
    session = await store.create_session("a")
    await store.begin_turn(session.id, "t1", "how é?", holder="h", lease_seconds=30)
    record = {"response": "so", "query": "how é?"}
    await store.finish_turn(session.id, "t1", holder="h", record=record, pending=None, patient=None, trace=trace)
    return session.id


async def change(store: Store, sql: str) -> None:
    await store.database.run(lambda cursor: cursor.execute(sql))


@pytest.mark.parametrize(("given", "kept"), [(b'{"a":"\xc3\xa9"}', b'{"a":"\xc3\xa9"}'), (None, b"")])
async def test_a_trace_comes_back_as_it_was(store: Store, given: bytes | None, kept: bytes) -> None:
    await finished(store, given)
    assert await store.get_trace("t1") == kept


async def test_a_receipt_is_sealed_too(store: Store) -> None:
    session = await store.create_session("a")
    await store.append_turn(session.id, "r1", {"response": "written"})
    await store.append_turn(session.id, "r1", {"response": "written"})
    assert await store.get_trace("r1") == b""
    await change(store, 'UPDATE turns SET record = \'{"response":"rejected"}\'')
    with pytest.raises(Conflict):
        await store.get_trace("r1")


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE turns SET record = replace(record, 'so', 'no')",
        "UPDATE turns SET record = 'no JSON'",
        "UPDATE turns SET record = NULL",
        "UPDATE turns SET query = '\"why\"'",
        "UPDATE turns SET made_by = 'person'",
        "UPDATE traces SET digest = replace(digest, substr(digest, 1, 1), '-')",
    ],
)
async def test_a_changed_byte_is_noticed(store: Store, sql: str) -> None:
    await finished(store, b"{}")
    await change(store, sql)
    with pytest.raises(Conflict, match="is not what was written"):
        await store.get_trace("t1")


async def test_another_trace_is_noticed(store: Store) -> None:
    await finished(store, b'{"a":1}')
    await store.database.run(lambda cursor: cursor.execute("UPDATE traces SET body = ?", (b'{"a":2}',)))
    with pytest.raises(Conflict, match="is not what was written"):
        await store.get_trace("t1")


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
