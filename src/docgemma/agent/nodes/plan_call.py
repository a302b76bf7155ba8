"""Plan the call for one part of the request. The model names one of seven tools; code knows what that comes to.

The model says which and about what. Whom a record belongs to, whether an entry may be prepared, and every field of
one, come from the user's words; a look-up may use the model's own where the user gave none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from docgemma.agent.aliases import MEANT, OLD_TOOL_LIST, RECORD, UPDATE, OldName, old_name
from docgemma.agent.arguments import Found, declared
from docgemma.agent.arguments.sourced import is_pinned
from docgemma.agent.asking import Live, Variables, decide, results_so_far
from docgemma.agent.progress import known_ids, later_parts, needs_left, postpone_part, search_for
from docgemma.agent.queries import (
    by_rule,
    known_call,
    likeliest_tools,
    not_planned,
    planned_call,
    sourced_arguments,
    subject_of,
)
from docgemma.agent.schemas import PlannedCall
from docgemma.agent.state import Part, State
from docgemma.clinical import By
from docgemma.tools.registry import REGISTRY, ToolName

MAX_TOKENS = 256
NOT_ASKED = (
    "No entry was prepared: the message asks for none. Say what to prescribe, or which allergy or note to enter."
)
_TELLS: Mapping[str, ToolName] = {
    "medication_name": "prescribe_medication",
    "dosage": "prescribe_medication",
    "substance": "add_allergy",
    "note_type": "save_clinical_note",
}
"""Which entry a model means, by what it says of it."""


async def plan_call(state: State, runtime: Live) -> State:
    """The next call, or none for this part: then the one after it is next."""
    known = known_call(state, "plan_call")
    if known is not None:
        return known
    part = state["parts"][state["part"]]
    if state.get("verdict") == "needs_more_action":  # the search found the patient: what follows is no choice
        return _call(state, part, RECORD, {}, "the record of the patient found")
    answer, by = await decide(
        state,
        runtime,
        "plan_call",
        PlannedCall,
        MAX_TOKENS,
        intent=part.words,
        context=part.query,
        suggested=part.hint or "",
        results=results_so_far(state),
        tool_list=OLD_TOOL_LIST,
        needs=needs_left(state),
    )
    if answer.tool_name == UPDATE and any(other.hint != UPDATE for other in later_parts(state)):
        # In its place stands the part that came after it: the counter must not pass over that one.
        waiting = postpone_part(state, replace(part, hint=UPDATE)) | {"part": state["part"] - 1}
        return waiting | not_planned("plan_call", "an entry, after the look-ups", by)
    return _call(state, part, answer.tool_name, answer.values(), by=by)


def rule(variables: Variables) -> PlannedCall:
    """Without a model: the tool that the part was made for, with the arguments that code finds for it."""
    needs = variables["needs"]
    name = variables["suggested"] or old_name(needs[0].tool if needs else "search_medical_literature")
    return PlannedCall(tool_name=name, arguments=(), reasoning="")


def _call(state: State, part: Part, name: OldName, said: Mapping[str, Any], why: str = "", by: By = "code") -> State:
    """What the plan for a part comes to. A record is read by id; a name is searched for first."""
    if name == UPDATE:
        entry = _entry(state, part, said)
        if entry is None:
            return not_planned("plan_call", "the message asks for no entry", by) | {"notices": [NOT_ASKED]}
        tool, found = entry, _read(state, entry, part, said)
    elif name == RECORD:
        record = _record(state, _words(part, said))
        if record is None:
            return not_planned("plan_call", "nobody of this name was found", by)
        tool, subject = record
        found = by_rule(state, tool, subject)
    else:
        (tool,) = MEANT[name]
        found = _read(state, tool, part, said)
    return planned_call("plan_call", tool, found, why, by)


def _record(state: State, words: Sequence[str]) -> tuple[ToolName, str | None] | None:
    """By id where one is known; a name is searched for first, and its search alone gives the id. None: of nobody."""
    written = {mention.value for mention in state["entities"].patient_ids}
    named = next((one for one in _meant(state, "get_patient_chart", words) if one in written), None)
    person = _person(state, words) if named is None else None
    if person is not None and search_for(state, person) is None:
        return "search_patient", person
    return None if person is not None and not known_ids(state, person) else ("get_patient_chart", named or person)


def _person(state: State, words: Sequence[str]) -> str | None:
    """Who has to be looked up by name: the one that the part speaks of, else the next that was not searched for."""
    entities, here = state["entities"], state.get("picked") or state.get("pinned")
    names = [mention.value for mention in entities.person_names]
    if not names or state.get("picked") or (here is not None and is_pinned(entities, here)):
        return None
    spoken = next((one for one in _meant(state, "search_patient", words) if one in names), None)
    if spoken is not None or entities.patient_ids:
        return spoken
    return next((name for name in names if search_for(state, name) is None), names[-1])


def _entry(state: State, part: Part, said: Mapping[str, Any]) -> ToolName | None:
    """The entry that the user's words ask for; a model that wants one they do not ask for gets none."""
    asked = [tool for tool in likeliest_tools(state) if REGISTRY[tool].writes]
    if part.need is not None and part.need.tool in asked:
        return part.need.tool
    told = [_TELLS[name] for name in said if _TELLS.get(name) in asked]
    left = [need.tool for need in needs_left(state) if need.tool in asked]
    return [*told, *left, *asked][0] if asked else None


def _read(state: State, tool: ToolName, part: Part, said: Mapping[str, Any]) -> Found:
    """What the model says in the user's words comes first, then what code found, then the model's own words.

    An entry is what code found. Drugs that are checked together are those that code found, too: one that a model
    leaves out would pass for checked.
    """
    if part.need is not None and part.need.tool == tool:
        subject = part.need.subject
    else:
        subject = next(iter(_meant(state, tool, _words(part, said))), None)
    found, own = by_rule(state, tool, subject), sourced_arguments(state, tool, _for(tool, said), subject)
    first = {name: value for name, value in own.items() if value.source != "model" and name != "drug_names"}
    return declared(tool, {**own, **found.args, **({} if REGISTRY[tool].writes else first)})


def _meant(state: State, tool: ToolName, words: Sequence[str]) -> list[str]:
    """What of the message each of these words may mean, the model's arguments before what it calls the part."""
    found = [subject_of(state, tool, text) for text in words] or [subject_of(state, tool, "")]
    return [one for one in found if one is not None]


def _words(part: Part, said: Mapping[str, Any]) -> list[str]:
    told = " ".join(value if isinstance(value, str) else " ".join(value) for value in said.values())
    return [text for text in (told, part.query, part.words) if text]


def _for(tool: ToolName, said: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that this tool takes from a model; `patient` is whatever it knows the patient by."""
    fields = REGISTRY[tool].args.model_fields
    who = {name: said["patient"] for name in ("patient_id", "name") if name in fields and "patient" in said}
    return who | {name: value for name, value in said.items() if name in fields}
