"""Conversations on the page: found again, about one patient, never somebody else's, and told as they stand now."""

from __future__ import annotations

import json

import httpx2 as httpx
import pytest

from docgemma.agent.session import Question
from docgemma.clinical import Patient
from docgemma.config import Settings, ToolServer
from docgemma.orders.model import Decision
from docgemma.server.context import Site
from docgemma.server.pages.conversation import PAGE, last_question
from docgemma.server.pages.mode import Reach, mode_of, reaches
from docgemma.store.rows import Turn
from docgemma.store.sessions import Store

PAGE_OF = {"Accept": "text/html"}
PART = {"X-Fragment": "1", "Accept": "text/html"}
JOHN, NAME = "abc-123", "John Smith"


async def asked(site: Site, text: str, session_id: str | None = None, patient_id: str | None = None) -> str:
    question = Question(text, session_id=session_id, patient_id=patient_id, owner="local")
    return (await site.app.sessions.ask(question)).session_id


async def patient_of(store: Store, session_id: str) -> Patient | None:
    return (await store.get_session(session_id)).patient


async def test_a_conversation_is_about_one_patient_for_good(client: httpx.AsyncClient, site: Site) -> None:
    opened = (await client.post("/sessions", json={})).json()
    session, store = opened["id"], site.app.store
    assert opened["page"] == f"/sessions/{session}"
    chosen = await client.post(f"/sessions/{session}/patient", data={"patient_id": JOHN})
    assert chosen.json() == {"id": session, "page": f"/sessions/{session}"}
    pinned = await patient_of(store, session)
    assert pinned is not None and pinned.id == JOHN and pinned.confirmed and NAME in pinned.banner
    others = (await client.get("/patients", params={"q": "James Wilson"})).json()["matches"]
    other = (await client.post(f"/sessions/{session}/patient", json={"patient_id": others[0]["patient_id"]})).json()
    assert other["id"] != session
    assert await patient_of(store, session) == pinned
    assert (await patient_of(store, other["id"])) is not None
    again = (await client.post(f"/sessions/{session}/patient", json={"patient_id": JOHN})).json()
    assert again["id"] == session
    for unknown in ("nobody-9", NAME):
        assert (await client.post("/sessions", json={"patient_id": unknown})).status_code == 404
        assert (await client.post(f"/sessions/{session}/patient", json={"patient_id": unknown})).status_code == 404


async def test_a_chart_that_was_slow_for_the_page_is_read_again_by_itself_once(
    client: httpx.AsyncClient, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = (await site.app.store.create_session("local", patient=Patient(id=JOHN))).id
    button = f'data-load data-get="/sessions/{session}/banner"'
    assert button not in (await client.get(f"/sessions/{session}", headers=PAGE_OF)).text
    monkeypatch.setattr("docgemma.server.routes.sessions.QUICK_S", 0.0)
    page = (await client.get(f"/sessions/{session}", headers=PAGE_OF)).text
    assert "Allergies not read" in page and button in page
    monkeypatch.setattr("docgemma.server.routes.sessions.PATIENT_S", 0.0)
    part = (await client.get(f"/sessions/{session}/banner", headers=PART)).text
    assert "Allergies not read" in part and button not in part, "or it would go on for ever"


async def test_one_who_was_only_looked_up_is_confirmed_by_a_person(client: httpx.AsyncClient, site: Site) -> None:
    session = (await site.app.store.create_session("local", patient=Patient(id=JOHN, confirmed=False))).id
    html = (await client.get(f"/sessions/{session}/banner", headers=PART)).text
    assert "Looked up, not confirmed." in html and NAME in html
    form = await client.post(f"/sessions/{session}/patient", data={"patient_id": JOHN}, headers=PAGE_OF)
    assert (form.status_code, form.headers["location"]) == (303, f"/sessions/{session}")
    html = (await client.get(f"/sessions/{session}/banner", headers=PART)).text
    assert "not confirmed" not in html and f"/patients/{JOHN}/panel?session={session}" in html


async def test_titles_are_given_and_bounded(client: httpx.AsyncClient, site: Site) -> None:
    session = (await site.app.store.create_session("local")).id
    address = f"/sessions/{session}"
    assert (await client.patch(address, json={"title": "  Ward\u202e \n 4 "})).json()["title"] == "Ward 4"
    part = await client.patch(address, data={"title": "<b>Ward</b>"}, headers=PART)
    assert "&lt;b&gt;Ward" in part.text and "<b>" not in part.text
    for wrong in ({"title": ""}, {"title": " \n"}, {"title": "x" * 121}, {}, {"title": "x", "owner": "eve"}, [1]):
        assert (await client.patch(address, content=json.dumps(wrong), headers={"Content-Type": "application/json"})
                ).status_code in (400, 422), wrong  # fmt: skip
    assert (await site.app.store.get_session(session)).title == "<b>Ward</b>"


async def test_somebody_elses_conversation_is_like_one_that_never_was(client: httpx.AsyncClient, site: Site) -> None:
    store = site.app.store
    theirs = (await store.create_session("eve", title="secret")).id
    for ident in (theirs, "000000000000", "a b"):
        for method, path, body in (
            ("GET", "", None),
            ("GET", "/export", None),
            ("GET", "/banner", None),
            ("GET", "/patients?q=maria", None),
            ("PATCH", "", {"title": "mine"}),
            ("POST", "/title", {"title": "mine"}),
            ("POST", "/patient", {"patient_id": JOHN}),
        ):
            answer = await client.request(method, f"/sessions/{ident}{path}", json=body)
            assert (answer.status_code, "secret" in answer.text) == (404, False), (method, path)
    assert (await client.get(f"/patients/{JOHN}/panel", params={"session": theirs})).status_code == 404
    assert (await store.get_session(theirs)).title == "secret"
    assert "secret" not in (await client.get("/sessions")).text


async def test_the_list_goes_on_where_it_ended(client: httpx.AsyncClient, site: Site) -> None:
    made = [(await site.app.store.create_session("local", title=f"number {n}")).id for n in range(PAGE + 2)]
    first = (await client.get("/sessions")).json()
    rest = (await client.get("/sessions", params={"before": first["before"]})).json()
    assert [each["id"] for each in (*first["sessions"], *rest["sessions"])] == made[::-1]
    assert (len(first["sessions"]), rest["before"]) == (PAGE, None)
    here = {"Referer": f"http://127.0.0.1:8600/sessions/{made[-1]}"}
    part = (await client.get("/sessions", headers=PART | here)).text
    assert "/sessions?before=" in part and f'href="/sessions/{made[-1]}" aria-current="page"' in part
    page = await client.get("/sessions", params={"before": first["before"]}, headers=PAGE_OF)
    assert page.status_code == 200 and f"/sessions/{made[0]}" in page.text and f"/sessions/{made[-1]}" not in page.text


async def test_a_conversation_with_nothing_in_it_is_not_in_the_list(client: httpx.AsyncClient, site: Site) -> None:
    empty = (await site.app.store.create_session("local")).id
    about = (await client.post("/sessions", json={"patient_id": JOHN})).json()["id"]
    listed = [each["id"] for each in (await client.get("/sessions")).json()["sessions"]]
    assert about in listed and empty not in listed


async def test_a_prepared_entry_is_marked_in_the_list(client: httpx.AsyncClient, site: Site) -> None:
    session = await asked(site, "Add an allergy to latex: hives", patient_id=JOHN)
    (card,) = await site.app.orders.listed(session=session)
    assert [each["waiting"] for each in (await client.get("/sessions")).json()["sessions"]] == [True]
    page = await client.get(f"/sessions/{session}", headers=PAGE_OF)
    assert page.status_code == 200 and f"/orders/{card.id}/approve" in page.text and NAME in page.text
    await site.app.sessions.approve(card.id, Decision(who="local", acknowledged=True, may_prescribe=True))
    assert [each["waiting"] for each in (await client.get("/sessions")).json()["sessions"]] == [False]
    page = await client.get(f"/sessions/{session}", headers=PAGE_OF)
    assert f"/orders/{card.id}/approve" not in page.text and "latex" in page.text.partition("<main")[0].lower()
    export = await client.get(f"/sessions/{session}/export", params={"format": "markdown"})
    assert export.headers["content-disposition"] == f'attachment; filename="docgemma-{session}.md"'
    assert "State now: written" in export.text and "by local" in export.text and "Not reviewed" in export.text
    data = (await client.get(f"/sessions/{session}/export")).json()
    assert [turn["outcome"] for turn in data["turns"]] == ["approval", "answer"]
    assert (await client.get(f"/sessions/{session}/export", params={"format": "exe"})).status_code == 422


async def test_only_the_open_question_can_be_answered(client: httpx.AsyncClient, site: Site) -> None:
    session = await asked(site, "What meds is James Wilson on?")
    live = (await client.get(f"/sessions/{session}", headers=PAGE_OF)).text
    assert "data-say=" in live and "No patient selected" in live
    await asked(site, "Check FDA warnings for dofetilide", session)
    later = (await client.get(f"/sessions/{session}", headers=PAGE_OF)).text
    assert "data-say=" not in later.partition("<main")[2].partition("dofetilide")[0]


async def test_a_page_comes_back_to_a_turn_that_runs_or_was_cut_off(client: httpx.AsyncClient, site: Site) -> None:
    store = site.app.store
    session = (await store.create_session("local")).id
    await store.begin_turn(session, "t-running", "Is it safe?", holder="elsewhere", lease_seconds=60)
    page = (await client.get(f"/sessions/{session}", headers=PAGE_OF)).text
    assert 'data-stream="/runs/t-running/events' in page and page.count("Is it safe?") >= 1
    await store.interrupt_turn(session, "t-running", holder="elsewhere")
    page = (await client.get(f"/sessions/{session}", headers=PAGE_OF)).text
    assert "Run again" in page and "data-stream" not in page
    told = (await client.get(f"/sessions/{session}")).json()
    assert told["turns"][0]["status"] == "interrupted"


async def test_a_new_page_may_begin_with_a_patient(client: httpx.AsyncClient, site: Site) -> None:
    empty = await client.get("/ask", headers=PAGE_OF)
    assert empty.status_code == 200 and "No patient selected" in empty.text
    about = await client.get("/ask", params={"patient": JOHN}, headers=PAGE_OF)
    assert NAME in about.text and f'name="patient_id" value="{JOHN}"' in about.text
    spoken = await client.get("/ask", params={"patient": JOHN}, headers=PAGE_OF | {"Accept-Language": "vi"})
    assert spoken.status_code == 200 and NAME in spoken.text and 'lang="vi"' in spoken.text
    assert (await client.get("/ask", params={"patient": "nobody-9"}, headers=PAGE_OF)).status_code == 404
    assert await site.app.store.list_sessions("local") == ()
    mode = await mode_of(site.app)
    assert (mode.offline, mode.demonstration, mode.model) == (True, True, "")
    assert "Demonstration data, not reviewed by a clinician" in empty.text and "Offline" in empty.text


def test_a_receipt_does_not_answer_the_question_before_it() -> None:
    def turn(by: str) -> Turn:
        return Turn(by, "s", "done", by, "", None, None, "", None)

    assert last_question([turn("agent"), turn("agent"), turn("person")]) == 1
    assert last_question([turn("person")]) == -1


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (Settings(sources="pack"), ()),
        (Settings(sources="auto"), (Reach("labels", "openFDA, DailyMed, RxNorm"),)),
        (Settings(sources="pack", fhir_url="http://127.0.0.1:8080/fhir", model_url="http://localhost:8000/v1"), ()),
        (Settings(sources="pack", fhir_url="https://u:p@ehr.example.org/fhir"), (Reach("charts", "ehr.example.org"),)),
        (Settings(sources="pack", umls_api_key="k"), (Reach("terms", "UMLS UTS"),)),
        (
            Settings(sources="pack", database_url="postgresql://u:secret@db.example.org/x"),
            (Reach("store", "db.example.org"),),
        ),
        (
            Settings(sources="pack", tool_servers={"search_patient": ToolServer(url="https://t.example.org/mcp")}),
            (Reach("tools", "t.example.org"),),
        ),
    ],
    ids=["offline", "live labels", "this machine", "charts", "terms", "store", "tools"],
)  # fmt: skip
def test_every_other_machine_that_may_be_asked_is_named(settings: Settings, found: tuple[Reach, ...]) -> None:
    assert reaches(settings) == found
