"""Sessions, images and facts: the same behaviour on both databases."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.clinical import Patient
from docgemma.errors import BadInput, Conflict, UnknownId
from docgemma.store.sessions import Store, open_store
from tests.store.conftest import Clock

NASTY = [
    "plain",
    "Bệnh nhân bị sốt 39°C, 💊 x2",
    "before\x00after",
    "\x00",
    "lone \ud800 surrogate",
    "right\u202eleft \u2028 line \\ \"quote' ; DROP TABLE turns; -- %s ? :a $1",
    "",
    "đau ngực " * 12_000,
]


async def test_a_session_keeps_what_it_was_given(store: Store) -> None:
    made = await store.create_session(
        "dr.lee", title="Ward 3", patient=Patient(id="abc-123", banner="A. L., born 1950")
    )
    found = await store.get_session(made.id)
    assert found == made
    assert (found.owner, found.title, found.patient) == (
        "dr.lee",
        "Ward 3",
        Patient(id="abc-123", banner="A. L., born 1950"),
    )
    assert found.pending is None
    assert found.turn_count == 0
    assert found.created_at.endswith("+00:00")


async def test_session_ids_can_be_typed_and_differ(store: Store) -> None:
    ids = {(await store.create_session("a")).id for _ in range(20)}
    assert len(ids) == 20
    assert all(len(each) == 12 and each.isalnum() and each == each.lower() for each in ids)


async def test_a_chosen_id_is_kept_and_cannot_be_taken_twice(store: Store) -> None:
    assert (await store.create_session("a", session_id="line-7")).id == "line-7"
    with pytest.raises(Conflict, match="line-7"):
        await store.create_session("b", session_id="line-7")
    assert (await store.get_session("line-7")).owner == "a"


@pytest.mark.parametrize("bad", ["", "a b", "a\x00b", "x" * 129, "../../etc"])
async def test_an_impossible_id_is_refused_for_new_and_unknown_for_old(store: Store, bad: str) -> None:
    session = await store.create_session("a")
    with pytest.raises(BadInput):
        await store.create_session("a", session_id=bad)
    with pytest.raises(BadInput):
        await store.begin_turn(session.id, bad, "q", holder="h", lease_seconds=5)
    for ask in (store.get_session, store.turns, store.get_turn, store.interrupted_turn, store.get_image):
        with pytest.raises(UnknownId):
            await ask(bad)


async def test_unknown_ids_say_what_is_missing(store: Store) -> None:
    for kind, ask in (
        ("session", store.get_session),
        ("session", store.turns),
        ("session", store.interrupted_turn),
        ("turn", store.get_turn),
        ("image", store.get_image),
    ):
        with pytest.raises(UnknownId, match=f"no {kind} nowhere"):
            await ask("nowhere")
    with pytest.raises(UnknownId):
        await store.rename_session("nowhere", "x")
    with pytest.raises(UnknownId):
        await store.begin_turn("nowhere", "t", "q", holder="h", lease_seconds=5)
    with pytest.raises(UnknownId):
        await store.put_image("nowhere", "image/png", b"x", width=1, height=1)


async def test_the_list_shows_an_owners_sessions_last_used_first(store: Store) -> None:
    first = await store.create_session("a")
    second = await store.create_session("a")
    await store.create_session("somebody else")
    assert [each.id for each in await store.list_sessions("a")] == [second.id, first.id]
    await store.append_turn(first.id, "r1", {"query": "receipt"})
    listed = await store.list_sessions("a")
    assert [(each.id, each.turn_count) for each in listed] == [(first.id, 1), (second.id, 0)]
    assert [each.id for each in await store.list_sessions("a", limit=1)] == [first.id]
    assert await store.list_sessions("nobody") == ()


async def test_no_text_is_lost_or_refused(store: Store) -> None:
    for number, text in enumerate(NASTY):
        about, record = Patient(id="p", banner=text), {"query": text, text: [text]}
        session, turn_id = await store.create_session(text, title="start"), f"t{number}"
        await store.rename_session(session.id, text)
        await store.begin_turn(session.id, turn_id, text, holder="h", lease_seconds=5)
        await store.finish_turn(
            session.id, turn_id, holder="h", record=record, pending={"question": text}, patient=about
        )
        await store.put_fact(text, {"value": text}, 60)
        (found,) = await store.list_sessions(text)
        assert (found.owner, found.title, found.pending, found.patient) == (text, text, {"question": text}, about)
        (turn,) = await store.turns(session.id)
        assert (turn.query, turn.record) == (text, record)
        assert await store.get_fact(text) == {"value": text}


async def test_the_title_of_a_very_long_question_is_short(store: Store) -> None:
    session = await store.create_session("a")
    await store.begin_turn(session.id, "t1", NASTY[-1], holder="h", lease_seconds=5)
    assert len((await store.get_session(session.id)).title) <= 80


async def test_everything_is_there_after_closing_and_opening_again(address: str, clock: Clock) -> None:
    async with open_store(address, clock=clock) as store:
        session = await store.create_session("a")
        await store.append_turn(session.id, "r1", {"query": "approve", "receipt": {"id": 1}})
        image = await store.put_image(session.id, "image/png", b"\x89PNG\x00\xff", width=3, height=4)
    async with open_store(address, clock=clock) as store:
        assert (await store.get_turn("r1")).record == {"query": "approve", "receipt": {"id": 1}}
        assert (await store.get_image(image)).data == b"\x89PNG\x00\xff"


async def test_the_same_image_is_kept_once_per_session(store: Store) -> None:
    session, other = await store.create_session("a"), await store.create_session("a")
    first = await store.put_image(session.id, "image/png", b"\x00\x01", width=3, height=4)
    assert await store.put_image(session.id, "image/png", b"\x00\x01", width=3, height=4) == first
    ids = {
        first,
        await store.put_image(session.id, "image/png", b"\x00\x02", width=3, height=4),
        await store.put_image(other.id, "image/png", b"\x00\x01", width=3, height=4),
        await store.put_image(None, "image/png", b"\x00\x01", width=3, height=4),
    }
    assert len(ids) == 4
    found = await store.get_image(first)
    assert (found.session_id, found.media_type, found.data) == (session.id, "image/png", b"\x00\x01")
    assert (found.width, found.height) == (3, 4)


async def test_an_image_keeps_its_depth_its_frames_and_what_is_known_of_it(store: Store) -> None:
    ct, mr, bits = '{"modality":"CT"}', '{"modality":"MR"}', b"\x0016 bit\xff"
    kept: list[dict[str, Any]] = [
        {"facts": "", "depth": None, "frames": None},
        {"facts": ct, "depth": bits, "frames": None},
        {"facts": mr, "depth": bits, "frames": None},
        {"facts": "", "depth": bits, "frames": None},
        {"facts": "", "depth": None, "frames": bits},
    ]
    ids = [await store.put_image(None, "image/png", b"8 bit", width=1, height=1, **each) for each in kept]
    assert len(set(ids)) == len(kept), "each is another image"
    for image, each in zip(ids, kept, strict=True):
        found = await store.get_image(image)
        assert {name: getattr(found, name) for name in each} == each


async def test_a_fact_is_remembered_replaced_and_forgotten(store: Store, clock: Clock) -> None:
    assert await store.get_fact("proven") is None
    await store.put_fact("proven", {"ok": False}, 60)
    await store.put_fact("proven", {"ok": True}, 60)
    assert await store.get_fact("proven") == {"ok": True}
    clock.advance(61)
    assert await store.get_fact("proven") is None
    await store.put_fact("proven", {"ok": "again"}, 60)
    assert await store.get_fact("proven") == {"ok": "again"}
