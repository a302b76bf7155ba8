"""How far a turn has come: what is left to look up, whom it found, which part of a request is worked on.

Pure functions over the state, shared by the router and the nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docgemma.agent.arguments.stranger import stranger
from docgemma.agent.schemas import MOST_PARTS
from docgemma.agent.state import Part, State, ToolRun
from docgemma.agent.understanding.needs import Need
from docgemma.clinical import Patient
from docgemma.entities.drugs.names import drugs_in, same_drug
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import PatientChart, PatientMatch, PatientSearchResult

_MEDICINES = re.compile(
    r"(?!past|previous|stopped|former).{0,40}?(?:medic|drug(?!\s*allerg)|prescription)", re.IGNORECASE
)


def known_ids(state: State, subject: str | None = None) -> tuple[str, ...]:
    """Patient ids that this turn's look-ups, the user's pick or the last turns have shown to exist: for reading.

    With a subject that was searched for by name, only the ids of that search: with two patients in one request,
    one's chart must never be read in place of the other's.
    """
    search = search_for(state, subject)
    if search is not None:
        return tuple(match.patient_id for match in search.matches)
    found = [match.patient_id for match in found_matches(state)]
    picked, recent = state.get("picked"), spoken_of(state)
    ids = [*([picked.id] if picked else []), *found] or ([recent.id] if recent else [])
    return tuple(dict.fromkeys(ids))


def spoken_of(state: State) -> Patient | None:
    """Whom "her chart" means when nobody is on screen: the patient the last turns looked up. Never enough to write."""
    entities = state["entities"]
    if state.get("pinned") or entities.person_names or entities.patient_ids:
        return None
    if stranger(state["message"], entities, state.get("recent")):
        return None
    return state.get("recent")


def found_matches(state: State) -> tuple[PatientMatch, ...]:
    """Everybody whom the searches of this turn found."""
    results = (run.result for run in state.get("runs", ()))
    return tuple(match for each in results if isinstance(each, PatientSearchResult) for match in each.matches)


def found_patient(state: State) -> PatientMatch | None:
    """The one exact patient that a search of this turn found, if it found exactly one."""
    matches = found_matches(state)
    return matches[0] if len(matches) == 1 and matches[0].exact else None


def named_in_full(state: State) -> PatientMatch | None:
    """The patient whose full name the message gives and whom exactly one search found: enough for a card."""
    match, searches = found_patient(state), [run for run in state.get("runs", ()) if run.tool == "search_patient"]
    return match if match is not None and len(searches) == 1 and state["entities"].person_names else None


def needs_left(state: State) -> tuple[Need, ...]:
    """What the request still asks for and can still get.

    A look-up that was skipped counts as tried. When the patient could not be found, what depends on the patient
    is dropped: asking for an id after a failed search would only hide that failure. So is a check with the medicines
    of a chart that lists none: the drug itself is still looked up.
    """
    runs = state.get("runs", ())
    return tuple(
        need
        for need in state.get("needs", ())
        if not any(_covers(state, run, need) for run in runs)
        and not (REGISTRY[need.tool].patient and need.tool != "search_patient" and _lost(state, need))
        and not (need.if_taken and _nothing_beside(state))
        and not (need.if_alone and not _nothing_beside(state))
    )


def _nothing_beside(state: State) -> bool:
    """The chart was read, or could not be, and names no medicine that a drug of the message could be checked with."""
    if not any(run.tool == "get_patient_chart" for run in state.get("runs", ())):
        return False
    asked = state["entities"].drug_names()
    return all(any(same_drug(taken, drug) for drug in asked) for taken in medicines_read(state))


def medicines_read(state: State) -> tuple[str, ...]:
    """What the charts of this turn list as taken, as far as the dictionary knows the names. For checks, not for orders.

    Entries of a chart are text like any other: only names of drugs come out of them.
    """
    return tuple(dict.fromkeys(drug.value for entry in _medicine_entries(state) for drug in drugs_in(entry)))


def medicines_not_checked(state: State) -> tuple[str, ...]:
    """Medicines of the chart that an interaction check with the chart left out: unknown names, and those too many."""
    checked = {str(drug) for run in state["runs"] for drug in run.args.get("drug_names", ())}
    asked = {*state["entities"].drug_names()}
    wanted = any(need.if_taken for need in state.get("needs", ()))
    if not (wanted or checked & ({*medicines_read(state)} - asked)):
        return ()
    known = checked | (asked if wanted else set())
    return tuple(
        entry
        for entry in _medicine_entries(state)
        if not any(same_drug(drug.value, name) for drug in drugs_in(entry) for name in known)
    )


def _medicine_entries(state: State) -> Iterator[str]:
    for run in state.get("runs", ()):
        if isinstance(run.result, PatientChart):
            for section in run.result.sections:
                if _MEDICINES.match(section.title):
                    yield from section.entries


def needs_person(run: ToolRun) -> bool:
    """Several patients, or one that is not exactly the one named: only the user may choose."""
    if run.result.error_type == "multiple_patient_matches":
        return True
    if not isinstance(run.result, PatientSearchResult):
        return False
    matches = run.result.matches
    return len(matches) > 1 or any(not match.exact for match in matches)


def _covers(state: State, run: ToolRun, need: Need) -> bool:
    if run.tool != need.tool or (run.failed and not run.skipped):
        return False
    if need.subject is None:
        return True
    if search_for(state, need.subject) is not None and need.tool != "search_patient":
        return run.args.get("patient_id") in known_ids(state, need.subject)
    return need.subject.casefold() in str(list(run.args.values())).casefold()


def _lost(state: State, need: Need) -> bool:
    """The patient this is about was searched for and not found."""
    search = search_for(state, need.subject)
    if search is not None:
        return not search.matches
    searched = any(run.tool == "search_patient" for run in state.get("runs", ()))
    known = state["entities"].patient_ids or state.get("pinned") or state.get("picked") or found_matches(state)
    return searched and need.subject is None and not known


def search_for(state: State, subject: str | None) -> PatientSearchResult | None:
    """What the search for this name gave; None when this name was not searched for."""
    for run in state.get("runs", ()):
        if subject and run.tool == "search_patient" and str(run.args.get("name", "")).casefold() == subject.casefold():
            return run.result if isinstance(run.result, PatientSearchResult) else PatientSearchResult(status="none")
    return None


MAX_ITERATIONS = 3
"""Tool calls for one part, whatever went wrong with the first."""

MAX_ASKED = 3
"""Questions to the model for one part: a plan, a repair of its details, another plan."""


def start_parts(parts: tuple[Part, ...]) -> State:
    """A list of parts with its counters at the start."""
    return {"parts": parts, "part": 0, "iterations": 0, "asked": 0}


def current_part(state: State) -> Part | None:
    """The part that is worked on; None on a way without any, or when all are done."""
    parts, index = state.get("parts", ()), state.get("part", 0)
    return parts[index] if index < len(parts) else None


def later_parts(state: State) -> tuple[Part, ...]:
    """What comes after the present part."""
    return state.get("parts", ())[state.get("part", 0) + 1 :]


def next_part(state: State) -> State:
    """On to the next part, with fresh counters."""
    return {"part": state.get("part", 0) + 1, "iterations": 0, "asked": 0, "retries": 0}


def postpone_part(state: State, part: Part) -> State:
    """The present part at the end of the list: entries wait until everything is looked up, for a card ends the turn."""
    return {"parts": (*state["parts"][: state["part"]], *later_parts(state), part), "iterations": 0, "asked": 0}


def planned_by_model(state: State) -> bool:
    """Whether the model plans the present part: only then may it be asked again how."""
    part = current_part(state)
    return part is not None and part.tool is None


def tries_left(state: State) -> bool:
    """Whether the present part may be planned once more."""
    return state.get("iterations", 0) < MAX_ITERATIONS and state.get("asked", 0) < MAX_ASKED


def parts_of_needs(needs: Sequence[Need]) -> tuple[Part, ...]:
    """One part for each look-up that the words of the request ask for: nobody is asked how to plan those."""
    return tuple(Part("", need.tool, need.subject or "", need) for need in needs[:MOST_PARTS])


def parts_after_answer(state: State) -> tuple[Part, ...]:
    """A request that the user's answer continues: the interrupted call, then what else its words ask for."""
    left, resumed = needs_left(state), state.get("resumed")
    if resumed is None:
        return parts_of_needs(left)
    searched = [need for need in left if need.tool == "search_patient"] if searches_first(state) else []
    own = next((need for need in left if need.tool == resumed[0]), Need(resumed[0]))
    return parts_of_needs([*searched, own, *(need for need in left if need not in (*searched, own))])


def searches_first(state: State) -> bool:
    """A name in answer to "which patient?" is looked up before the interrupted request goes on."""
    return bool(state.get("named")) and not state["runs"]
