"""Say what came of a call and what follows from it: on, once more, a question to the user, or without. Code alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from langgraph.runtime import Runtime

from docgemma.agent.answer.errors import error_text
from docgemma.agent.progress import needs_left
from docgemma.agent.qualities import WORDS, graded
from docgemma.agent.questions import question_for
from docgemma.agent.retries import gives_up
from docgemma.agent.state import Services, State, ToolRun, entity_of, step
from docgemma.agent.subtasks import MAX_ITERATIONS, advanced, by_model, current, later, tries_left
from docgemma.agent.understanding.needs import SEARCHES
from docgemma.clinical import TRANSIENT, TimelineStep
from docgemma.tools.registry import REGISTRY

Verdict = Literal["success", "needs_more_action", "needs_user_input", "retry_same", "retry_reformulate", "skip_subtask"]
SAID: dict[Verdict, str] = {
    "success": "done",
    "needs_more_action": "the patient is found, what was asked is still to be looked up",
    "needs_user_input": "asks the user",
    "retry_same": "tries the same again",
    "retry_reformulate": "tries other words",
    "skip_subtask": "goes on without it",
}


async def assess_result(state: State, runtime: Runtime[Services]) -> State:
    """Grade the newest run and choose what follows. No model grades here: a typed result says what it holds."""
    if state.get("stuck"):
        return advanced(state) | {"stuck": False, "action": None, "timeline": _told("already looked up")}
    quality = graded(state["runs"][-1].result)
    run = replace(state["runs"][-1], quality=quality)
    state = state | {"runs": (*state["runs"][:-1], run), "iterations": state.get("iterations", 0) + 1}
    kept: State = {"runs": state["runs"], "iterations": state["iterations"], "action": None}
    question = question_for(state, run)
    if question is not None:
        detail = f"{SAID['needs_user_input']}: {question.reason}"
        return kept | {"action": "ask_user", "clarification": question, "retries": 0, "timeline": _told(detail)}
    chosen = verdict(state, run)
    kept |= {"timeline": _told(f"{WORDS[quality]}; {SAID[chosen]}")}
    again: State = {"retries": state["retries"] + 1, "total_retries": state["total_retries"] + 1}
    match chosen:
        case "retry_same":
            return kept | again | {"action": "retry_same"}
        case "retry_reformulate":
            return kept | again | {"action": "retry_different_args"}
        case "needs_more_action":
            return kept | {"retries": 0}
        case "skip_subtask":
            skipped = (*state["runs"][:-1], replace(run, skipped=True))
            told = error_text(run.result, run.label, entity_of(run), final=True)
            return kept | advanced(state) | {"runs": skipped, "errors": [told]}
        case _:
            return kept | advanced(state) | {"notices": _left_out(state, run)}


def verdict(state: State, run: ToolRun) -> Verdict:
    """Which of the strategies: what may pass is tried again, an empty search in other words, the rest is left out."""
    done = gives_up(state, run) or state["iterations"] >= MAX_ITERATIONS
    if run.quality in ("error_retryable", "error_fatal"):
        return "retry_same" if not done and run.result.error_type in TRANSIENT else "skip_subtask"
    replanned = not done and by_model(state) and tries_left(state)
    if run.quality == "no_results" and run.tool in SEARCHES and replanned:
        return "retry_reformulate"
    if run.tool == "search_patient" and run.result.status == "found" and by_model(state) and tries_left(state):
        asked = any(REGISTRY[need.tool].patient for need in needs_left(state))
        return "needs_more_action" if asked and not later(state) else "success"
    return "success"


def _left_out(state: State, run: ToolRun) -> list[str]:
    """A card that a model came to before every look-up was made says which were not: none of them is "nothing"."""
    task = current(state)
    if run.result.status != "proposed" or (task is not None and task.need is not None):
        return []
    return [
        f"Not checked before this entry: {REGISTRY[need.tool].label}{f' for {need.subject}' if need.subject else ''}."
        for need in needs_left(state)
        if not REGISTRY[need.tool].writes
    ]


def _told(detail: str) -> list[TimelineStep]:
    return step("assess_result", "Judging the result", detail)
