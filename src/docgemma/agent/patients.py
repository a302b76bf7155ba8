"""Whom a turn is about: the patient on screen, another one who is named, and whom no public service may hear of.

A session is about one patient: before another one's record is touched, the user is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from docgemma.agent.arguments.sourced import is_pinned
from docgemma.agent.progress import found_matches, found_patient
from docgemma.agent.state import Charts, State, ToolRun, on_screen, today_of
from docgemma.agent.understanding.identity import contradictions
from docgemma.agent.understanding.needs import Need, is_one_person
from docgemma.clinical import ErrorType, Patient, People, ToolResult
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
        banner, why = against
        return Confirmed(given, refusal=_refused(tool, "contradicting_identity", banner, "; ".join(why)))
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
    return Confirmed(args, refusal=_refused(tool, "another_patient", patient.banner or patient.id))


def settle_namesakes(state: State, result: ToolResult) -> ToolResult:
    """Namesakes of whom the message gives a birth date or an age: the one it fits, where it fits no other."""
    entities = state["entities"]
    if not isinstance(result, PatientSearchResult) or len(result.matches) < 2:
        return result
    if not (entities.birth_dates or entities.ages) or not all(match.birth_date for match in result.matches):
        return result
    fits = [match for match in result.matches if not contradictions(entities, match, today_of(state))]
    if len(fits) != 1 or not all(match.exact for match in result.matches):
        return result
    return result.model_copy(update={"matches": (fits[0],), "error_type": None})


async def _contradicting(state: State, wanted: str, charts: Charts | None) -> tuple[str, list[str]] | None:
    """The banner of whom the id is, and what of the message speaks against that patient; None where nothing does.

    A pick has settled it: who was chosen from among patients with their birth dates is meant.
    """
    entities = state["entities"]
    several = len({mention.value for mention in entities.person_names}) > 1  # each fact is nobody's in particular
    if state.get("picked") or state.get("confirmed") or several:
        return None
    match = await _known(state, wanted, charts)
    if match is None:
        return None
    against = contradictions(entities, match, today_of(state))
    others = {one.value for one in entities.patient_ids} - {wanted, match.patient_id}
    one = len(entities.person_names) == 1 or is_one_person(entities)
    if charts is not None and one and len(entities.patient_ids) > 1:
        for other in sorted(others):
            found = await charts.who(other)
            if [one.patient_id for one in found.matches] != [match.patient_id]:
                against.append(f"the message also gives {other}, which is not theirs")
    return (match.banner(), against) if against else None


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


def _refused(tool: Tool, problem: ErrorType, banner: str, message: str = "") -> ToolResult:
    return tool.result(status="invalid", error_type=problem, message=message, suggestions=(banner,))


def about_this_patient(wanted: tuple[Need, ...], entities: Entities, here: Patient | None) -> tuple[Need, ...]:
    """The name of the patient on screen is no new person to search for: what is asked is asked of that patient."""
    if here is None or not entities.person_names or not is_pinned(entities, here):
        return wanted
    names = {mention.value for mention in entities.person_names}
    kept = [need for need in wanted if need.tool != "search_patient"]
    if not kept:
        return wanted
    return tuple(dict.fromkeys(replace(need, subject=None) if need.subject in names else need for need in kept))


_OWNED = re.compile(r"['’]s(?!\w)")


def people_of(state: State) -> People:
    """Everybody who is on screen, was named, or was found in this turn."""
    entities = state["entities"]
    matches = list(_met(state))
    return People(
        names=_each([*(match.name for match in matches), *(mention.text for mention in entities.person_names)]),
        ids=_each([*(match.patient_id for match in matches), *(mention.text for mention in entities.patient_ids)]),
        birth_dates=_each(
            [*(match.birth_date or "" for match in matches), *(mention.value for mention in entities.birth_dates)]
        ),
    )


def without_people(text: str, entities: Entities, start: int = 0, end: int | None = None) -> str:
    """The text, or this part of it, without the people in it: what a search is told needs none of them."""
    text, kept, done = text[:end], "", start
    people = (*entities.person_names, *entities.patient_ids, *entities.birth_dates)
    for item in sorted(people, key=lambda mention: mention.start):
        if text[item.start : item.end] == item.text:  # a name given in answer to a question stands elsewhere
            owned = _OWNED.match(text, item.end)
            kept += text[done : item.start] + " "
            done = max(done, owned.end() if owned else item.end)
    return " ".join((kept + text[done:]).split())


def _met(state: State) -> Iterator[PatientMatch]:
    others = (state.get("pinned"), state.get("bound"), state.get("recent"), state.get("looked_up"))
    for patient in (on_screen(state), *others):
        if patient is not None:
            yield match_in(patient.banner, patient.id)
    summary = state.get("summary")
    if summary is not None and summary.banner:
        yield match_in(summary.banner, summary.patient_id)
    yield from found_matches(state)
    for run in state.get("runs", ()):
        if isinstance(run.result, PatientChart) and run.result.banner:
            yield match_in(run.result.banner, run.result.patient_id)


def _each(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
