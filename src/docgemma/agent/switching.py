"""A session is about one patient: before another one's record is touched, the user is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from docgemma.agent.arguments.sourced import is_pinned
from docgemma.agent.progress import found_patient
from docgemma.agent.requests.patterns import Need
from docgemma.agent.state import Charts, State, ToolRun, on_screen
from docgemma.clinical import Patient, ToolResult
from docgemma.entities.model import Entities
from docgemma.tools.checking import missing_arguments
from docgemma.tools.registry import Tool

_DENIED = re.compile(
    r"\b(?:wrong|not\s(?:that|this)(?:\s(?:one|patient|pt))?|(?:i|we)\s(?:meant?|wanted))\b", re.IGNORECASE
)
"""Says of the chart that was opened last that it is not the one that is wanted."""


def finds_another(state: State, run: ToolRun) -> bool:
    """A search that found exactly one person, and not the one on screen."""
    here, match = on_screen(state), found_patient(state)
    if run.tool != "search_patient" or here is None or match is None or state.get("picked"):
        return False
    return match.patient_id != here.id


async def confirmed_call(
    state: State, tool: Tool, args: Mapping[str, Any], charts: Charts | None
) -> tuple[dict[str, Any], ToolResult | None]:
    """The call with the record system's own id, or the refusal that becomes a question.

    An id may be written in capitals, or be a record number: only the record system knows who that is, and whether it
    is the patient on screen. An entry is never prepared for an id that was not looked up.
    """
    here, wanted = on_screen(state), str(args.get("patient_id", ""))
    if not (tool.patient and wanted) or (here and wanted == here.id):
        return dict(args), None
    if charts is None:
        same = here is not None and wanted.casefold() == here.id.casefold()
        return _judged(state, tool, {**args, "patient_id": here.id if here and same else wanted}, wanted)
    if here is None and not tool.writes:
        return dict(args), None  # the tool looks it up itself
    found = await charts.who(wanted)
    if found.status == "unavailable":
        return dict(args), tool.result(status="unavailable", error_type=found.error_type, message=found.message)
    if len(found.matches) == 1:
        match = found.matches[0]
        return _judged(state, tool, {**args, "patient_id": match.patient_id}, match.banner(), wanted)
    if not tool.writes:
        return dict(args), None  # nobody, or several: the tool says so itself
    if found.matches:
        return dict(args), missing_arguments(tool, "patient_id")
    return dict(args), tool.result(status="not_found", error_type="not_found", message=found.message)


def _judged(
    state: State, tool: Tool, args: dict[str, Any], banner: str, written: str = ""
) -> tuple[dict[str, Any], ToolResult | None]:
    """Somebody else than the patient on screen is asked about, unless the user has said so already."""
    here = on_screen(state)
    if here is None or args["patient_id"] == here.id:
        return args, None
    chosen = (written or args["patient_id"]) == state.get("chosen") or _DENIED.search(state["message"])
    return args, None if chosen and not state.get("pinned") else _refusal(tool, banner)


def _refusal(tool: Tool, banner: str) -> ToolResult:
    return tool.result(status="invalid", error_type="another_patient", suggestions=(banner,))


def about_this_patient(wanted: tuple[Need, ...], entities: Entities, here: Patient | None) -> tuple[Need, ...]:
    """The name of the patient on screen is no new person to search for: what is asked is asked of that patient."""
    if here is None or not entities.person_names or not is_pinned(entities, here):
        return wanted
    names = {mention.value for mention in entities.person_names}
    kept = [need for need in wanted if need.tool != "search_patient"]
    if not kept:
        return wanted
    return tuple(dict.fromkeys(replace(need, subject=None) if need.subject in names else need for need in kept))
