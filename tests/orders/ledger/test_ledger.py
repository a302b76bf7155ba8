"""The ledger on both databases: what it keeps, who may change it, and what the audit log says of it."""

from __future__ import annotations

import contextvars
from typing import get_args

import pytest

from docgemma.audit.log import AuditLog
from docgemma.errors import Conflict, UnknownId
from docgemma.orders.ledger.ledger import HoldLost, Ledger, Place
from docgemma.orders.model import Decision, State, card_id, digest
from tests.orders.ledger.cards import LIES, NO, YES, allergy, card, note, prescription, receipt, written
from tests.store.conftest import Clock


async def story(log: AuditLog) -> list[tuple[str, str]]:
    assert (await log.verify()).ok
    return [(entry.action, entry.outcome) for entry in await log.entries()]


async def test_a_card_comes_back_as_it_was_proposed(ledger: Ledger) -> None:
    odd = note(text='line\nnul \0, half a pair \ud800, "quoted", Zoë \u202e')
    for made in (card(draft=prescription()), card(draft=allergy()), card(draft=odd, session_id="", turn_id="")):
        row = await ledger.propose(made)
        assert row.card == made
        assert (row.hash, row.id) == (digest(made), card_id(digest(made)))
        assert (row.state, row.decision, row.attempts, row.receipt, row.noted) == ("proposed", None, 0, None, False)
        assert await ledger.get(row.id) == row


async def test_the_same_card_twice_is_one_row_and_leaves_what_was_decided(ledger: Ledger, log: AuditLog) -> None:
    row = await ledger.propose(card())
    await ledger.decide(row.id, "rejected", NO)
    again = await ledger.propose(card())
    assert (again.id, again.state) == (row.id, "rejected")
    assert len(await ledger.listed()) == 1
    assert await story(log) == [("propose", "asked"), ("reject", "refused")]


async def test_an_order_goes_its_way_and_every_step_is_in_the_audit_log(ledger: Ledger, log: AuditLog) -> None:
    row = await ledger.propose(card())
    row, made = await ledger.decide(row.id, "approved", YES)
    assert (made, row.state, row.decision, bool(row.decided_at)) == (True, "approved", YES, True)
    held = await ledger.claim(row.id, "w", 60)
    assert held is not None
    assert (held.state, held.holder, held.attempts) == ("writing", "w", 1)
    done = await ledger.settle(row.id, "w", "written", receipt=receipt(row), place=LIES)
    assert (done.state, done.holder, done.held_until) == ("written", "", "")
    assert (done.resource_kind, done.resource_id, done.resource_version) == LIES
    assert done.receipt == receipt(row)
    assert done.decided_at == row.decided_at
    assert await ledger.get(row.id) == done
    assert await story(log) == [
        ("propose", "asked"), ("approve", "asked"), ("write", "asked"), ("write", "written"),
    ]  # fmt: skip
    entries = await log.entries()
    assert [entry.resource_id for entry in entries] == [row.id, row.id, row.id, "m1"]
    assert {entry.kind for entry in entries} == {"MedicationRequest"}
    assert {entry.patients for entry in entries} == {("p1",)}
    assert {(entry.who, entry.session_id) for entry in entries} == {("dr.lee", "s1")}
    assert [entry.count for entry in entries] == [0, 0, 0, 1]


async def test_what_is_decided_stays_decided(ledger: Ledger) -> None:
    for number, to in enumerate(("approved", "rejected", "expired", "withdrawn")):
        row = await ledger.propose(card(number))
        first, made = await ledger.decide(row.id, to, NO)
        assert (made, first.state) == (True, to)
        for other in ("approved", "rejected", "expired", "withdrawn"):
            again, made = await ledger.decide(row.id, other, Decision(who="nurse.kim"))
            assert (made, again) == (False, first)


async def test_nobody_writes_what_was_not_approved(ledger: Ledger) -> None:
    row = await ledger.propose(card())
    assert await ledger.claim(row.id, "w", 60) is None
    for number, to in enumerate(("rejected", "expired", "withdrawn"), 1):
        other = await ledger.propose(card(number))
        await ledger.decide(other.id, to, NO)
        assert await ledger.claim(other.id, "w", 60) is None
    assert await ledger.unfinished() == ()


async def test_one_worker_at_a_time_until_its_time_is_over(ledger: Ledger, clock: Clock) -> None:
    row = await ledger.propose(card())
    await ledger.decide(row.id, "approved", YES)
    assert await ledger.claim(row.id, "slow", 60) is not None
    assert await ledger.claim(row.id, "other", 60) is None
    assert await ledger.unfinished() == ()
    clock.advance(61)
    assert [each.id for each in await ledger.unfinished()] == [row.id]
    taken = await ledger.claim(row.id, "other", 60)
    assert taken is not None
    assert (taken.state, taken.holder, taken.attempts) == ("writing", "other", 2)
    with pytest.raises(HoldLost, match="taken over by another process"):
        await ledger.settle(row.id, "slow", "refused")
    assert (await ledger.get(row.id)) == taken
    await ledger.settle(row.id, "other", "written", place=LIES)


async def test_a_worker_that_is_late_but_still_has_it_may_settle(ledger: Ledger, clock: Clock) -> None:
    row = await ledger.propose(card())
    await ledger.decide(row.id, "approved", YES)
    await ledger.claim(row.id, "slow", 60)
    clock.advance(600)
    assert (await ledger.settle(row.id, "slow", "unknown")).state == "unknown"
    with pytest.raises(Conflict):
        await ledger.settle(row.id, "slow", "written")
    with pytest.raises(Conflict):
        await ledger.settle(row.id, "", "written")


async def test_what_stays_unknown_or_was_given_back_is_taken_again(ledger: Ledger, log: AuditLog) -> None:
    row = await ledger.propose(card())
    await ledger.decide(row.id, "approved", YES)
    for attempt, to in enumerate(("unknown", "approved", "differs"), 1):
        held = await ledger.claim(row.id, "w", 60)
        assert held is not None
        assert held.attempts == attempt
        await ledger.settle(row.id, "w", to)
    assert await ledger.claim(row.id, "w", 60) is None
    assert (await story(log))[3::2] == [("write", "unknown"), ("write", "failed"), ("write", "differs")]


async def test_a_step_that_does_not_exist_is_a_bug_and_changes_nothing(ledger: Ledger, log: AuditLog) -> None:
    row = await ledger.propose(card())
    await ledger.decide(row.id, "approved", YES)
    held = await ledger.claim(row.id, "w", 60)
    for to in get_args(State):
        if to not in ("approved", "unknown", "written", "differs", "refused"):
            with pytest.raises(ValueError, match="cannot become"):
                await ledger.settle(row.id, "w", to)
        if to not in ("approved", "rejected", "expired", "withdrawn"):
            with pytest.raises(KeyError):
                await ledger.decide(row.id, to, YES)
    assert await ledger.get(row.id) == held
    assert len(await story(log)) == 3


async def test_undoing_keeps_who_approved(ledger: Ledger, log: AuditLog) -> None:
    row = await written(ledger)
    why = Decision(who="dr.roe", reason="wrong patient")
    begun, made = await ledger.begin_undo(row.id, why)
    assert (made, begun.state, begun.decision, begun.approval) == (True, "undoing", why, YES)
    assert (begun.approved_at, begun.receipt, begun.holder) == (row.decided_at, None, "")
    assert await ledger.begin_undo(row.id, NO) == (begun, False)
    held = await ledger.claim(row.id, "w", 60)
    assert held is not None
    assert (held.state, held.attempts) == ("undoing", 1)
    assert (await ledger.settle(row.id, "w", "undoing")).holder == ""
    assert [each.id for each in await ledger.unfinished()] == [row.id]
    await ledger.claim(row.id, "w", 60)
    done = await ledger.settle(row.id, "w", "undone", receipt=receipt(row, "undone"))
    assert (done.state, done.decision, done.approval) == ("undone", why, YES)
    assert (done.resource_id, done.noted) == ("m1", False)
    assert (await story(log))[4:] == [
        ("undo", "asked"), ("write", "asked"), ("write", "unknown"), ("write", "asked"), ("write", "undone"),
    ]  # fmt: skip
    assert await ledger.begin_undo(row.id, NO) == (done, False)


async def test_an_undo_that_was_refused_leaves_the_approval_in_its_place(ledger: Ledger) -> None:
    row = await written(ledger)
    await ledger.begin_undo(row.id, NO)
    await ledger.claim(row.id, "w", 60)
    back = await ledger.settle(row.id, "w", "written", receipt=row.receipt)
    assert (back.decision, back.decided_at, back.approval, back.approved_at) == (YES, row.decided_at, None, "")


async def test_only_what_is_in_the_chart_can_be_undone(ledger: Ledger) -> None:
    row = await ledger.propose(card())
    assert await ledger.begin_undo(row.id, NO) == (row, False)
    row, _ = await ledger.decide(row.id, "approved", YES)
    assert await ledger.begin_undo(row.id, NO) == (row, False)


async def test_a_receipt_waits_until_it_stands_in_its_session(ledger: Ledger, log: AuditLog) -> None:
    row = await written(ledger)
    assert await ledger.unnoted() == (row,)
    steps = len(await story(log))
    await ledger.noted(row.id, receipt=receipt(row, "differs"))
    assert await ledger.unnoted() == (row,)  # it was another receipt that was noted
    await ledger.noted(row.id, receipt=receipt(row))
    await ledger.noted(row.id)
    assert await ledger.unnoted() == ()
    noted = await ledger.get(row.id)
    assert (noted.noted, noted.updated_at) == (True, row.updated_at)
    assert len(await story(log)) == steps  # nothing was done to a chart

    await ledger.begin_undo(row.id, NO)
    await ledger.claim(row.id, "w", 60)
    await ledger.settle(row.id, "w", "undone", receipt=receipt(row, "undone"))
    assert [each.receipt for each in await ledger.unnoted()] == [receipt(row, "undone")]


async def test_a_decision_may_have_a_receipt_too_and_none_is_awaited_without_a_session(ledger: Ledger) -> None:
    row = await ledger.propose(card())
    no = receipt(row, "rejected", "Rejected, nothing was written.")
    row, _ = await ledger.decide(row.id, "rejected", NO, receipt=no)
    assert [each.receipt for each in await ledger.unnoted()] == [no]
    await ledger.noted(row.id)

    approved = await ledger.propose(card(2))
    await ledger.decide(approved.id, "approved", YES, receipt=receipt(approved, "approved"))
    await ledger.noted(approved.id)
    await ledger.claim(approved.id, "w", 60)
    done = await ledger.settle(approved.id, "w", "written", receipt=receipt(approved))
    assert await ledger.unnoted() == (done,)  # the second receipt is another one

    alone = await ledger.propose(card(1, session_id=""))
    await ledger.decide(alone.id, "rejected", NO, receipt=no)
    assert len(await ledger.unnoted()) == 1


async def test_orders_are_found_by_what_is_asked(ledger: Ledger) -> None:
    first = await ledger.propose(card(1))
    second = await ledger.propose(card(2, prescription("P1"), session_id="s2", proposed_by="nurse.kim"))
    third = await ledger.propose(card(3, allergy("p10")))
    await ledger.decide(third.id, "rejected", NO)

    async def ids(**asked: object) -> list[str]:
        return [row.id for row in await ledger.listed(**asked)]  # type: ignore[arg-type]

    assert await ids() == [third.id, second.id, first.id]
    assert await ids(states={"proposed"}) == [second.id, first.id]
    assert await ids(states=("proposed", "rejected"), session="s1") == [third.id, first.id]
    assert await ids(states=()) == []
    assert await ids(patient="p1") == [first.id]
    assert await ids(patient="' OR 1 = 1 --") == []
    assert await ids(session="s2", who="nurse.kim") == [second.id]
    assert await ids(who="nurse.kim", patient="p1") == []
    assert await ids(limit=2) == [third.id, second.id]


async def test_an_unknown_order_is_unknown_everywhere(ledger: Ledger) -> None:
    await ledger.propose(card())
    for id_ in ("", "nosuchone0", "a b", "\0", "é", "x" * 200, "' OR '1'='1"):
        for asked in (
            ledger.get(id_),
            ledger.decide(id_, "approved", YES),
            ledger.claim(id_, "w", 60),
            ledger.settle(id_, "w", "written"),
            ledger.begin_undo(id_, NO),
            ledger.noted(id_),
        ):
            with pytest.raises(UnknownId, match="There is no order"):
                await asked


async def test_whatever_a_server_calls_its_entry_can_be_kept(ledger: Ledger, log: AuditLog) -> None:
    row = await ledger.propose(card())
    await ledger.decide(row.id, "approved", YES)
    await ledger.claim(row.id, "Zoë's-laptop|1", 60)
    odd = Place("MedicationRequest", "not an id\0", 'W/"é\ud800"')
    await ledger.settle(row.id, "Zoë's-laptop|1", "differs", place=odd)
    found = await ledger.get(row.id)
    assert (found.resource_kind, found.resource_id, found.resource_version) == odd
    assert (await log.entries())[-1].resource_id == "?"


async def test_without_somebody_who_acts_nothing_happens(ledger: Ledger) -> None:
    with pytest.raises(LookupError):
        contextvars.Context().run(ledger.propose(card()).send, None)
    assert await ledger.listed() == ()


async def test_a_hold_without_a_name_is_a_bug(ledger: Ledger) -> None:
    row = await ledger.propose(card())
    with pytest.raises(ValueError, match="needs a holder"):
        await ledger.claim(row.id, "", 60)
