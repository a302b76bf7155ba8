"""Say what came back, not what to do about it. Code knows errors and empties; the model grades what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.answer.errors import error_text
from docgemma.agent.prompts import render
from docgemma.agent.schemas import Quality, ResultAssessment
from docgemma.agent.shortcuts import used
from docgemma.agent.state import Services, State, ToolRun, entity_of, step
from docgemma.clinical import TRANSIENT, ToolResult
from docgemma.llm.contract import current_usage
from docgemma.tools.results import ImageReport

MAX_TOKENS = 128
LABEL = "Judging the result"
WORDS: dict[Quality, str] = {
    "success_rich": "complete",
    "success_partial": "partial",
    "no_results": "nothing found",
    "error_retryable": "a problem that may pass",
    "error_fatal": "a problem that will not pass",
}


async def result_classify(state: State, runtime: Runtime[Services]) -> State:
    """Grade the newest run. What code knows of a result is never overruled by a model."""
    if state.get("stuck"):
        return {}
    run = state["runs"][-1]
    known = known_quality(run.result)
    if "known_result" in runtime.context.shortcuts and known is not None:
        return _graded(state, run, known, step("result_classify", LABEL, f"{WORDS[known]} ({used('known_result')})"))
    prompt = render(
        "result_classify",
        message=state["request"],
        task_summary=state.get("task_summary", ""),
        label=run.label,
        result_text=result_text(run),
        result=run.result,
    )
    answer = await runtime.context.llm.decide(prompt, ResultAssessment, max_tokens=MAX_TOKENS)
    quality = known or found_quality(answer.quality)
    return _graded(state, run, quality, step("result_classify", LABEL, WORDS[quality], by=current_usage().answered_by))


def known_quality(result: ToolResult) -> Quality | None:
    """What code can tell without a model; None for a result that holds something."""
    if result.error_type in TRANSIENT:
        return "error_retryable"
    if result.error_type in ("not_found", "drug_not_in_database"):
        return "error_fatal" if result.error_type == "drug_not_in_database" else "no_results"
    if result.error_type is not None:
        return "error_fatal"
    if result.status in ("none", "not_found"):
        return "no_results"
    if result.status in ("unavailable", "invalid"):
        return "error_fatal"
    if isinstance(result, ImageReport):
        return "success_partial"  # findings of a model are a hint, however many there are
    return "success_rich" if result.status in ("proposed", "written", "declined") else None


def found_quality(said: Quality) -> Quality:
    """A typed `found` holds something: the model may call it rich or partial, not an error."""
    return said if said in ("success_rich", "success_partial") else "success_partial"


def result_text(run: ToolRun) -> str:
    """The result as a clinician would read it; an error only in its prepared words."""
    if run.result.error_type is not None:
        return error_text(run.result, run.label, entity_of(run), final=False)
    return run.result.text() or run.result.message


def rule(variables: Mapping[str, Any]) -> ResultAssessment:
    """Without a model: what was found counts as complete unless it says that something was not checked."""
    result: ToolResult = variables["result"]
    quality = known_quality(result) or ("success_partial" if result.not_checked else "success_rich")
    return ResultAssessment(quality=quality, brief_summary=str(variables["result_text"])[:300])


def _graded(state: State, run: ToolRun, quality: Quality, timeline: list[Any]) -> State:
    update: State = {"runs": (*state["runs"][:-1], replace(run, quality=quality)), "timeline": timeline}
    if quality not in ("error_retryable", "error_fatal"):
        update["retries"] = 0  # the next look-up is a new one, not another try of this one
    return update
