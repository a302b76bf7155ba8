"""Deciding over the web: bound to the card that was read, once, by whom it belongs to, and never by a typed word."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from docgemma.agent.session import Question
from docgemma.clinical import Purpose, acting
from docgemma.config import Settings
from docgemma.orders import drafting
from docgemma.orders.model import Decision, Draft, Note, Prescription, Row
from docgemma.server.context import Site
from docgemma.wiring.app import App
from tests.support.charts import put_demo_charts

JOHN = "abc-123"
"""Allergic to sulfonamide antibiotics."""

SCRIPT = {"X-Fragment": "1"}
BROWSER = {"Accept": "text/html"}


@pytest.fixture
def settings(home: Path) -> Settings:
    """Nobody here may prescribe. The charts are made once for all tests."""
    made = Settings(home=home, model="rules", sources="pack", prescriber=False)
    put_demo_charts(home)
    return made


def note() -> Draft:
    made = drafting.note(JOHN, "progress note", "Seen at night, sleeps well.")
    assert isinstance(made, Note)
    return made


def prescription(name: str, dose: str, frequency: str) -> Draft:
    made = drafting.prescription(JOHN, name, dose, frequency)
    assert isinstance(made, Prescription)
    return made


async def proposed(app: App, draft: Draft, who: str = "local", **purpose: Any) -> Row:
    with acting(Purpose(who=who, why="turn", **purpose)):
        return await app.orders.propose(draft)


async def state(app: App, row: Row) -> str:
    return (await app.orders.get(row.id)).state


async def test_a_note_is_written_once_however_often_it_is_approved(site: Site, client: httpx.AsyncClient) -> None:
    row = await proposed(site.app, note())
    asked = (client.post(f"/orders/{row.id}/approve", data={"hash": row.hash}) for _ in range(5))
    answers = await asyncio.gather(*asked)
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.json()["state"] for answer in answers} == {"written"}
    assert len({answer.json()["resource"] for answer in answers}) == 1
    assert answers[0].json()["decision"]["who"] == "local"


async def test_the_script_gets_the_card_as_it_stands_and_a_browser_its_conversation(
    site: Site, client: httpx.AsyncClient
) -> None:
    record = await site.app.sessions.ask(
        Question("Save a progress note: seen at night, sleeps well.", patient_id=JOHN, owner="local")
    )
    assert record.approval is not None
    row = await site.app.orders.get(record.approval.id)
    shown = await client.get(f"/orders/{row.id}", headers=SCRIPT)
    assert "Approve: Clinical note" in shown.text and row.hash in shown.text and "from this message" in shown.text
    answer = await client.post(f"/orders/{row.id}/approve", data={"hash": row.hash}, headers=SCRIPT)
    assert answer.status_code == 200 and "Approved by local" in answer.text and "Undo" in answer.text
    plain = await client.post(f"/orders/{row.id}/approve", data={"hash": row.hash}, headers=BROWSER)
    assert plain.status_code == 303
    assert plain.headers["location"] == f"/sessions/{record.session_id}#card-{row.id}"
    page = await client.get(f"/sessions/{record.session_id}", headers=BROWSER)
    assert page.text.count(f'id="card-{row.id}"') == 1 and "Written to the chart and read back" in page.text


async def test_a_decision_without_the_hash_of_this_card_changes_nothing(site: Site, client: httpx.AsyncClient) -> None:
    row = await proposed(site.app, note())
    for action in ("approve", "reject", "undo"):
        for hash_, code in (("", 422), ("0" * 64, 409), (row.hash[:-1], 409)):
            answer = await client.post(f"/orders/{row.id}/{action}", json={"hash": hash_, "reason": "because I say so"})
            assert answer.status_code == code and answer.json()["error"]
    assert await state(site.app, row) == "proposed"


async def test_a_stop_needs_a_reason_in_words_and_the_page_says_so_in_its_own(
    site: Site, client: httpx.AsyncClient
) -> None:
    row = await proposed(site.app, prescription("sulfamethoxazole and trimethoprim", "800 mg", "twice daily"))
    assert row.card.hard_stops
    seen = {"hash": row.hash, "acknowledge": "true"}
    for override, code in (("", 409), ("ok", 400), ("1234567890", 400)):
        answer = await client.post(f"/orders/{row.id}/approve", data=seen | {"override": override}, headers=SCRIPT)
        assert answer.status_code == code
        assert "--" not in answer.json()["error"] and "`" not in answer.json()["error"]
        assert await state(site.app, row) == "proposed"
    reason = "Tolerated it last year, the label is wrong"
    answer = await client.post(f"/orders/{row.id}/approve", data=seen | {"override": reason})
    assert answer.json()["state"] == "written" and answer.json()["decision"]["override"] == reason


async def test_what_was_not_checked_has_to_be_acknowledged(site: Site, client: httpx.AsyncClient) -> None:
    row = await proposed(site.app, prescription("amlodipine", "5 mg", "once daily"))
    assert row.card.not_checked and not row.card.hard_stops
    answer = await client.post(f"/orders/{row.id}/approve", json={"hash": row.hash})
    assert answer.status_code == 400 and "interaction" in answer.json()["error"]
    assert "--acknowledge" not in answer.json()["error"]
    forged = {"hash": row.hash, "acknowledge": True, "who": "pru", "may_prescribe": True}
    answer = await client.post(f"/orders/{row.id}/approve", json=forged)
    assert answer.json()["state"] == "written" and answer.json()["decision"]["who"] == "local"
    assert "DRAFT" in answer.json()["receipt"]["text"], "nobody here may prescribe, whatever a request says"


async def test_a_reason_for_a_stop_that_is_not_there_is_refused(site: Site, client: httpx.AsyncClient) -> None:
    row = await proposed(site.app, note())
    answer = await client.post(f"/orders/{row.id}/approve", json={"hash": row.hash, "override": "just to be sure"})
    assert answer.status_code == 400 and await state(site.app, row) == "proposed"


async def test_rejecting_and_undoing(site: Site, client: httpx.AsyncClient) -> None:
    row = await proposed(site.app, note())
    answer = await client.post(f"/orders/{row.id}/reject", data={"hash": row.hash, "reason": "not now"}, headers=SCRIPT)
    assert "Rejected by local" in answer.text and "not now" in answer.text and "<form" not in answer.text
    assert (await client.post(f"/orders/{row.id}/approve", data={"hash": row.hash})).status_code == 409
    other = await proposed(site.app, prescription("amlodipine", "5 mg", "once daily"))
    seen = {"hash": other.hash}
    await client.post(f"/orders/{other.id}/approve", json=seen | {"acknowledge": True})
    assert (await client.post(f"/orders/{other.id}/undo", json=seen | {"reason": "oops"})).status_code == 400
    answer = await client.post(f"/orders/{other.id}/undo", json=seen | {"reason": "Entered for the wrong day"})
    assert answer.json()["state"] == "undone" and answer.json()["approval"]["who"] == "local"


async def test_checking_again_finds_out_what_came_of_an_unknown_write(site: Site, client: httpx.AsyncClient) -> None:
    row = await proposed(site.app, note())
    ledger = site.app.orders.ledger
    with acting(Purpose(who="local", why="approve")):
        await ledger.decide(row.id, "approved", Decision(who="local", may_prescribe=True))
        await ledger.claim(row.id, "gone", 0)
        await ledger.settle(row.id, "gone", "unknown")
    card = await client.get(f"/orders/{row.id}", headers=SCRIPT)
    assert "outcome unknown, checking" in card.text and "Check again" in card.text
    answer = await client.post(f"/orders/{row.id}/approve", data={"hash": row.hash}, headers=SCRIPT)
    assert "Written to the chart and read back" in answer.text
    assert await state(site.app, row) == "written"


async def test_a_typed_yes_approves_nothing(site: Site) -> None:
    sessions = site.app.sessions
    first = await sessions.ask(Question("Prescribe amlodipine 5 mg once daily", patient_id=JOHN, owner="local"))
    assert first.approval is not None
    for text in ("yes", "approve", "yes, approve it", "ok, go ahead"):
        await sessions.ask(Question(text, session_id=first.session_id, owner="local"))
    assert (await site.app.orders.get(first.approval.id)).state != "written"


async def test_another_users_card_is_as_unknown_as_one_that_never_was(site: Site, client: httpx.AsyncClient) -> None:
    row = await proposed(site.app, note(), who="pru")
    body = {"hash": row.hash, "reason": "because I say so"}
    for way in ("", "/approve", "/reject", "/undo"):
        theirs = await (client.post(f"/orders/{row.id}{way}", json=body) if way else client.get(f"/orders/{row.id}"))
        never = await (client.post(f"/orders/0000000000{way}", json=body) if way else client.get("/orders/0000000000"))
        assert theirs.status_code == never.status_code == 404
        assert theirs.json()["error"].replace(row.id, "ID") == never.json()["error"].replace("0000000000", "ID")
    assert await state(site.app, row) == "proposed"


async def test_a_record_and_the_way_it_took(site: Site, client: httpx.AsyncClient) -> None:
    record = await site.app.sessions.ask(Question("Check FDA warnings for dofetilide", owner="local"))
    told = await client.get(f"/turns/{record.turn_id}")
    assert told.json() == record.model_dump(mode="json")
    path = await client.get(f"/turns/{record.turn_id}/path", headers=SCRIPT)
    assert path.text.startswith("<svg") and "style=" not in path.text
    assert (await client.get("/turns/nobody")).status_code == 404
