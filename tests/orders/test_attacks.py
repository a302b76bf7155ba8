"""Attacks on the way from an approval to the chart: lying servers, lost time, things that are gone, and races."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docgemma.clinical import Purpose, acting
from docgemma.ehr.client.writing import placed
from docgemma.ehr.contract import Change, EhrError
from docgemma.ehr.embedded.rest.app import FhirApp
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.errors import Conflict, DocGemmaError
from docgemma.orders import drafting
from docgemma.orders.model import Allergy
from docgemma.orders.resources import differences
from docgemma.tools.arguments import ClinicalNoteCall
from docgemma.tools.orders import Entries
from tests.safety.people import ANN, BEN, adults, medicine
from tests.safety.support import NOTE, YES, Desk, carded, desk, edit
from tests.safety.wire import Sent, Trouble

Body = dict[str, Any]
Lie = Callable[[Sent, int, Body], tuple[int, Body]]

ORDER = "Prescribe lisinopril 10 mg once daily by mouth"
WHY = YES.model_copy(update={"reason": "entered for the wrong visit"})
TO_UNDO = b"entered-in-error"
NO: Body = {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "conflict"}]}


class Liar:
    """A record system that answers otherwise than it acts."""

    def __init__(self, server: ASGIApp) -> None:
        self._server = server
        self.lie: Lie = lambda _, status, body: (status, body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked, told = b"", [b""]
        began: list[Message] = []

        async def heard() -> Message:
            nonlocal asked
            message = await receive()
            asked += message.get("body", b"")
            return message

        async def hears(message: Message) -> None:
            if message["type"] == "http.response.start":
                began.append(message)
            else:
                told[0] += message.get("body", b"")

        await self._server(scope, heard, hears)
        path = scope["path"].partition("/fhir")[2]
        sent = Sent(scope["method"], path, scope["query_string"].decode(), asked)
        status, body = self.lie(sent, began[0]["status"], json.loads(told[0] or b"{}"))
        answer = json.dumps(body).encode()
        headers = [(b"content-type", b"application/fhir+json"), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


@pytest.fixture
async def on(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk(tmp_path, people=adults()) as opened:
        yield opened


@asynccontextmanager
async def lied_to(home: Path) -> AsyncIterator[tuple[Desk, Liar]]:
    async with FhirStore(home / "theirs.sqlite") as charts:
        liar = Liar(FhirApp(charts))
        async with desk(home, people=adults(), server=liar) as opened:
            yield opened, liar


async def approved(on: Desk, text: str = NOTE) -> str:
    """As a process leaves it that is killed between the decision and the claim."""
    id_, _ = await carded(on, text)
    with acting(Purpose(who="dr-lee", why="approve")):
        await on.orders.ledger.decide(id_, "approved", YES)
    return id_


async def written(on: Desk, text: str = NOTE) -> str:
    id_, _ = await carded(on, text)
    assert (await on.sessions.approve(id_, YES)).status == "written"
    return id_


# Time


async def test_an_approval_that_was_never_begun_is_too_old_after_a_day(on: Desk) -> None:
    await approved(on)
    [told] = await on.later(timedelta(days=3)).settle()
    assert (told.status, await on.entries()) == ("refused", [])


async def test_an_approval_that_was_never_begun_is_not_carried_out_on_another_chart(on: Desk) -> None:
    await approved(on, ORDER)
    await on.put(medicine(ANN, "losartan 50 mg"))
    [told] = await on.later(timedelta(minutes=20)).settle()
    assert (told.status, await on.entries()) == ("refused", [])


async def test_an_approval_by_a_clock_far_ahead_is_held_against_the_chart(on: Desk) -> None:
    await approved(on, ORDER)
    await on.put(medicine(ANN, "losartan 50 mg"))
    [told] = await on.later(-timedelta(hours=2)).settle()
    assert (told.status, await on.entries()) == ("refused", [])


async def test_a_hold_by_a_clock_that_was_years_ahead_does_not_last_for_years(on: Desk) -> None:
    id_ = await approved(on)
    ahead = on.later(timedelta(days=3000))
    with acting(Purpose(who="dr-lee", why="approve")):
        assert ahead._desk is not None
        await ahead._desk.ledger.claim(id_, "elsewhere", 60)
    [told] = await on.sessions.settle()
    assert told.status == "written"


async def test_a_worker_whose_hold_runs_out_sends_nothing_more(on: Desk) -> None:
    """Stopped and continued, or held up by a slow server: by then another one may be at it."""
    id_, _ = await carded(on)
    passed = [0.0]

    def lost(sent: Sent) -> Trouble | None:
        passed[0] += 50 if sent.writes else 0
        return "lost before" if sent.writes and len(on.wire.writes) == 1 else None

    on.wire.trouble = lost
    told = await on.at(lambda: datetime.now(UTC) + timedelta(seconds=passed[0])).approve(id_, YES)
    assert (told.status, len(on.wire.writes)) == ("unknown", 1)


# Undoing


async def test_somebody_elses_entry_is_never_marked_by_an_undo(tmp_path: Path) -> None:
    """The server names another entry as the one it made."""
    async with lied_to(tmp_path) as (on, liar):
        theirs = medicine(BEN, "warfarin 5 mg")
        await on.put(theirs)

        def points_elsewhere(sent: Sent, status: int, body: Body) -> tuple[int, Body]:
            if sent.writes and b"ifNoneExist" in sent.body and TO_UNDO not in sent.body:
                body["entry"][0] = {"response": {"status": "201", "location": f"MedicationRequest/{theirs['id']}"}}
            return status, body

        liar.lie = points_elsewhere
        id_, _ = await carded(on, ORDER)
        told = await on.sessions.approve(id_, YES)
        with pytest.raises(Conflict):
            await on.sessions.undo(id_, WHY)
        [found] = [one for one in await on.everything("MedicationRequest") if one["id"] == theirs["id"]]
        assert found["status"] == "active"
        assert told.status != "written"


async def test_an_undo_that_is_refused_ends_and_says_so(tmp_path: Path) -> None:
    async with lied_to(tmp_path) as (on, liar):
        id_ = await written(on)
        on.wire.change = lambda sent: b"{}" if TO_UNDO in sent.body else sent.body
        liar.lie = lambda sent, status, body: (422, NO) if sent.writes else (status, body)
        told = await on.sessions.undo(id_, WHY)
        row = await on.orders.get(id_)
        assert (told.status, row.state, row.holder) == ("written", "written", "")
        assert "NOT marked as entered in error" in told.text
        assert row.decision is not None
        assert row.decision.reason == ""
        assert await on.sessions.settle() == ()


async def test_an_entry_without_versions_is_not_undone_and_nothing_breaks(tmp_path: Path) -> None:
    async with lied_to(tmp_path) as (on, liar):
        id_ = await written(on)

        def counts_none(sent: Sent, status: int, body: Body) -> tuple[int, Body]:
            body.get("meta", {}).pop("versionId", None)
            return status, body

        liar.lie = counts_none
        with pytest.raises(Conflict):
            await on.sessions.undo(id_, WHY)
        assert (await on.orders.get(id_)).state == "written"


async def test_versions_that_are_gone_in_mid_undo_break_nothing(tmp_path: Path) -> None:
    async with lied_to(tmp_path) as (on, liar):
        id_ = await written(on)
        with acting(Purpose(who="dr-lee", why="undo")):
            await on.orders.ledger.begin_undo(id_, WHY)

        def counts_none(sent: Sent, status: int, body: Body) -> tuple[int, Body]:
            body.get("meta", {}).pop("versionId", None)
            return status, body

        liar.lie = counts_none
        [told] = await on.sessions.settle()
        assert told.status in ("written", "differs")


async def test_an_undo_left_over_does_not_undo_what_somebody_changed_since(on: Desk) -> None:
    id_ = await written(on, ORDER)
    with acting(Purpose(who="dr-lee", why="undo")):
        await on.orders.ledger.begin_undo(id_, WHY)
    [entry] = await on.entries()
    await on.put(entry | {"status": "on-hold"})
    [told] = await on.sessions.settle()
    [entry] = await on.entries()
    assert (told.status, entry["status"]) == ("differs", "on-hold")


async def test_an_entry_that_is_gone_is_not_said_to_be_marked(on: Desk) -> None:
    id_ = await written(on)
    with acting(Purpose(who="dr-lee", why="undo")):
        await on.orders.ledger.begin_undo(id_, WHY)
    [entry] = await on.entries()
    await on.server.delete(f"http://localhost/fhir/DocumentReference/{entry['id']}")
    [told] = await on.sessions.settle()
    assert "Marked as entered in error and read back" not in told.text


# Answers


async def test_a_refusal_by_a_server_that_has_the_entry_is_not_called_not_written(tmp_path: Path) -> None:
    """Another worker wrote it a moment before: servers say 409 or 412 to the second."""
    async with lied_to(tmp_path) as (on, liar):
        id_, _ = await carded(on)
        liar.lie = lambda sent, status, body: (409, NO) if sent.writes else (status, body)
        told = await on.sessions.approve(id_, YES)
        assert (told.status, len(await on.entries())) == ("written", 1)


async def test_a_refusal_after_a_write_without_an_answer_is_not_final(on: Desk) -> None:
    """The first one is still at work when the second is turned away."""
    id_, _ = await carded(on)
    on.wire.once("lost before")
    on.wire.change = lambda sent: b"{}" if sent.writes else sent.body
    told = await on.sessions.approve(id_, YES)
    assert told.status == "unknown"


async def test_a_second_entry_that_appears_late_is_told(tmp_path: Path) -> None:
    """The server commits the first write when the second one is done, and has not heard of conditions."""
    async with lied_to(tmp_path) as (on, _):
        id_, _ = await carded(on)
        on.wire.once("lost before")

        async def waits(sent: Sent) -> None:
            if sent.writes and len(on.wire.writes) == 2:
                bundle = json.loads(sent.body)
                for entry in bundle["entry"]:
                    entry["request"].pop("ifNoneExist")
                await on.server.post("http://localhost/fhir", json=bundle)
                on.wire.change = lambda s: json.dumps(bundle).encode() if s.writes else s.body

        on.wire.waits = waits
        told = await on.sessions.approve(id_, YES)
        assert len(await on.entries()) == 2
        assert told.status == "differs"


MOMENTS = ("2026-99-99T99:99:99Z", "2026-01-01T00:00:00+99:99", "2026-01-01T23:59:60Z")


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_moment_that_is_none_is_a_difference(moment: str) -> None:
    sent = {"resourceType": "DocumentReference", "date": "2026-01-01T00:00:00.000Z"}
    assert differences(sent, sent | {"date": moment})


@pytest.mark.parametrize("odd", [[], {}, None, 1, True, "x", [[]], {"a": []}])
@pytest.mark.parametrize("field", ["resourceType", "id", "meta"])
def test_whatever_a_server_says_became_of_a_write_is_an_answer_or_an_error_of_ours(odd: Any, field: str) -> None:
    change = Change({"resourceType": "DocumentReference"}, if_none_exist="identifier=a|b")
    shown = {"resourceType": "DocumentReference", "id": "d1"} | {field: odd}
    answer = {"response": {"status": "201", "location": "DocumentReference/d1/_history/1"}, "resource": shown}
    with suppress(EhrError):
        placed({"resourceType": "Bundle", "entry": [answer]}, (change,))


# What is gone, and what stands in the way of others


async def test_an_order_whose_patient_is_gone_keeps_no_other_from_being_finished(on: Desk) -> None:
    await approved(on)
    other, _ = await carded(on, NOTE, BEN)
    with acting(Purpose(who="dr-lee", why="approve")):
        await on.orders.ledger.decide(other, "approved", YES)
    for kind in ("AllergyIntolerance", "Observation"):
        for one in await on.everything(kind):
            if ANN in json.dumps(one):
                await on.server.delete(f"http://localhost/fhir/{kind}/{one['id']}")
    await on.server.delete(f"http://localhost/fhir/Patient/{ANN}")
    told = await on.later(timedelta(minutes=20)).settle()
    assert sorted(one.status for one in told) == ["refused", "written"]


async def test_a_receipt_whose_session_is_gone_keeps_no_other_from_being_noted(on: Desk, tmp_path: Path) -> None:
    ids = [await approved(on), await approved(on)]
    sessions = [(await on.orders.get(id_)).card.session_id for id_ in ids]
    with acting(Purpose(who="dr-lee", why="reconcile")):
        await on.orders.reconcile()

    edit(tmp_path, "DELETE FROM sessions WHERE id = ?", sessions[0])
    await on.sessions.settle()
    assert any(turn.get("receipt") for turn in await on.turns(sessions[1]))


# What a card is bound to


async def test_an_allergy_list_that_cannot_be_read_for_a_moment_does_not_end_the_card(on: Desk) -> None:
    id_, _ = await carded(on, "Add an allergy to penicillin, reaction rash")
    on.wire.trouble = lambda sent: (
        "503 before" if "AllergyIntolerance" in sent.path or "everything" in sent.path else None
    )
    with pytest.raises(DocGemmaError):
        await on.sessions.approve(id_, YES)
    on.wire.trouble = lambda _: None
    assert (await on.sessions.approve(id_, YES)).status == "written"


async def test_a_changed_chart_under_the_same_version_is_noticed(tmp_path: Path) -> None:
    async with lied_to(tmp_path) as (on, liar):

        def one(sent: Sent, status: int, body: Body) -> tuple[int, Body]:
            for entry in body.get("entry", ()) if isinstance(body.get("entry"), list) else ():
                entry.get("resource", {}).get("meta", {})["versionId"] = "1"
            return status, body

        await on.put(medicine(ANN, "losartan 50 mg"))
        liar.lie = one
        id_, _ = await carded(on, "Prescribe metformin 500 mg twice daily by mouth")
        await on.put(medicine(ANN, "dofetilide 500 mcg"))
        with pytest.raises(Conflict):
            await on.sessions.approve(id_, YES)


async def test_of_two_cards_approved_at_once_neither_is_written_unchecked_against_the_other(on: Desk) -> None:
    first, _ = await carded(on, ORDER)
    second, _ = await carded(on, "Prescribe losartan 50 mg once daily by mouth")
    done = await asyncio.gather(
        on.sessions.approve(first, YES), on.sessions.approve(second, YES), return_exceptions=True
    )
    assert len(await on.entries()) == 1, done


async def test_while_an_order_is_unfinished_no_other_is_approved_for_this_patient(on: Desk) -> None:
    first, _ = await carded(on, ORDER)
    second, _ = await carded(on, "Prescribe losartan 50 mg once daily by mouth")
    on.wire.trouble = lambda sent: "lost before" if sent.writes else "503 before" if sent.looks else None
    assert (await on.sessions.approve(first, YES)).status == "unknown"
    with pytest.raises(Conflict):
        await on.sessions.approve(second, YES)
    on.wire.trouble = lambda _: None
    await on.sessions.settle()
    with pytest.raises(Conflict):
        await on.sessions.approve(second, YES)
    assert len(await on.entries()) == 1


@pytest.mark.parametrize("severity", ["high-risk", "low-risk", "life-threatening"])
async def test_every_word_that_is_written_of_an_allergy_stands_on_its_card(severity: str, on: Desk) -> None:
    draft = drafting.allergy(ANN, "penicillin", "rash", severity)
    assert isinstance(draft, Allergy)
    with acting(Purpose(who="dr-lee", why="turn")):
        row = await on.orders.propose(draft)
    await on.sessions.approve(row.id, YES)
    [entry] = await on.entries()
    assert f"Risk of a severe reaction: {entry['criticality']}" in row.card.text


async def test_a_note_of_another_agent_is_not_called_a_persons(on: Desk) -> None:
    args = ClinicalNoteCall(patient_id=ANN, note_type="progress note", note_text="Sleeps well again.")
    with acting(Purpose(who="dr-lee", why="mcp")):
        proposal = await Entries(on.orders).note(args)
    assert "a language model" in proposal.card
    await on.sessions.approve(proposal.approval_id, YES)
    [entry] = await on.entries()
    assert "language model" in entry["description"]
