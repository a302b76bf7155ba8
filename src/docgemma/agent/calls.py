"""From one of the seven names of the first specification to a call that may be made.

The model says which and about what. Whom a record belongs to, whether an entry may be prepared, and every field of
one, come from the user's words; a look-up may use the model's own where the user gave none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docgemma.agent.aliases import MEANT, RECORD, UPDATE, OldName
from docgemma.agent.arguments import Found, Sourced
from docgemma.agent.arguments.sourced import is_pinned
from docgemma.agent.decomposition import Part
from docgemma.agent.progress import known_ids, needs_left
from docgemma.agent.queries import by_rule, checked, likeliest, subject_of
from docgemma.agent.state import State
from docgemma.tools.registry import REGISTRY, ToolName

NOT_ASKED = (
    "No entry was prepared: the message asks for none. Say what to prescribe, or which allergy or note to enter."
)
NOBODY = "nobody of this name was found"
_TELLS: Mapping[str, ToolName] = {
    "medication_name": "prescribe_medication",
    "dosage": "prescribe_medication",
    "substance": "add_allergy",
    "note_type": "save_clinical_note",
}
"""Which entry a model means, by what it says of it."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and what to tell it."""

    tool: ToolName
    found: Found


@dataclass(frozen=True, slots=True)
class Refused:
    """No call, and why. `notice`: what the user is told of it."""

    why: str
    notice: str = ""


def call_for(state: State, part: Part, name: OldName, said: Mapping[str, Any]) -> Call | Refused:
    """What the model's plan for a part comes to."""
    if name == RECORD:
        return _record(state, _words(part, said))
    if name == UPDATE:
        return _update(state, part, said)
    (tool,) = MEANT[name]
    subject = _subject(state, tool, part, _words(part, said))
    return Call(tool, _read(state, tool, subject, said))


def by_need(state: State, part: Part) -> Call | Refused:
    """A part that code made after the user's answer: nobody is asked how to plan it."""
    need = part.need
    if need is None or need not in needs_left(state):
        return Refused("nothing is left to look up for this part")
    return Call(need.tool, by_rule(state, need.tool, need.subject))


def _record(state: State, words: Sequence[str]) -> Call | Refused:
    """By id where one is known; a name is searched for first, and its search alone gives the id."""
    written = {mention.value for mention in state["entities"].patient_ids}
    named = next((one for one in _meant(state, "get_patient_chart", words) if one in written), None)
    if named is not None:
        return Call("get_patient_chart", by_rule(state, "get_patient_chart", named))
    person = _person(state, words)
    if person is None:
        return Call("get_patient_chart", by_rule(state, "get_patient_chart", None))
    if not _searched(state, person):
        return Call("search_patient", by_rule(state, "search_patient", person))
    if not known_ids(state, person):
        return Refused(NOBODY)
    return Call("get_patient_chart", by_rule(state, "get_patient_chart", person))


def _person(state: State, words: Sequence[str]) -> str | None:
    """Who has to be looked up by name: the one that the part speaks of, else the next that was not searched for."""
    entities, here = state["entities"], state.get("picked") or state.get("pinned")
    names = [mention.value for mention in entities.person_names]
    if not names or state.get("picked") or (here is not None and is_pinned(entities, here)):
        return None
    spoken = next((one for one in _meant(state, "search_patient", words) if one in names), None)
    if spoken is not None:
        return spoken
    if entities.patient_ids:
        return None
    return next((name for name in names if not _searched(state, name)), names[-1])


def _searched(state: State, person: str) -> bool:
    return any(
        run.tool == "search_patient" and str(run.args.get("name", "")).casefold() == person.casefold()
        for run in state["runs"]
    )


def _update(state: State, part: Part, said: Mapping[str, Any]) -> Call | Refused:
    """The entry that the user's words ask for; a model that wants one they do not ask for gets none."""
    asked = [tool for tool in likeliest(state) if REGISTRY[tool].writes]
    left = [need.tool for need in needs_left(state) if need.tool in asked]
    if not asked:
        return Refused("the message asks for no entry", NOT_ASKED)
    told = next((_TELLS[name] for name in said if _TELLS.get(name) in asked), None)
    tool = part.need.tool if part.need is not None and part.need.tool in asked else told or [*left, *asked][0]
    subject = _subject(state, tool, part, _words(part, said))
    found = by_rule(state, tool, subject)
    args = {**checked(state, tool, _for(tool, said), subject), **found.args}
    return Call(tool, _with(found, args))


def _read(state: State, tool: ToolName, subject: str | None, said: Mapping[str, Any]) -> Found:
    """What the model says in the user's words comes first, then what code found, then the model's own words.

    Drugs that are checked together are those that code found: one that a model leaves out would pass for checked.
    """
    found = by_rule(state, tool, subject)
    own = checked(state, tool, _for(tool, said), subject)
    args = dict(found.args)
    for name, value in own.items():
        if name not in args or (value.source != "model" and name != "drug_names"):
            args[name] = value
    return _with(found, args)


def _subject(state: State, tool: ToolName, part: Part, words: Sequence[str]) -> str | None:
    """Which of several drugs, substances or topics the part is about."""
    if part.need is not None and part.need.tool == tool:
        return part.need.subject
    return next(iter(_meant(state, tool, words)), None)


def _meant(state: State, tool: ToolName, words: Sequence[str]) -> list[str]:
    """What of the message each of these words may mean, the model's arguments before what it calls the part."""
    found = [subject_of(state, tool, text) for text in words if text] or [subject_of(state, tool, "")]
    return [one for one in found if one is not None]


def _words(part: Part, said: Mapping[str, Any]) -> list[str]:
    told = " ".join(value if isinstance(value, str) else " ".join(value) for value in said.values())
    return [text for text in (told, part.context, part.intent) if text]


def _for(tool: ToolName, said: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that this tool takes from a model; `patient` is whatever it knows the patient by."""
    fields = REGISTRY[tool].args.model_fields
    who = {name: said["patient"] for name in ("patient_id", "name") if name in fields and "patient" in said}
    return who | {name: value for name, value in said.items() if name in fields}


def _with(found: Found, args: Mapping[str, Sourced]) -> Found:
    return Found(args=dict(args), missing=tuple(name for name in found.missing if name not in args))
