"""Say what came back, not what to do about it. Code knows errors and empties; the model grades what was found."""

from __future__ import annotations

from dataclasses import replace

from docgemma.agent.answer.errors import error_text
from docgemma.agent.asking import Live, Variables, ask_model, prompt_of
from docgemma.agent.outcomes import WORDS, found_quality, grade, known_quality, replace_last_run
from docgemma.agent.schemas import ResultAssessment
from docgemma.agent.shortcuts import shortcut_reason
from docgemma.agent.state import State, ToolRun, entity_of, step
from docgemma.clinical import ToolResult
from docgemma.llm.contract import Prompt

MAX_TOKENS = 128


async def result_classify(state: State, runtime: Live) -> State:
    """Grade the newest run. What code knows of a result is never overruled by a model."""
    if state.get("stuck"):
        return {}
    run = state["runs"][-1]
    if "known_result" in runtime.context.shortcuts:  # a model could call it rich or partial, and the route is the same
        quality = grade(run.result)
        told = step("result_classify", "Judging the result", f"{WORDS[quality]} ({shortcut_reason('known_result')})")
    else:
        prompt = assessment_prompt(state, run)
        answer, by = await ask_model(runtime, prompt, ResultAssessment, MAX_TOKENS)
        quality = known_quality(run.result) or found_quality(answer.quality)
        told = step("result_classify", "Judging the result", WORDS[quality], by=by)
    update: State = replace_last_run(state, replace(run, quality=quality)) | {"timeline": told}
    if quality not in ("error_retryable", "error_fatal"):
        update["retries"] = 0  # the next look-up is a new one, not another try of this one
    return update


def assessment_prompt(state: State, run: ToolRun) -> Prompt:
    """What the model is asked about one result."""
    return prompt_of(
        state,
        "result_classify",
        task_summary=state.get("task_summary", ""),
        label=run.label,
        result_text=result_text(run),
        result=run.result,
    )


def result_text(run: ToolRun) -> str:
    """The result as a clinician would read it; an error only in its prepared words."""
    if run.result.error_type is not None:
        return error_text(run.result, run.label, entity_of(run), final=False)
    return run.result.text() or run.result.message


def rule(variables: Variables) -> ResultAssessment:
    """Without a model: what was found counts as complete unless it says that something was not checked."""
    result: ToolResult = variables["result"]
    return ResultAssessment(quality=grade(result), brief_summary=str(variables["result_text"])[:300])
