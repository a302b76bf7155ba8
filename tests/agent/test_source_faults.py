"""Labels, articles or trials on a bad day, through the whole agent: one plain sentence, in time, and never "nothing
found".
"""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.record import TurnRecord
from tests.sources import document_files as packs
from tests.support.charts import clinic
from tests.support.faulty_http import FAULTS, Answer, Fault, Step, faulty
from tests.support.pharmacy import CUT_OFF
from tests.support.searching import SILENT


@dataclass(frozen=True)
class Source:
    """A question that only this source can answer, where the source is, and how many things it is asked about."""

    question: str
    setting: str
    name: str
    given: dict[str, Any]
    asked: int = 1
    deadline_s: float = 1.2


SOURCES = {
    "check_drug_safety": Source("Check FDA warnings for dofetilide", "openfda_url", "openFDA", CUT_OFF, deadline_s=2.5),
    "check_drug_interactions": Source(  # two drugs that the shipped table says nothing of
        "Check interactions between loratadine and amoxicillin", "openfda_url", "openFDA", CUT_OFF, 2, 2.5
    ),
    "search_medical_literature": Source("Find studies on colchicine in gout", "europepmc_url", "Europe PMC", SILENT),
    "find_clinical_trials": Source("Find trials for gout", "ctgov_url", "ClinicalTrials.gov", SILENT),
}
DRUGS, SEARCHES = tuple(SOURCES)[:2], tuple(SOURCES)[2:]
PAIR_OF_THE_TABLE = "Check interactions between warfarin and ibuprofen"
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

OF_LABELS: dict[Fault, frozenset[str]] = KINDS | {"parse_exception": frozenset({"invalid_response"})}
LOOK_LIKE_ANSWERS: dict[str, list[tuple[str, Answer]]] = {
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
MOST_ATTEMPTS = 3
SOOTHING = (
    *("no interaction", "no warning", "is safe", "neither label"),
    *("no article was found", "lists no trials", "nothing was found", "no evidence"),
)
OFTEN: tuple[Fault, ...] = ("refused", "http_500", "html", "timeout", "http_429_retry_after")


async def asked(
    home: Path, tool: str, step: Step, sources: str = "live", question: str = "", deadline_s: float = 0
) -> tuple[TurnRecord, int]:
    source = SOURCES[tool]
    async with faulty(step) as server:
        given = source.given | {source.setting: server.url, "tool_deadline_s": deadline_s or source.deadline_s}
        async with clinic(home, sources=sources, **given) as desk, asyncio.timeout(30):
            return await desk.ask(question or source.question), server.requests


def check(record: TurnRecord, tool: str) -> None:
    (call,) = record.tool_calls
    assert (call.tool, call.status, record.outcome) == (tool, "unavailable", "answer")
    assert 1 <= call.attempts <= MOST_ATTEMPTS
    assert (record.confidence, record.sources) == ("low", ())
    assert tool in SEARCHES or "not checked" in record.response
    assert any(line.startswith("Not checked: ") for line in record.notices)
    said = "\n".join([record.response, *record.notices]).lower()
    assert not any(word in said for word in SOOTHING)
    assert "traceback" not in said and "127.0.0.1" not in said and "http" not in said


@pytest.mark.parametrize("tool", SOURCES)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_told_as_what_it_is(fault: Fault, tool: str, tmp_path: Path) -> None:
    record, requests = await asked(tmp_path, tool, fault)
    check(record, tool)
    (call,) = record.tool_calls
    assert call.error_type in (OF_LABELS if tool in DRUGS else KINDS)[fault]
    assert requests <= 2 * SOURCES[tool].asked * call.attempts


@pytest.mark.parametrize("tool", SEARCHES)
async def test_an_error_that_looks_like_an_answer_is_an_error(tool: str, tmp_path: Path) -> None:
    for number, (name, answer) in enumerate(LOOK_LIKE_ANSWERS[tool]):
        record, _ = await asked(tmp_path / str(number), tool, answer)
        check(record, tool)
        assert SOURCES[tool].name in record.response, name


async def test_a_pair_of_the_shipped_table_is_told_and_that_no_label_was_read(tmp_path: Path) -> None:
    record, _ = await asked(tmp_path, "check_drug_interactions", "http_500", question=PAIR_OF_THE_TABLE)
    (call,) = record.tool_calls
    assert (call.status, record.confidence) == ("found", "medium")
    assert "warfarin with ibuprofen (major)" in record.response
    assert any(line.startswith("Not checked: The current labels of warfarin and ibuprofen") for line in record.notices)
    assert any("not reviewed by a clinician" in line for line in record.notices)


@pytest.mark.parametrize("tool", DRUGS)
@pytest.mark.parametrize("fault", OFTEN)
async def test_the_starter_pack_answers_in_place_of_a_service_that_fails(
    fault: Fault, tool: str, tmp_path: Path
) -> None:
    question = PAIR_OF_THE_TABLE if tool == "check_drug_interactions" else ""
    record, _ = await asked(tmp_path, tool, fault, "auto", question)
    (call,) = record.tool_calls
    assert (call.tool, call.status, call.origin, call.attempts) == (tool, "found", "pack", 1)
    assert record.confidence == "medium"
    assert any("not reviewed by a clinician" in line for line in record.notices)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a pack of one article and one of one trial."""
    home = tmp_path_factory.mktemp("packed")
    packs.articles(home / "packs", [packs.article(90000001, "Colchicine in gout", "It worked.", terms=["Gout"])])
    packs.registered(home / "packs", [packs.trial(1, "Colchicine in gout", "Gout")])
    return home


@pytest.mark.parametrize("tool", SEARCHES)
@pytest.mark.parametrize("fault", OFTEN)
async def test_a_pack_answers_in_place_of_a_service_that_fails(
    fault: Fault, tool: str, packed: Path, tmp_path: Path
) -> None:
    shutil.copytree(packed / "packs", tmp_path / "packs")
    record, _ = await asked(tmp_path, tool, fault, "auto", deadline_s=2.5)
    (call,) = record.tool_calls
    assert (call.tool, call.status, call.origin, call.attempts) == (tool, "found", "pack", 1)
    assert record.confidence == "medium"
    assert f"From the pack of {packs.DAY}" in record.response
    assert any(line.startswith("Not checked: ") and SOURCES[tool].name in line for line in record.notices)


@pytest.mark.parametrize("fault", ["http_500", "http_429", "http_429_retry_after", "timeout", "reset"])
async def test_one_try_of_ours_asks_twice_at_most(fault: Fault, tmp_path: Path) -> None:
    record, requests = await asked(tmp_path, "check_drug_safety", fault, "auto")
    assert record.tool_calls[0].attempts == 1
    assert requests <= 2


async def test_a_query_that_the_service_cannot_parse_is_asked_once(tmp_path: Path) -> None:
    _, requests = await asked(tmp_path, "check_drug_safety", "parse_exception", "auto")
    assert requests == 1
