"""Whether a look-up that failed may be tried once more: counted by code, the same way in every graph."""

from __future__ import annotations

from docgemma.agent.state import MAX_RETRIES, MAX_TOTAL_RETRIES, State, ToolRun
from docgemma.clinical import ErrorType
from docgemma.tools.registry import REGISTRY

PERMANENT: frozenset[ErrorType] = frozenset({"drug_not_in_database", "not_configured", "invalid_args", "patient_data"})


def gives_up(state: State, run: ToolRun) -> bool:
    """No more tries: writes never get one, and what is permanent does not pass by waiting."""
    if REGISTRY[run.tool].writes or run.result.error_type in PERMANENT:
        return True
    if state["retries"] >= MAX_RETRIES or state["total_retries"] >= MAX_TOTAL_RETRIES:
        return True
    return run.result.error_type == "service_unavailable" and state["retries"] >= 1
