"""Patients on the page: searched with two identifiers, read under the reader's name, and gaps are said."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx2 as httpx
import pytest

from docgemma.audit.log import AuditLog
from docgemma.clinical import Patient, purpose
from docgemma.config import Settings, ToolServer
from docgemma.ehr.chart.panel import Line, Listed
from docgemma.server.context import Site
from docgemma.server.pages.banner import ELSEWHERE, banner_of, in_few_words, read_panel
from docgemma.server.pages.language import translator
from docgemma.server.pages.templating import environment
from docgemma.tools.results import PatientMatch, PatientPanel

PART = {"X-Fragment": "1", "Accept": "text/html"}


def banner_html(patient: Patient | None, panel: PatientPanel | None = None) -> str:
    shown = banner_of(patient, panel) if patient else None
    scope: dict[str, Any] = {
        "_": translator("en"),
        "banner": shown,
        "session": None,
        "refresh_panel": False,
        "csrf": "c",
    }
    if patient and not patient.confirmed:
        scope["session"] = {"id": "0123456789ab"}
    return " ".join(environment().get_template("part/banner.html").render(scope).split())


def read(allergies: Listed, **person: object) -> PatientPanel:
    facts = {"patient_id": "abc-123", "name": "Ann Lee", "birth_date": "1958-03-12", "sex": "female"} | person
    return PatientPanel(
        status="found", patient=PatientMatch(mrn_tail="4821", **facts), age="68 years", allergies=allergies
    )


ANN = Patient(id="abc-123", banner="Ann Lee, born 1958-03-12, female, MRN …4821")
LISTED = Listed(
    state="listed",
    lines=(
        Line(
            text="Penicillin G: anaphylaxis (severe); criticality high; allergy, medication; active, confirmed",
            short="Penicillin G (high criticality)",
        ),
    ),
)


@pytest.mark.parametrize(
    ("allergies", "said", "unsaid"),
    [
        (LISTED, "Penicillin G: anaphylaxis (severe)", "recorded"),
        (Listed(state="none_recorded"), "No allergies recorded", "No known"),
        (Listed(state="none_known", lines=(Line(text="No known allergy"),)), "No known allergies", "recorded"),
        (Listed(state="not_read"), "Allergies not read", "No known"),
        (Listed(state="partly_read", lines=LISTED.lines), "Allergies, not read completely", "No known"),
    ],
    ids=["listed", "none_recorded", "none_known", "not_read", "partly_read"],
)
def test_each_state_of_the_allergies_has_words_of_its_own(allergies: Listed, said: str, unsaid: str) -> None:
    html = banner_html(ANN, read(allergies))
    assert f"<strong>{said}" in html or f">{said}" in html
    assert unsaid not in html.partition("patient-allergies")[2].partition("<details")[0].replace(
        "not the same as no known", ""
    )
    assert "1958-03-12 (68 years)" in html and "…4821" in html


def test_a_chart_that_gives_no_answer_never_looks_like_no_allergies() -> None:
    for panel in (None, PatientPanel(status="unavailable", message="The record system is down.")):
        html = banner_html(ANN, panel)
        assert "Ann Lee" in html and "1958-03-12" in html and "Allergies not read" in html
        assert "No known" not in html and "No allergies" not in html


def test_the_banner_says_who_is_dead_made_up_gone_or_unsure() -> None:
    html = banner_html(ANN, read(LISTED, deceased=True, fictional=True))
    assert "Deceased" in html and "Fictional" in html
    assert "not in the record system any more" in banner_html(ANN, PatientPanel(status="not_found"))
    unsure = banner_html(ANN.model_copy(update={"confirmed": False}), read(LISTED))
    assert "Looked up, not confirmed." in unsure and 'name="patient_id" value="abc-123"' in unsure
    assert "No patient selected" in banner_html(None)


async def test_a_slow_record_system_is_not_waited_for_and_not_cut_off() -> None:
    answer, read_by = asyncio.Event(), []

    class Slow:
        async def panel(self, patient_id: str) -> PatientPanel:
            await answer.wait()
            read_by.append((purpose.get().who, purpose.get().why, patient_id))
            return PatientPanel(status="unavailable")

    app: Any = SimpleNamespace(charts=Slow(), settings=Settings())
    assert await read_panel(app, "abc-123", "ann", "", wait_s=0.01) is None
    answer.set()
    await asyncio.sleep(0.01)
    assert read_by == [("ann", "page", "abc-123")]
    elsewhere = Settings(tool_servers={"get_patient_chart": ToolServer(url="https://charts.example.org")})
    app = SimpleNamespace(charts=Slow(), settings=elsewhere)
    told = await read_panel(app, "abc-123", "ann", "")
    assert told is not None and told.message == ELSEWHERE


def test_a_name_is_never_markup() -> None:
    html = banner_html(ANN, read(LISTED, name="<img src=x onerror=alert(1)>"))
    assert "<img" not in html and "&lt;img" in html


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("Latex: hives; wheeze (mild); allergy, environment; active", "Latex: hives; wheeze (mild)"),
        ("Peanut: reaction not recorded; clinical status not recorded", "Peanut: reaction not recorded"),
        ("An allergy entry that cannot be read (a1)", "An allergy entry that cannot be read (a1)"),
        (
            "Bee venom: Hives; criticality high; recorded as inactive, confirmed",
            "Bee venom: Hives (recorded as inactive)",
        ),
    ],
    ids=["two reactions", "no reaction", "unreadable", "past"],
)
def test_an_allergy_keeps_all_its_reactions(line: str, short: str) -> None:
    told = in_few_words(Line(text=line))
    assert (told.text, told.whole) == (short, line)


async def test_searching_tells_two_identifiers_and_what_is_only_similar(client: httpx.AsyncClient) -> None:
    exact = (await client.get("/patients", params={"q": "Maria Garcia"})).json()
    assert exact["matches"] and all(match["birth_date"] and match["mrn_tail"] for match in exact["matches"])
    html = (await client.get("/patients", params={"q": "Maria Garsia"}, headers=PART)).text
    assert "similar name" in html and "Maria" in html
    half = (await client.get("/patients", params={"q": "maria garc"})).json()["matches"]
    assert half and all("Garcia" in match["name"] and not match["exact"] for match in half)
    nobody = (await client.get("/patients", params={"q": "Zebulon Quux"}, headers=PART)).text
    assert "Nobody was found." in nobody


async def test_too_little_to_search_by_finds_nobody(client: httpx.AsyncClient) -> None:
    for q in ("", "m", "  .", "%"):
        assert "at least two" in (await client.get("/patients", params={"q": q}, headers=PART)).text
        assert (await client.get("/patients", params={"q": q})).status_code == 400
    for unknown in ("nobody-1", "a%20b", "x'--", "..%2f..%2fetc"):
        assert (await client.get(f"/patients/{unknown}/panel")).status_code == 404, unknown


async def test_an_id_and_a_birth_date_find_their_patient(client: httpx.AsyncClient) -> None:
    by_id = (await client.get("/patients", params={"q": "abc-123"})).json()["matches"]
    assert [match["patient_id"] for match in by_id] == ["abc-123"]
    born = by_id[0]["birth_date"]
    by_date = (await client.get("/patients", params={"q": f"{by_id[0]['name']} {born}"})).json()["matches"]
    assert [match["patient_id"] for match in by_date] == ["abc-123"]


async def test_the_panel_shows_the_chart_and_is_audited(client: httpx.AsyncClient, site: Site) -> None:
    session = await site.app.store.create_session("local")
    html = (await client.get("/patients/abc-123/panel", params={"session": session.id}, headers=PART)).text
    for title in ("Allergies", "Active problems", "Active medications", "Laboratory results", "<svg"):
        assert title in html
    assert "style=" not in html
    entries = await AuditLog(site.app.store.database).entries(limit=5)
    assert any((e.who, e.why, e.session_id, e.patients) == ("local", "page", session.id, ("abc-123",)) for e in entries)
