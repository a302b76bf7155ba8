"""Saying what came back. Rows of the specification run with the rule and with a scripted model."""

from __future__ import annotations

import pytest

from docgemma.agent.nodes.result_classify import result_classify
from docgemma.clinical import ToolResult
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.results import LiteratureResult
from tests.agent.nodes.states import TIMEOUT, after, runtime
from tests.support import results as r

NOTHING = LiteratureResult(status="none", origin="live", message="No articles were found.")
QUALITIES = [
    ("rich drug safety data", "check_drug_safety", r.DOFETILIDE, "success_rich"),
    ("no articles found", "search_medical_literature", NOTHING, "no_results"),
    ("pre-formatted timeout error", "check_drug_safety", TIMEOUT, "error_retryable"),
]


@pytest.mark.parametrize(("case", "tool", "result", "quality"), QUALITIES, ids=[row[0] for row in QUALITIES])
async def test_result_classify(case: str, tool: str, result: ToolResult, quality: str) -> None:
    state = after(tool, result, None)
    by_rule = await result_classify(state, runtime())
    assert by_rule["runs"][-1].quality == quality
    model = ScriptedModel({"quality": quality, "brief_summary": "as read"})
    by_model = await result_classify(state, runtime(model))
    assert by_model["runs"][-1].quality == quality


async def test_result_classify_shows_an_error_only_in_its_prepared_words() -> None:
    model = ScriptedModel({"quality": "error_retryable", "brief_summary": "it timed out"})
    await result_classify(after("check_drug_safety", TIMEOUT, None), runtime(model))
    shown = model.prompts[0].messages[0].text
    assert "The Drug Safety Report was temporarily unavailable." in shown
    assert "timeout" not in shown


@pytest.mark.parametrize("said", ["success_rich", "no_results", "error_fatal"])
async def test_a_model_cannot_talk_an_error_away(said: str) -> None:
    model = ScriptedModel({"quality": said, "brief_summary": "all is well"})
    graded = await result_classify(after("check_drug_safety", TIMEOUT, None), runtime(model))
    assert graded["runs"][-1].quality == "error_retryable"
