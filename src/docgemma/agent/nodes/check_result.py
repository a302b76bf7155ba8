"""What came of a call: done, one more step, a question to the user, or an error. Code alone; a model never asks "am I
done?"."""

from __future__ import annotations

from dataclasses import replace

from langgraph.runtime import Runtime

from docgemma.agent.answer.errors import error_text
from docgemma.agent.decomposition import Verdict
from docgemma.agent.progress import needs_left
from docgemma.agent.qualities import WORDS, graded
from docgemma.agent.questions import question_for
from docgemma.agent.state import MAX_TOTAL_RETRIES, Services, State, ToolRun, entity_of, step
from docgemma.clinical import TRANSIENT, TimelineStep
from docgemma.tools.registry import REGISTRY

MAX_ITERATIONS = 3
MAX_TOOL_RETRIES = 3


async def check_result(state: State, runtime: Runtime[Services]) -> State:
    """Grade the newest run, and say what follows from it."""
    if not state["planned"]:
        return _next(state, "no look-up for this part")
    if state.get("stuck"):
        return _next(state, "already looked up") | {"stuck": False}
    run = replace(state["runs"][-1], quality=graded(state["runs"][-1].result))
    kept: State = {"runs": (*state["runs"][:-1], run)}
    question = question_for(state | kept, run)
    if question is not None:
        asks: State = {"verdict": "needs_user_input", "clarification": question, "retries": 0}
        return kept | asks | {"timeline": _told(f"asks the user: {question.reason}")}
    told = WORDS[run.quality or "error_fatal"]
    match verdict(state | kept, run):
        case "error" if retries(state, run):
            again: State = {"retries": state["retries"] + 1, "total_retries": state["total_retries"] + 1}
            return kept | again | {"verdict": "error", "timeline": _told(f"{told}; tries the same again")}
        case "error":
            return _given_up(state, run) | {"timeline": _told(f"{told}; ends the look-ups")}
        case "needs_more_action":
            more: State = {"verdict": "needs_more_action", "iterations": state["iterations"] + 1, "retries": 0}
            return kept | more | {"timeline": _told(f"{told}; the record is still to be read")}
        case _ if run.quality == "error_fatal":  # an answer, though none that helps: what it was about is not known
            return _left_out(state, run) | _next(state, told)
        case _:
            return kept | _next(state, told)


def verdict(state: State, run: ToolRun) -> Verdict:
    """A search that found one person goes on to the record, unless finding the person was all that was asked."""
    if run.failed:
        return "error"
    if run.tool == "search_patient" and run.result.status == "found" and state["iterations"] + 1 < MAX_ITERATIONS:
        asked = {need.tool for need in state["needs"]}
        left = {need.tool for need in needs_left(state)}
        if "get_patient_chart" in left or "search_patient" not in asked:
            return "needs_more_action"
    return "success"


def retries(state: State, run: ToolRun) -> bool:
    """Whether the same call is made again: only of a read, only for what may pass, and only so often."""
    if REGISTRY[run.tool].writes or run.result.error_type not in TRANSIENT:
        return False
    return state["retries"] < MAX_TOOL_RETRIES and state["total_retries"] < MAX_TOTAL_RETRIES


def _given_up(state: State, run: ToolRun) -> State:
    """The first specification ends there: what was not looked up any more is said, and is not "nothing"."""
    left = len(state["parts"]) - state["subtask"] - 1
    many = "1 further part of the request was" if left == 1 else f"{left} further parts of the request were"
    return _left_out(state, run) | {
        "verdict": "error",
        "notices": [f"{many} not worked on, because this look-up failed."] if left > 0 else [],
        "subtask": len(state["parts"]),
        "retries": 0,
    }


def _left_out(state: State, run: ToolRun) -> State:
    """Goes on without it, and says so."""
    told = error_text(run.result, run.label, entity_of(run), final=True)
    return {"runs": (*state["runs"][:-1], replace(run, skipped=True)), "errors": [told]}


def _next(state: State, told: str) -> State:
    return {
        "verdict": "success",
        "subtask": state["subtask"] + 1,
        "iterations": 0,
        "retries": 0,
        "timeline": _told(told),
    }


def _told(detail: str) -> list[TimelineStep]:
    return step("check_result", "Judging the result", detail)
