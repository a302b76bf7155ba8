"""A label service on a bad day, through the whole agent: one plain sentence, in time, and never "nothing found"."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from tests.support.charts import clinic
from tests.support.faulty_http import FAULTS, Fault, faulty
from tests.support.pharmacy import CUT_OFF

QUESTIONS = {
    "check_drug_safety": "Check FDA warnings for dofetilide",
    "check_drug_interactions": "Check interactions between warfarin and ibuprofen",
}
UNTOLD = QUESTIONS | {"check_drug_interactions": "Check interactions between loratadine and amoxicillin"}
"""Of two drugs that only their labels could tell of: the shipped table needs no network."""
KINDS: dict[Fault, frozenset[str]] = {
    "refused": frozenset({"service_unavailable"}),
    "reset": frozenset({"invalid_response", "service_unavailable"}),
    "http_429": frozenset({"rate_limit", "service_unavailable"}),
    "http_429_retry_after": frozenset({"rate_limit"}),
    "http_500": frozenset({"server_error", "service_unavailable"}),
    "parse_exception": frozenset({"invalid_response"}),
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

DEADLINE_S = 2.5
MOST_ATTEMPTS = 3
SOOTHING = ("no interaction", "no warning", "is safe", "neither label")


async def asked(home: Path, fault: Fault, question: str, sources: str) -> tuple[TurnRecord, int]:
    async with faulty(fault) as server:
        given = CUT_OFF | {"openfda_url": server.url}
        async with clinic(home, sources=sources, tool_deadline_s=DEADLINE_S, **given) as desk:
            async with asyncio.timeout(30):
                return await desk.ask(question), server.requests


@pytest.mark.parametrize("tool", QUESTIONS)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_told_as_what_it_is(fault: Fault, tool: str, tmp_path: Path) -> None:
    record, requests = await asked(tmp_path, fault, UNTOLD[tool], "live")
    (call,) = record.tool_calls
    assert (call.tool, call.status, record.outcome) == (tool, "unavailable", "answer")
    assert call.error_type in KINDS[fault]
    assert 1 <= call.attempts <= MOST_ATTEMPTS
    drugs = 1 if tool == "check_drug_safety" else 2
    assert requests <= 2 * drugs * call.attempts
    assert (record.confidence, record.sources) == ("low", ())
    assert "not checked" in record.response
    assert any(line.startswith("Not checked: ") for line in record.notices)
    said = "\n".join([record.response, *record.notices]).lower()
    assert not any(word in said for word in SOOTHING)
    assert "traceback" not in said and "127.0.0.1" not in said and "http" not in said


async def test_a_pair_of_the_shipped_table_is_told_and_that_no_label_was_read(tmp_path: Path) -> None:
    record, _ = await asked(tmp_path, "http_500", QUESTIONS["check_drug_interactions"], "live")
    (call,) = record.tool_calls
    assert (call.status, record.confidence) == ("found", "medium")
    assert "warfarin with ibuprofen (major)" in record.response
    assert any(line.startswith("Not checked: The current labels of warfarin and ibuprofen") for line in record.notices)
    assert any("not reviewed by a clinician" in line for line in record.notices)


@pytest.mark.parametrize("tool", QUESTIONS)
@pytest.mark.parametrize("fault", FAULTS)
async def test_the_starter_pack_answers_in_place_of_a_service_that_fails(
    fault: Fault, tool: str, tmp_path: Path
) -> None:
    record, _ = await asked(tmp_path, fault, QUESTIONS[tool], "auto")
    (call,) = record.tool_calls
    assert (call.tool, call.status, call.origin, call.attempts) == (tool, "found", "pack", 1)
    assert record.confidence == "medium"
    assert any("not reviewed by a clinician" in line for line in record.notices)


@pytest.mark.parametrize("fault", ["http_500", "http_429", "http_429_retry_after", "timeout", "reset"])
async def test_one_try_of_ours_asks_twice_at_most(fault: Fault, tmp_path: Path) -> None:
    record, requests = await asked(tmp_path, fault, QUESTIONS["check_drug_safety"], "auto")
    assert record.tool_calls[0].attempts == 1
    assert requests <= 2


async def test_a_query_that_the_service_cannot_parse_is_asked_once(tmp_path: Path) -> None:
    _, requests = await asked(tmp_path, "parse_exception", QUESTIONS["check_drug_safety"], "auto")
    assert requests == 1
