"""Nothing of a patient reaches a public service, its log or its cache: what arrives at the sockets is read."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from langgraph.runtime import Runtime

from docgemma.agent.arguments import Sourced
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.state import State
from docgemma.clinical import Patient
from docgemma.entities.model import Entities
from tests.support.charts import clinic, put_demo_charts
from tests.support.faulty_http import Answer, faulty

NAME = "Kwame Mensah"
NOTHING = Answer(404, b'{"error": {"code": "NOT_FOUND", "message": "No matches found!"}}')
QUESTIONS = (
    "Find patient Kwame Mensah and check his chart",
    "Check FDA warnings for his warfarin",
    "Kwame Mensah takes warfarin. Is ibuprofen safe for Kwame Mensah?",
    "Check drug safety of Kwame Mensah",
    "Does ibuprofen interact with his meds?",
    "Check interactions between Kwame Mensah and warfarin",
    "Any boxed warning for kwamensahol for Kwame Mensah born {born}?",
    "check fda warnings for {id}",
    "interactions of warfarin and {id}",
    "drug safety {born}",
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put_demo_charts(tmp_path)
    return tmp_path


@pytest.mark.parametrize("pinned", [True, False], ids=["on screen", "only named"])
async def test_a_patient_never_leaves(pinned: bool, home: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with faulty(NOTHING) as server:
        given = {"openfda_url": server.url, "dailymed_url": server.url, "rxnav_url": server.url, "sources": "auto"}
        async with clinic(home, **given) as desk:
            found = await desk.ask(QUESTIONS[0])
            options = found.clarification.options if found.clarification else ()
            patient = options[0].value if options else found.patient.id if found.patient else ""
            banner = options[0].label if options else found.patient.banner if found.patient else ""
            told = re.search(r"born (\d{4}-\d\d-\d\d)", banner)
            assert patient and told
            session = None
            for question in QUESTIONS[1:]:
                asked = question.format(id=patient, born=told[1])
                more = {"session_id": session} if session else {"patient_id": patient} if pinned else {}
                session = (await desk.ask(asked, **more)).session_id
        assert server.requests > 0, "nothing was asked, so nothing was proved"
        sent = "\n".join(server.heads)
    year = told[1][:4]
    kept = (home / "cache.sqlite").read_bytes().decode("latin-1")
    logged = "\n".join(f"{entry.name} {entry.getMessage()}" for entry in caplog.records if "docgemma" in entry.name)
    assert "127.0.0.1: status 404" in logged, "the log was not heard"
    for place in (sent, kept, logged):
        plain = re.sub(r"%20|[+_]", " ", place).lower()
        assert NAME.lower() not in plain
        assert patient.lower() not in plain
        assert told[1] not in plain
        assert not re.search(rf"\b\d{{1,2}}[/.]\d{{1,2}}[/.]{year}\b", plain)


KWAME = Patient(id="kwm-7731", banner="Kwame Mensah, born 1967-08-07, male, MRN …6541")


@pytest.mark.parametrize(
    "drug", ["warfarin for Kwame Mensah", "MENSAH, Kwame", "tablets of kwm-7731", "pills, born 7 August 1967"]
)
async def test_a_call_that_names_the_patient_on_screen_is_not_sent(drug: str, tmp_path: Path) -> None:
    """Whoever filled in the argument: no understanding of the request stands between it and the socket here."""
    async with faulty(NOTHING) as server:
        given = {"openfda_url": server.url, "dailymed_url": server.url, "rxnav_url": server.url, "sources": "live"}
        async with clinic(tmp_path, **given) as desk:
            state: State = {
                "tool": "check_drug_safety",
                "args": {"drug_name": Sourced(drug, "message")},
                "entities": Entities(),
                "request": drug,
                "missing": (),
                "runs": (),
                "steps": 0,
                "retries": 0,
                "pinned": KWAME,
            }
            update = await tool_execute(state, Runtime(context=desk.sessions._services))
    assert update["runs"][-1].result.error_type == "patient_data"
    assert server.requests == 0
