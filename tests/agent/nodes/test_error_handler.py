"""Asking, skipping, retrying. Rows of the specification run with the rule and with a scripted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.nodes.error_handler import error_handler
from docgemma.agent.outcomes import gives_up
from docgemma.agent.router import after_error
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import DrugSafetyReport
from tests.agent.nodes.states import TIMEOUT, after, runtime


async def test_error_handler_timeout_first_time_retries_the_same() -> None:
    state = after("check_drug_safety", TIMEOUT, "error_retryable", args={"drug_name": "amiodarone"})
    by_rule = await error_handler(state, runtime())
    assert (by_rule["action"], by_rule["retries"], by_rule["total_retries"]) == ("retry_same", 1, 1)
    by_model = await error_handler(state, runtime(ScriptedModel({"strategy": "retry_same"})))
    assert by_model["action"] == "retry_same"
    assert after_error(state | by_model).node == "tool_select"


async def test_error_handler_drug_not_in_database_is_skipped() -> None:
    missing = DrugSafetyReport(status="not_found", error_type="drug_not_in_database")
    state = after("check_drug_safety", missing, "error_fatal", args={"drug_name": "zzyzxium"})
    skipped = await error_handler(state, runtime(ScriptedModel()))
    assert skipped["action"] == "skip"
    assert skipped["errors"] == ["zzyzxium was not found in the drug database."]


LIMITS = [
    ("second retry is still made", "timeout", 1, 1, False),
    ("the third try is the last", "timeout", 2, 2, True),
    ("four retries a turn in all", "timeout", 0, 4, True),
    ("unavailable is retried once", "service_unavailable", 0, 0, False),
    ("unavailable twice is enough", "service_unavailable", 1, 1, True),
    ("a source that is not set up will not appear", "not_configured", 0, 0, True),
]


@pytest.mark.parametrize(("case", "error", "retries", "total", "expected"), LIMITS, ids=[row[0] for row in LIMITS])
def test_error_handler_limits(case: str, error: Any, retries: int, total: int, expected: bool) -> None:
    result = DrugSafetyReport(status="unavailable", error_type=error)
    state = after("check_drug_safety", result, "error_retryable", retries=retries, total_retries=total)
    assert gives_up(state, state["runs"][-1]) is expected


async def test_a_write_is_never_retried(tmp_path: Path) -> None:
    failed = REGISTRY["prescribe_medication"].result(status="unavailable", error_type="timeout")
    state = after("prescribe_medication", failed, "error_retryable")
    assert (await error_handler(state, runtime(ScriptedModel())))["action"] == "skip"
