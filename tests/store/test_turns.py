"""The life of a turn and of the lease it holds, on both databases."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from docgemma.clinical import Patient
from docgemma.errors import Conflict, UnknownId
from docgemma.store.leases import holder_is_dead, make_holder
from docgemma.store.rows import Begun
from docgemma.store.sessions import Store
from tests.store.conftest import Clock

ANN = Patient(id="abc-123", banner="Ann Lee, born 1950")


async def begin(
    store: Store, session_id: str, turn_id: str, *, holder: str = "me", query: str = "Is it safe?"
) -> Begun:
    return await store.begin_turn(session_id, turn_id, query, holder=holder, lease_seconds=30)


async def finish(store: Store, session_id: str, turn_id: str, *, holder: str = "me", **changed: Any) -> None:
    given: dict[str, Any] = {"record": {"turn": turn_id}, "pending": None, "patient": None} | changed
    await store.finish_turn(session_id, turn_id, holder=holder, **given)


async def test_a_turn_runs_and_is_done(store: Store) -> None:
    session = await store.create_session("a")
    begun = await begin(store, session.id, "t1", query="  Is warfarin\n safe?  ")
    assert begun.session == session
    assert begun.history == ()
    assert (await store.get_turn("t1")).status == "running"
    assert (await store.get_turn("t1")).record is None

    await finish(store, session.id, "t1", pending={"question": "Which Ann?"}, patient=ANN)
    turn = await store.get_turn("t1")
    assert (turn.status, turn.by, turn.record) == ("done", "agent", {"turn": "t1"})
    assert turn.query == "  Is warfarin\n safe?  "
    assert turn.finished_at is not None
    assert turn.finished_at > turn.created_at
    after = await store.get_session(session.id)
    assert (after.title, after.pending, after.patient) == ("Is warfarin safe?", {"question": "Which Ann?"}, ANN)
    assert after.turn_count == 1


async def test_the_title_comes_from_the_first_question_unless_there_is_one(store: Store) -> None:
    fresh, named = await store.create_session("a"), await store.create_session("a", title="Ward 3")
    for session in (fresh, named):
        for turn in ("1", "2"):
            await begin(store, session.id, session.id + turn, query=f"question {turn}")
            await finish(store, session.id, session.id + turn)
    assert (await store.get_session(fresh.id)).title == "question 1"
    assert (await store.get_session(named.id)).title == "Ward 3"


async def test_a_session_has_its_title_while_its_first_question_is_still_unanswered(store: Store) -> None:
    session = await store.create_session("a")
    await begin(store, session.id, "t1", query="  Is warfarin\n safe?  ")
    assert [found.title for found in await store.list_sessions("a")] == ["Is warfarin safe?"]
    await store.interrupt_turn(session.id, "t1", holder="me")
    await begin(store, session.id, "t2", query="And ibuprofen?")
    assert (await store.get_session(session.id)).title == "Is warfarin safe?"


async def test_a_later_turn_replaces_the_pending_question_and_the_patient(store: Store) -> None:
    session = await store.create_session("a", patient=ANN)
    await begin(store, session.id, "t1")
    await finish(store, session.id, "t1", pending={"question": "?"}, patient=ANN)
    begun = await begin(store, session.id, "t2")
    assert (begun.session.pending, begun.session.patient) == ({"question": "?"}, ANN)
    await finish(store, session.id, "t2")
    after = await store.get_session(session.id)
    assert (after.pending, after.patient) == (None, None)


async def test_a_patient_is_pinned_once_and_never_beside_a_running_turn(store: Store) -> None:
    session = await store.create_session("a")
    await begin(store, session.id, "t1")
    with pytest.raises(Conflict, match="still answering"):
        await store.pin_patient(session.id, ANN)
    await finish(store, session.id, "t1")
    await store.pin_patient(session.id, Patient(id=ANN.id))
    await store.pin_patient(session.id, ANN)  # the same person, now with a banner
    with pytest.raises(Conflict, match="another patient"):
        await store.pin_patient(session.id, Patient(id="def-456"))
    assert (await store.get_session(session.id)).patient == ANN
    with pytest.raises(UnknownId):
        await store.pin_patient("nowhere", ANN)


async def test_history_is_the_last_four_finished_turns_oldest_first(store: Store, clock: Clock) -> None:
    session = await store.create_session("a")
    for turn in ("t1", "t2", "t3"):
        await begin(store, session.id, turn)
        await finish(store, session.id, turn)
    await begin(store, session.id, "lost")
    clock.advance(31)
    await begin(store, session.id, "t4")
    await finish(store, session.id, "t4", status="failed")
    await store.append_turn(session.id, "receipt", {"query": "approved"})
    begun = await begin(store, session.id, "t5")
    assert [(turn.id, turn.status, turn.by) for turn in begun.history] == [
        ("t2", "done", "agent"),
        ("t3", "done", "agent"),
        ("t4", "failed", "agent"),
        ("receipt", "done", "person"),
    ]
    assert [turn.id for turn in await store.turns(session.id)] == ["t1", "t2", "t3", "lost", "t4", "receipt", "t5"]
    assert [turn.id for turn in await store.turns(session.id, limit=2)] == ["receipt", "t5"]


async def test_a_second_turn_is_refused_while_one_runs(store: Store) -> None:
    session, other = await store.create_session("a"), await store.create_session("a")
    await begin(store, session.id, "t1")
    for holder in ("me", "you"):
        with pytest.raises(Conflict, match="still answering"):
            await begin(store, session.id, "t2", holder=holder)
    await begin(store, other.id, "t3", holder="you")
    assert [turn.id for turn in await store.turns(session.id)] == ["t1"]
    await finish(store, session.id, "t1")
    await begin(store, session.id, "t2", holder="you")


async def test_of_many_turns_begun_at_once_exactly_one_runs(store: Store) -> None:
    session = await store.create_session("a")
    tries = (begin(store, session.id, f"t{n}", holder=f"h{n}") for n in range(12))
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(result, Begun) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 11
    assert len(await store.turns(session.id)) == 1


async def test_an_expired_lease_is_free_and_its_turn_interrupted(store: Store, clock: Clock) -> None:
    session = await store.create_session("a")
    await begin(store, session.id, "t1", query="first try")
    assert await store.interrupted_turn(session.id) is None
    clock.advance(31)
    lost = await store.interrupted_turn(session.id)
    assert lost is not None
    assert (lost.id, lost.query, lost.status) == ("t1", "first try", "interrupted")

    await begin(store, session.id, "t2", holder="you")
    assert [(turn.id, turn.status) for turn in await store.turns(session.id)] == [
        ("t1", "interrupted"),
        ("t2", "running"),
    ]
    assert await store.renew_lease(session.id, "me", 30) is False
    with pytest.raises(Conflict, match="moved on"):
        await finish(store, session.id, "t1")
    await finish(store, session.id, "t2", holder="you")
    with pytest.raises(Conflict):
        await finish(store, session.id, "t1")
    assert await store.interrupted_turn(session.id) is None


async def test_finishing_twice_keeps_the_first(store: Store) -> None:
    session = await store.create_session("a")
    await begin(store, session.id, "t1")
    await finish(store, session.id, "t1", record={"answer": 1}, patient=ANN)
    await finish(store, session.id, "t1", record={"answer": 2})
    with pytest.raises(Conflict):
        await finish(store, session.id, "t1", holder="you", record={"answer": 3})
    assert (await store.get_turn("t1")).record == {"answer": 1}
    assert (await store.get_session(session.id)).patient == ANN
    with pytest.raises(UnknownId):
        await finish(store, session.id, "t2")


async def test_an_interrupted_turn_can_be_begun_again_under_its_id(store: Store, clock: Clock) -> None:
    session = await store.create_session("a")
    await begin(store, session.id, "t1", query="same question")
    clock.advance(31)
    await begin(store, session.id, "t1", query="same question", holder="you")
    with pytest.raises(Conflict):
        await finish(store, session.id, "t1", holder="me")
    await finish(store, session.id, "t1", holder="you")
    (turn,) = await store.turns(session.id)
    assert (turn.id, turn.status, turn.query) == ("t1", "done", "same question")


async def test_an_answered_turn_cannot_be_begun_again(store: Store) -> None:
    session, other = await store.create_session("a"), await store.create_session("a")
    await begin(store, session.id, "t1")
    await finish(store, session.id, "t1")
    for where in (session, other):
        with pytest.raises(Conflict, match="answered already"):
            await begin(store, where.id, "t1")
    assert (await store.get_turn("t1")).record == {"turn": "t1"}
    await begin(store, session.id, "t2")  # a refused begin took no lease


async def test_a_turn_stopped_on_purpose_frees_the_session_at_once(store: Store) -> None:
    session = await store.create_session("a")
    await begin(store, session.id, "t1")
    assert await store.interrupt_turn(session.id, "t1", holder="you") is False
    assert await store.interrupt_turn(session.id, "t1", holder="me") is True
    lost = await store.interrupted_turn(session.id)
    assert lost is not None
    assert lost.id == "t1"
    await begin(store, session.id, "t2")
    assert await store.interrupt_turn(session.id, "t1", holder="me") is False


async def test_a_receipt_is_added_once_also_beside_a_running_turn(store: Store, clock: Clock) -> None:
    session, other = await store.create_session("a"), await store.create_session("a")
    await begin(store, session.id, "t1")
    await store.append_turn(session.id, "r1", {"query": "approve", "receipt": 1})
    await store.append_turn(session.id, "r1", {"query": "approve", "receipt": 2})
    with pytest.raises(Conflict):
        await store.append_turn(other.id, "r1", {"query": "approve"})
    with pytest.raises(Conflict):
        await store.append_turn(session.id, "t1", {"query": "approve"})
    receipt = await store.get_turn("r1")
    assert (receipt.status, receipt.by, receipt.query, receipt.record) == (
        "done", "person", "approve", {"query": "approve", "receipt": 1},
    )  # fmt: skip
    clock.advance(31)
    lost = await store.interrupted_turn(session.id)
    assert lost is not None
    assert lost.id == "t1"  # the receipt after it is no answer to it


async def test_a_refused_turn_leaves_no_trace(store: Store) -> None:
    session = await store.create_session("a")
    with pytest.raises(ValueError, match="holder"):
        await begin(store, session.id, "t1", holder="")
    assert await store.turns(session.id) == ()
    assert await store.get_session(session.id) == session


def test_a_living_process_is_not_dead() -> None:
    mine = make_holder()
    assert make_holder() != mine
    assert not holder_is_dead(mine)


def test_only_a_process_of_this_machine_can_be_known_to_be_dead() -> None:
    place, _, started, token = make_holder().split("|")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert holder_is_dead("|".join((place, str(gone.pid), started, token)))
    assert not holder_is_dead("|".join((place + "x", str(gone.pid), started, token)))
    assert not holder_is_dead("anything else")


def test_a_reused_process_id_is_not_the_process_that_had_it() -> None:
    place, pid, started, token = make_holder().split("|")
    if not started:
        pytest.skip("this system does not tell when a process started")
    assert holder_is_dead("|".join((place, pid, str(int(started) - 1), token)))
