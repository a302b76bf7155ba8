"""A literature service or trial register on a bad day, through the whole agent: one plain sentence, in time, and never
"nothing found".
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from tests.sources import document_files as packs
from tests.support.charts import clinic
from tests.support.faulty_http import FAULTS, Answer, Fault, Step, faulty
from tests.support.searching import SILENT

QUESTIONS = {
    "search_medical_literature": "Find studies on colchicine in gout",
    "find_clinical_trials": "Find trials for gout",
}
SERVICES = {"search_medical_literature": "europepmc_url", "find_clinical_trials": "ctgov_url"}
NAMES = {"search_medical_literature": "Europe PMC", "find_clinical_trials": "ClinicalTrials.gov"}
KINDS: dict[Fault, frozenset[str]] = {
    "refused": frozenset({"service_unavailable"}),
    "reset": frozenset({"invalid_response", "service_unavailable"}),
    "http_429": frozenset({"rate_limit", "service_unavailable"}),
    "http_429_retry_after": frozenset({"rate_limit"}),
    "http_500": frozenset({"server_error", "service_unavailable"}),
    "parse_exception": frozenset({"server_error", "service_unavailable"}),
    "slow_drip": frozenset({"timeout", "service_unavailable"}),
    "html": frozenset({"invalid_response"}),
    "cut_json": frozenset({"invalid_response", "service_unavailable"}),
    "cut_connection": frozenset({"invalid_response", "service_unavailable"}),
    "huge_body": frozenset({"invalid_response"}),
    "redirect_off_host": frozenset({"invalid_response"}),
    "empty": frozenset({"invalid_response"}),
    "timeout": frozenset({"timeout", "service_unavailable"}),
}
"""What the fault is called. After three in a row the service is left alone, and that is called what it is."""

SAID: dict[str, list[tuple[str, Answer]]] = {
    "search_medical_literature": [
        ("an error with status 200", Answer(body=b'{"version": "6.9", "errCode": 0, "errMsg": "No."}')),
        ("a bare envelope", Answer(body=b'{"version": "6.9"}')),
        ("an error bean", Answer(body=b"<errorBean><errCode>0</errCode></errorBean>", content_type="application/xml")),
        ("hits that do not come", Answer(body=b'{"hitCount": 5, "resultList": {"result": []}}')),
        ("a list", Answer(body=b"[]")),
    ],
    "find_clinical_trials": [
        ("an unknown parameter", Answer(400, b"`filter.phase` is unknown parameter", content_type="text/plain")),
        ("a word with status 200", Answer(body=b"Too busy", content_type="text/plain")),
        ("no studies at all", Answer(body=b'{"totalCount": 5}')),
        ("studies that are none", Answer(body=b'{"totalCount": 1, "studies": [{"protocolSection": {}}]}')),
        ("a list", Answer(body=b"[]")),
    ],
}
DEADLINE_S = 1.2
MOST_ATTEMPTS = 3
SOOTHING = ("no article was found", "lists no trials", "nothing was found", "no evidence")


async def asked(
    home: Path, tool: str, step: Step, sources: str = "live", deadline_s: float = DEADLINE_S
) -> tuple[TurnRecord, int]:
    async with faulty(step) as server:
        given = SILENT | {SERVICES[tool]: server.url, "sources": sources, "tool_deadline_s": deadline_s}
        async with clinic(home, **given) as desk, asyncio.timeout(30):
            return await desk.ask(QUESTIONS[tool]), server.requests


def check(record: TurnRecord, tool: str) -> None:
    (call,) = record.tool_calls
    assert (call.tool, call.status, record.outcome) == (tool, "unavailable", "answer")
    assert 1 <= call.attempts <= MOST_ATTEMPTS
    assert (record.confidence, record.sources) == ("low", ())
    assert any(line.startswith("Not checked: ") for line in record.notices)
    said = "\n".join([record.response, *record.notices]).lower()
    assert not any(word in said for word in SOOTHING)
    assert "traceback" not in said and "127.0.0.1" not in said and "http" not in said


@pytest.mark.parametrize("tool", QUESTIONS)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_told_as_what_it_is(fault: Fault, tool: str, tmp_path: Path) -> None:
    record, requests = await asked(tmp_path, tool, fault)
    check(record, tool)
    (call,) = record.tool_calls
    assert call.error_type in KINDS[fault]
    assert requests <= 2 * call.attempts


@pytest.mark.parametrize("tool", QUESTIONS)
async def test_an_error_that_looks_like_an_answer_is_an_error(tool: str, tmp_path: Path) -> None:
    for number, (name, answer) in enumerate(SAID[tool]):
        record, _ = await asked(tmp_path / str(number), tool, answer)
        check(record, tool)
        assert NAMES[tool] in record.response, name


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a pack of one article and one of one trial."""
    home = tmp_path_factory.mktemp("packed")
    packs.articles(home / "packs", [packs.article(90000001, "Colchicine in gout", "It worked.", terms=["Gout"])])
    packs.registered(home / "packs", [packs.trial(1, "Colchicine in gout", "Gout")])
    return home


@pytest.mark.parametrize("tool", QUESTIONS)
@pytest.mark.parametrize("fault", ["refused", "http_500", "html", "timeout", "http_429_retry_after"])
async def test_a_pack_answers_in_place_of_a_service_that_fails(
    fault: Fault, tool: str, packed: Path, tmp_path: Path
) -> None:
    shutil.copytree(packed / "packs", tmp_path / "packs")
    record, _ = await asked(tmp_path, tool, fault, "auto", deadline_s=2.5)
    (call,) = record.tool_calls
    assert (call.tool, call.status, call.origin, call.attempts) == (tool, "found", "pack", 1)
    assert record.confidence == "medium"
    assert f"From the pack of {packs.DAY}" in record.response
    assert any(line.startswith("Not checked: ") and NAMES[tool] in line for line in record.notices)
