"""F5, F6 and F7: an approved entry happens exactly once, whatever the network, the process or the mouse does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from docgemma.orders.model import Receipt
from tests.safety.people import ANN
from tests.safety.support import YES, Desk
from tests.safety.wire import Sent
from tests.torture.control import together
from tests.torture.counting import Heard, tally
from tests.torture.killing import Death
from tests.torture.messages import Job, Work
from tests.torture.places import Places
from tests.torture.stage import Stage

REQUESTS = {
    "prescription": "Prescribe lisinopril 10 mg once daily by mouth",
    "allergy": "Add an allergy to penicillin, reaction rash",
    "note": "Save a progress note: Sleeps well again.",
}


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize("trouble", ["lost after", "503 after", "late", "nonsense after"])
async def test_f5_an_answer_lost_after_the_write_leaves_exactly_one_entry_and_says_written(
    trouble: Any, kind: str, on: Desk
) -> None:
    card = await on.card(REQUESTS[kind], patient_id=ANN)
    assert card.approval is not None
    on.wire.once(trouble)
    receipt = await on.sessions.approve(card.approval.id, YES)
    assert receipt.status == "written"
    assert receipt.text.startswith("Written to the chart")
    assert (len(await on.entries()), len(on.wire.writes)) == (1, 1)
    assert await on.sessions.approve(card.approval.id, YES) == receipt
    assert [turn["receipt"]["order_id"] for turn in await on.turns(card.session_id) if turn.get("receipt")] == [
        card.approval.id
    ]


async def test_f5_while_nobody_can_look_the_outcome_is_called_unknown_and_settles_later(on: Desk) -> None:
    card = await on.card(REQUESTS["note"], patient_id=ANN)
    assert card.approval is not None
    on.wire.trouble = lambda sent: "lost after" if sent.writes else "503 before" if sent.looks else None
    receipt = await on.sessions.approve(card.approval.id, YES)
    assert receipt.status == "unknown"
    assert "unknown" in receipt.text.lower() or "not known" in receipt.text.lower()
    assert not receipt.text.startswith("Written")
    on.wire.trouble = lambda _: None
    [settled] = await on.sessions.settle()
    assert (settled.status, len(await on.entries()), len(on.wire.writes)) == ("written", 1, 1)
    assert (await on.turns(card.session_id))[-1]["receipt"]["order_id"] == card.approval.id


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    with ExitStack() as stack:
        yield Places(tmp_path, stack)


POINTS = ("after decide", "before transact", "after transact", "after settle")


async def test_f6_killed_between_approval_and_write_or_write_and_settling_leaves_one_entry_and_a_receipt(
    places: Places,
) -> None:
    """Real processes and SIGKILL, the program as it ships. Whether each died where it should is checked too."""
    async with places.world("embedded+sqlite", 6) as world:
        stage = Stage("f6", world, 6)
        rehearsal, *orders = await stage.proposed(1 + len(POINTS), ("note",))
        steps = (await stage.work([Job("approve", rehearsal)])).steps
        for order, point in zip(orders, POINTS, strict=True):
            life = await stage.work([Job("approve", order)], death=Death(at=steps.index(point) + 1))
            assert life.killed, point
            await stage.work()
        counted = await tally(world, stage.heard)
    assert counted.faults == []
    assert (counted.in_chart, counted.duplicates, counted.lost) == (1 + len(POINTS), 0, 0)


async def test_f7_a_hundred_approvals_over_two_processes_are_one_entry_and_one_receipt(places: Places) -> None:
    async with places.world("embedded+sqlite", 7) as world:
        stage = Stage("f7", world, 7)
        [order] = await stage.proposed(1, ("note",))
        job = Job("approve", order)
        works = [Work(world.settings, (job,), at_once=50, times=50, together=True) for _ in range(2)]
        told = [each for life in await together(works) for each in life.done]
        heard = Heard(asked={order.id})
        heard.note(told)
        counted = await tally(world, heard)
    assert len(told) == 100
    assert {each.error for each in told} == {""}
    assert {each.status for each in told} == {"written"}
    assert len({each.receipt for each in told}) == 1
    assert (counted.faults, counted.in_chart) == ([], 1)


@pytest.mark.parametrize("kind", REQUESTS)
async def test_f7_a_click_overtaken_by_another_sees_the_same_receipt(kind: str, on: Desk) -> None:
    """The first click reads the chart only after the second one has written."""
    card = await on.card(REQUESTS[kind], patient_id=ANN)
    assert card.approval is not None
    slow, quick = await _overtaken(on, lambda: on.sessions.approve(card.approval.id, YES))  # type: ignore[union-attr]
    assert slow == quick
    assert (quick.status, len(await on.entries())) == ("written", 1)


async def test_f7_an_undo_overtaken_by_another_sees_the_same_receipt(on: Desk) -> None:
    card = await on.card(REQUESTS["note"], patient_id=ANN)
    assert card.approval is not None
    id_, why = card.approval.id, YES.model_copy(update={"reason": "entered for the wrong visit"})
    await on.sessions.approve(id_, YES)
    slow, quick = await _overtaken(on, lambda: on.sessions.undo(id_, why))
    assert slow == quick
    assert quick.status == "undone"


async def _overtaken(on: Desk, act: Callable[[], Awaitable[Receipt]]) -> tuple[Receipt, Receipt]:
    """Two of the same; whatever the first asks of the record system waits until the second is done."""
    first, held, go = ContextVar("first", default=False), asyncio.Event(), asyncio.Event()

    async def waits(_: Sent) -> None:
        if first.get():
            held.set()
            await go.wait()

    async def slowly() -> Receipt:
        first.set(True)
        return await act()

    on.wire.waits = waits
    slow = asyncio.create_task(slowly())
    async with asyncio.timeout(60):
        await held.wait()
        quick = await act()
        go.set()
        return await slow, quick
