"""A session is about one patient: before another one's record is touched, the user is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from docgemma.agent.arguments.sourced import is_pinned
from docgemma.agent.progress import found_patient
from docgemma.agent.state import Charts, State, ToolRun, on_screen
from docgemma.agent.understanding.identity import contradictions
from docgemma.agent.understanding.needs import Need, is_one_person
from docgemma.clinical import Patient, ToolResult
from docgemma.entities.model import Entities
from docgemma.tools.checking import missing_arguments
from docgemma.tools.registry import Tool
from docgemma.tools.results import PatientChart, PatientMatch, PatientSearchResult, match_in

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


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A call as it may be made: its arguments, whom its id was looked up to be, and why it may not be made."""

    args: dict[str, Any]
    patient: Patient | None = None
    refusal: ToolResult | None = None


async def confirmed_call(state: State, tool: Tool, args: Mapping[str, Any], charts: Charts | None) -> Confirmed:
    """The call with the record system's own id, or the refusal that becomes a question.

    An id may be written in capitals, or be a record number: only the record system knows who that is, and whether it
    is the patient on screen. An entry is never prepared for an id that was not looked up.
    """
    here, wanted, given = on_screen(state), str(args.get("patient_id", "")), dict(args)
    if not (tool.patient and wanted):
        return Confirmed(given)
    if against := await _contradicting(state, wanted, charts):
        return Confirmed(given, refusal=_contradicted(tool, *against))
    if here and wanted == here.id:
        return Confirmed(given)
    if charts is None:
        same = here is not None and wanted.casefold() == here.id.casefold()
        return _judged(state, tool, given, here if here and same else Patient(id=wanted))
    if here is None and not tool.writes:
        return Confirmed(given)  # the tool looks it up itself
    found = await charts.who(wanted)
    if len(found.matches) == 1:
        match = found.matches[0]
        return _judged(state, tool, given, Patient(id=match.patient_id, banner=match.banner()))
    if found.status == "unavailable":
        refusal = tool.result(status="unavailable", error_type=found.error_type, message=found.message)
        return Confirmed(given, refusal=refusal)
    if not tool.writes:
        return Confirmed(given)  # nobody, or several: the tool says so itself
    if found.matches:
        return Confirmed(given, refusal=missing_arguments(tool, "patient_id"))
    return Confirmed(given, refusal=tool.result(status="not_found", error_type="not_found", message=found.message))


def _judged(state: State, tool: Tool, given: dict[str, Any], patient: Patient) -> Confirmed:
    """Somebody else than the patient on screen is asked about, unless the user has said so already."""
    here, args = on_screen(state), {**given, "patient_id": patient.id}
    said = given["patient_id"] == state.get("chosen") or _DENIED.search(state["message"])
    if here is None or patient.id == here.id or (said and not state.get("pinned")):
        return Confirmed(args, patient)
    return Confirmed(args, refusal=_refusal(tool, patient.banner or patient.id))


def told_apart(state: State, result: ToolResult) -> ToolResult:
    """Namesakes of whom the message gives a birth date or an age: the one it fits, where it fits no other."""
    entities = state["entities"]
    if not isinstance(result, PatientSearchResult) or len(result.matches) < 2:
        return result
    if not (entities.birth_dates or entities.ages) or not all(match.birth_date for match in result.matches):
        return result
    today = state.get("today") or datetime.now(UTC).date()
    fits = [match for match in result.matches if match.exact and not contradictions(entities, match, today)]
    if len(fits) != 1 or not all(match.exact for match in result.matches):
        return result
    return result.model_copy(update={"matches": (fits[0],), "error_type": None})


async def _contradicting(state: State, wanted: str, charts: Charts | None) -> tuple[str, list[str]] | None:
    """The banner of whom the id is, and what of the message speaks against that patient; None where nothing does.

    A pick has settled it: who was chosen from among patients with their birth dates is meant.
    """
    entities = state["entities"]
    if state.get("picked") or state.get("confirmed") or not _tells_of_somebody(state):
        return None
    match = await _known(state, wanted, charts)
    if match is None:
        return None
    against = contradictions(entities, match, state.get("today") or datetime.now(UTC).date())
    others = {one.value for one in entities.patient_ids} - {wanted, match.patient_id}
    one = len(entities.person_names) == 1 or is_one_person(entities)
    if charts is not None and one and len(entities.patient_ids) > 1:
        for other in sorted(others):
            found = await charts.who(other)
            if [one.patient_id for one in found.matches] != [match.patient_id]:
                against.append(f"the message also gives {other}, which is not theirs")
    return (match.banner(), against) if against else None


def _tells_of_somebody(state: State) -> bool:
    """Several people in one message are told apart by their names; each fact is then nobody's in particular."""
    return len({mention.value for mention in state["entities"].person_names}) < 2


async def _known(state: State, wanted: str, charts: Charts | None) -> PatientMatch | None:
    """Who the id is: found in this turn, on screen, or looked up now."""
    for run in state.get("runs", ()):
        if isinstance(run.result, PatientSearchResult):
            for match in run.result.matches:
                if match.patient_id == wanted:
                    return match
        elif isinstance(run.result, PatientChart) and run.args.get("patient_id") == wanted and run.result.banner:
            return match_in(run.result.banner, wanted)
    here = on_screen(state)
    if here is not None and here.id == wanted and here.banner:
        return match_in(here.banner, here.id)
    if charts is None:
        return None
    found = await charts.who(wanted)
    return found.matches[0] if len(found.matches) == 1 else None


def _contradicted(tool: Tool, banner: str, against: list[str]) -> ToolResult:
    return tool.result(
        status="invalid", error_type="contradicting_identity", message="; ".join(against), suggestions=(banner,)
    )


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
