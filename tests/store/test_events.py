"""The log of what runs tell: the same behaviour on both databases."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from docgemma.errors import Conflict, UnknownId
from docgemma.store.events import Closing, Entry, Events, Opening
from docgemma.store.sessions import Store
from tests.store.conftest import Clock
from tests.store.test_sessions import NASTY


@pytest.fixture
def events(store: Store, clock: Clock) -> Events:
    return Events(store.database, clock)


def told(run_id: str, *numbers: int) -> list[Entry]:
    return [Entry(run_id, number, "text", {"text": f"{run_id} {number}"}) for number in numbers]


async def test_a_run_is_opened_once_for_one_owner_and_session(events: Events) -> None:
    await events.write((Opening("r", "s", "dr.lee"),))
    await events.write((Opening("r", "s", "dr.lee"),))
    await events.write([Opening("r", "s", "dr.lee", asked="not of the first time")])
    run = await events.run("r")
    assert run.asked == ""
    assert (run.id, run.session_id, run.owner, run.state, run.stop_wanted) == ("r", "s", "dr.lee", "running", False)
    for session, owner in (("s", "dr.roe"), ("other", "dr.lee")):
        with pytest.raises(Conflict):
            await events.write((Opening("r", session, owner),))
    for missing in ("nowhere", "a b", ""):
        with pytest.raises(UnknownId, match="no run"):
            await events.run(missing)


async def test_events_come_back_in_order_from_any_place(events: Events) -> None:
    for run_id in ("a", "b"):
        await events.write((Opening(run_id, "s", "o"),))
    await events.write([*told("a", 1, 2), *told("b", 1)])
    await events.write([*told("b", 2, 10), *told("a", 3)])
    for after in range(4):
        assert list(await events.since("a", after)) == told("a", *range(after + 1, 4))
    assert [entry.number for entry in await events.since("b")] == [1, 2, 10]
    assert await events.since_each({"a": 2, "b": 10, "c": 0}) == {"a": tuple(told("a", 3))}
    assert [await events.last_number(run_id) for run_id in ("a", "b", "c")] == [3, 10, 0]


async def test_every_text_is_kept_as_it_is(events: Events) -> None:
    for number, text in enumerate(NASTY):
        run = f"r{number}"
        await events.write([Opening(run, "s", text), Entry(run, 1, "text", {"text": text})])
        assert (await events.since(run))[0].body == {"text": text}
        assert (await events.run(run)).owner == text


async def test_writing_is_all_or_nothing(events: Events) -> None:
    await events.write([Opening("a", "s", "o"), *told("a", 1), Opening("b", "s", "o"), *told("b", 1)])
    with pytest.raises(Conflict):  # another process has written the second already
        await events.write([*told("a", 2), *told("b", 1), Closing("a", "done")])
    assert len(await events.since("a")) == 1
    assert (await events.run("a")).state == "running"
    await events.write([*told("a", 2), Closing("a", "done")])
    assert ((await events.run("a")).state, len(await events.since("a"))) == ("done", 2)


async def test_a_wish_to_stop_reaches_whoever_runs_it_and_ends_with_it(events: Events) -> None:
    for run_id in ("a", "b"):
        await events.write((Opening(run_id, "s", "o"),))
    assert await events.stops_wanted(["a", "b"]) == ()
    assert await events.want_stop("a")
    assert await events.stops_wanted(["a", "b"]) == ("a",)
    assert await events.stops_wanted(["b"]) == ()
    await events.write((Closing("a", "stopped"),))
    assert await events.stops_wanted(["a", "b"]) == ()
    assert not await events.want_stop("a")
    assert not await events.want_stop("nowhere")
    await events.write((Opening("a", "s", "o"),))
    assert not (await events.run("a")).stop_wanted, "a run that begins again is not stopped by an old wish"


async def test_what_is_old_is_forgotten_with_its_events(events: Events, clock: Clock) -> None:
    await events.write((Opening("old", "s", "o"),))
    await events.write(told("old", 1, 2))
    clock.advance(3600)
    await events.write((Opening("new", "s", "o"),))
    await events.write(told("new", 1))
    assert await events.prune(clock.now - timedelta(minutes=30)) == 1
    with pytest.raises(UnknownId):
        await events.run("old")
    assert await events.since("old") == ()
    assert len(await events.since("new")) == 1


async def test_writers_beside_each_other_lose_nothing(events: Events) -> None:
    await asyncio.gather(*(events.write((Opening(f"r{n}", "s", "o"),)) for n in range(5)))
    await asyncio.gather(*(events.write(told(f"r{n}", k)) for k in range(1, 9) for n in range(5)))
    assert [await events.last_number(f"r{n}") for n in range(5)] == [8] * 5
    assert [len(await events.since(f"r{n}")) for n in range(5)] == [8] * 5
