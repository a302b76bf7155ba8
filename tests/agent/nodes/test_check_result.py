"""What follows from a call: each verdict, and how often a read is made again."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.agent.graphs.decompose import after_check, check_result
from docgemma.agent.state import Part, State
from docgemma.agent.understanding.needs import Need
from docgemma.clinical import ToolResult
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import DrugSafetyReport, PatientSearchResult
from tests.agent.nodes.states import TIMEOUT, after, runtime
from tests.support import results as r
from tests.support.reading import understood

GONE = DrugSafetyReport(status="unavailable", error_type="not_configured")
UNKNOWN = DrugSafetyReport(status="not_found", error_type="drug_not_in_database")
CHART = (Need("search_patient"), Need("get_patient_chart"))


def called(tool: str, result: ToolResult, **more: Any) -> State:
    begun: dict[str, Any] = {"parts": (Part("one"), Part("two")), "part": 0, "iterations": 0, "planned": True}
    return after(tool, result, None, entities=understood(""), message="", **(begun | more))


@pytest.mark.parametrize(
    ("tool", "result", "more", "verdict", "node"),
    [
        ("check_drug_safety", r.DOFETILIDE, {}, "success", "plan_call"),
        ("check_drug_safety", r.DOFETILIDE, {"part": 1}, "success", "synthesize"),
        ("check_drug_safety", UNKNOWN, {}, "success", "plan_call"),
        ("check_drug_safety", TIMEOUT, {}, "error", "tool_execute"),
        ("check_drug_safety", TIMEOUT, {"retries": 2}, "error", "tool_execute"),
        ("check_drug_safety", TIMEOUT, {"retries": 3}, "error", "synthesize"),
        ("check_drug_safety", TIMEOUT, {"total_retries": 4}, "error", "synthesize"),
        ("check_drug_safety", GONE, {}, "error", "synthesize"),
        ("search_patient", r.JOHN, {"needs": CHART, "args": {"name": "John Smith"}}, "needs_more_action", "plan_call"),
        ("search_patient", r.JOHN, {"needs": CHART[:1], "args": {"name": "John Smith"}}, "success", "plan_call"),
        ("search_patient", r.JOHN, {"needs": CHART, "iterations": 2}, "success", "plan_call"),
        ("search_patient", PatientSearchResult(status="none"), {"needs": CHART}, "success", "plan_call"),
        ("search_patient", r.WILSONS, {"needs": CHART}, "needs_user_input", "synthesize"),
        ("prescribe_medication", r.proposal("a card"), {}, "success", "synthesize"),
    ],
)
async def test_verdicts(tool: str, result: ToolResult, more: dict[str, Any], verdict: str, node: str) -> None:
    state = called(tool, result, **more)
    update = await check_result(state, runtime())
    assert (update["verdict"], after_check(state | update).node) == (verdict, node)


async def test_a_write_that_failed_is_not_made_again() -> None:
    failed = REGISTRY["prescribe_medication"].result(status="unavailable", error_type="timeout")
    state = called("prescribe_medication", failed)
    update = await check_result(state, runtime())
    assert after_check(state | update).node == "synthesize"
    assert update["errors"]


async def test_what_no_source_knows_is_told_and_the_rest_goes_on() -> None:
    state = called("check_drug_safety", UNKNOWN, args={"drug_name": "zzyzxium"})
    update = await check_result(state, runtime())
    assert update["errors"] == ["zzyzxium was not found in the drug database."]
    assert update["runs"][-1].skipped


async def test_a_part_without_a_call_leads_to_the_next() -> None:
    state = called("check_drug_safety", r.DOFETILIDE, planned=False)
    update = await check_result(state, runtime())
    assert (update["part"], after_check(state | update).node) == (1, "plan_call")
