"""Many at once on one ledger: tasks, connections and processes. One of them wins, the others see what it did."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from functools import partial

from docgemma.audit.log import AuditLog
from docgemma.orders.ledger.ledger import HoldLost, Ledger
from docgemma.orders.model import Decision
from docgemma.store.leases import make_holder
from docgemma.store.sessions import open_store
from tests.orders.ledger.cards import NO, YES, card, receipt
from tests.store import test_processes as processes
from tests.store.conftest import Clock
from tests.store.test_processes import assert_succeeded, kill_dead, line, start_together

worker = partial(processes.worker, module="tests.orders.ledger.worker")


async def test_of_a_hundred_decisions_and_claims_one_wins(
    address: str, ledger: Ledger, log: AuditLog, clock: Clock
) -> None:
    async with open_store(address) as second:
        doors = (ledger, Ledger(second.database, AuditLog(second.database), clock=clock))
        proposed = await asyncio.gather(*(doors[n % 2].propose(card()) for n in range(20)))
        assert len({row.id for row in proposed}) == 1
        id_ = proposed[0].id

        decided = await asyncio.gather(
            *(doors[n % 2].decide(id_, "approved", Decision(who=f"u{n}", may_prescribe=True)) for n in range(100))
        )
        assert sum(made for _, made in decided) == 1
        (winner,) = {row.decision for row, _ in decided if row.decision}
        assert (await ledger.get(id_)).decision == winner

        claims = await asyncio.gather(*(doors[n % 2].claim(id_, f"w{n}", 600) for n in range(100)))
        (held,) = [row for row in claims if row is not None]
        settled = await asyncio.gather(
            *(doors[n % 2].settle(id_, f"w{n}", "written", receipt=receipt(held, text=f"w{n}")) for n in range(100)),
            return_exceptions=True,
        )
        assert [type(each) for each in settled if isinstance(each, BaseException)] == [HoldLost] * 99
        undone = await asyncio.gather(*(doors[n % 2].begin_undo(id_, NO) for n in range(20)))
        assert sum(made for _, made in undone) == 1
    row = await ledger.get(id_)
    assert (row.approval, row.attempts) == (winner, 0)
    assert [entry.action for entry in await log.entries()] == ["propose", "approve", "write", "write", "undo"]
    assert (await log.verify()).ok


async def test_processes_that_disagree_decide_each_order_once(address: str, ledger: Ledger, log: AuditLog) -> None:
    ids = [(await ledger.propose(card(number))).id for number in range(25)]
    with ExitStack() as stack:
        both = [stack.enter_context(worker(address, "decide", name, *ids)) for name in ("ann", "ben")]
        start_together(both)
        assert_succeeded(both)
        ann, ben = (set((process.stdout.read() if process.stdout else "").split()) for process in both)
    assert ann | ben == set(ids)
    assert not ann & ben
    for row in await ledger.listed():
        assert row.decision is not None
        assert (row.state, row.decision.who) == (("approved", "ann") if row.id in ann else ("rejected", "ben"))
    assert (await log.verify()).rows == 50


async def test_what_a_killed_process_held_is_free_at_once_and_what_a_live_one_holds_is_not(
    address: str, ledger: Ledger
) -> None:
    row = await ledger.propose(card())
    await ledger.decide(row.id, "approved", YES)
    with worker(address, "hold", "w", row.id) as process:
        start_together([process])
        assert line(process) == row.id
        assert await ledger.unfinished() == ()
        assert await ledger.claim(row.id, make_holder(), 60) is None
        kill_dead(process)

        assert [each.id for each in await ledger.unfinished()] == [row.id]
        mine = make_holder()
        taken = await ledger.claim(row.id, mine, 60)
    assert taken is not None
    assert (taken.state, taken.attempts) == ("writing", 2)
    assert (await ledger.settle(row.id, mine, "written")).state == "written"
