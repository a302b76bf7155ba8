"""What code can say of a result without a model: errors, empties, and whether anything was left unchecked."""

from __future__ import annotations

from docgemma.agent.schemas import Quality
from docgemma.clinical import TRANSIENT, ToolResult
from docgemma.tools.results import ImageReport

WORDS: dict[Quality, str] = {
    "success_rich": "complete",
    "success_partial": "partial",
    "no_results": "nothing found",
    "error_retryable": "a problem that may pass",
    "error_fatal": "a problem that will not pass",
}


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


def graded(result: ToolResult) -> Quality:
    """Where no model is asked: what was found counts as complete unless it says that something was not checked."""
    return known_quality(result) or ("success_partial" if result.not_checked else "success_rich")
