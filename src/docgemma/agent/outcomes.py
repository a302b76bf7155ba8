"""What code makes of a result in every graph: how good it is, whether it is tried again, and what follows from it."""

from __future__ import annotations

from dataclasses import replace

from docgemma.agent.answer.errors import error_text
from docgemma.agent.questions import question_for
from docgemma.agent.schemas import Quality
from docgemma.agent.state import MAX_RETRIES, MAX_TOTAL_RETRIES, State, ToolRun, entity_of, step
from docgemma.clinical import TRANSIENT, ErrorType, ToolResult
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import ImageReport

WORDS: dict[Quality, str] = {
    "success_rich": "complete",
    "success_partial": "partial",
    "no_results": "nothing found",
    "error_retryable": "a problem that may pass",
    "error_fatal": "a problem that will not pass",
}
PERMANENT: frozenset[ErrorType] = frozenset({"drug_not_in_database", "not_configured", "invalid_args", "patient_data"})


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


def grade(result: ToolResult) -> Quality:
    """Where no model is asked: what was found counts as complete unless it says that something was not checked."""
    return known_quality(result) or ("success_partial" if result.not_checked else "success_rich")


def quality_words(run: ToolRun) -> str:
    """How good the result is, for the timeline."""
    return WORDS[run.quality or "error_fatal"]


def gives_up(state: State, run: ToolRun) -> bool:
    """No more tries: writes never get one, and what is permanent does not pass by waiting."""
    if REGISTRY[run.tool].writes or run.result.error_type in PERMANENT:
        return True
    if state["retries"] >= MAX_RETRIES or state["total_retries"] >= MAX_TOTAL_RETRIES:
        return True
    return run.result.error_type == "service_unavailable" and state["retries"] >= 1


def replace_last_run(state: State, run: ToolRun) -> State:
    """The newest run as it is judged now."""
    return {"runs": (*state["runs"][:-1], run)}


def graded_last(state: State) -> tuple[ToolRun, State]:
    """The newest run with its quality, and the change of the state that keeps it."""
    run = replace(state["runs"][-1], quality=grade(state["runs"][-1].result))
    return run, replace_last_run(state, run)


def skip_run(state: State, run: ToolRun) -> State:
    """The turn goes on without this look-up, and says so."""
    told = error_text(run.result, run.label, entity_of(run), final=True)
    return replace_last_run(state, replace(run, skipped=True)) | {"errors": [told], "retries": 0}


def count_retry(state: State) -> State:
    return {"retries": state["retries"] + 1, "total_retries": state["total_retries"] + 1}


def ask_user(state: State, run: ToolRun, node: str, label: str) -> State | None:
    """The question that only a person can answer, where the result leads to one."""
    question = question_for(state, run)
    if question is None:
        return None
    told = step(node, label, f"asks the user: {question.reason}")
    return {"action": "ask_user", "clarification": question, "retries": 0, "timeline": told}
