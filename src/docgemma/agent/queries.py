"""From a tool and a line of words to the arguments of a call.

The older graphs let the model name a tool and say in a few words what to look up with it. What it says counts for
reading alone: an entry is made of the user's own words, whatever the model would like to see in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from docgemma.agent import arguments
from docgemma.agent.arguments import Found, Sourced
from docgemma.agent.progress import known_ids, medicines_read, named_in_full, needs_left
from docgemma.agent.state import State, patient_banner
from docgemma.agent.understanding.needs import candidates
from docgemma.entities.drugs.names import drugs_in, same_drug
from docgemma.entities.ids import find_patient_ids
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, TOOLS, Tool, ToolName

TOOL_LIST = Trusted("\n".join(tool.line() for tool in TOOLS))
"""All ten, as a prompt shows them: the list never varies, so that a server can keep it in its cache."""

LONGEST_NAME = 3
"""Words of a query that may be the name of a drug which the dictionary does not know."""

_BY_PERSON = frozenset({"image", "patient_id"})
"""What no model can fill in: it is attached, named or picked by the user, or it is not there."""

_BY_USER = frozenset({"patient_id", "name", "drug_names"})
"""What the words of the request decide where they say it: another patient is nobody's answer, and a drug that is left
out of a check would pass for checked."""


def open_tools(state: State) -> tuple[ToolName, ...]:
    """What a model may choose from, in the registry's order. An entry is open only while the user's words ask for it.

    Every look-up that the words ask for is open, also one that still lacks its patient: then the user is asked.
    """
    asked = {need.tool for need in needs_left(state)}
    sensible = {name for name in likeliest(state) if not REGISTRY[name].writes}
    return tuple(name for name in TOOL_NAMES if name in asked | sensible)


def likeliest(state: State) -> tuple[ToolName, ...]:
    """Every tool that could make sense for the message, the likeliest first."""
    return candidates(
        state["entities"],
        (),
        has_image=state.get("image") is not None,
        patient_known=bool(known_ids(state)) or patient_banner(state) != "",
    )


def by_rule(state: State, tool: ToolName, subject: str | None, given: Mapping[str, Sourced] | None = None) -> Found:
    """What the rules find in the user's words and on screen, with what an interrupted request already had."""
    found = arguments.find(
        tool,
        subject,
        state["request"],
        state["entities"],
        earlier=state.get("read_before", ()),
        pinned=state.get("picked") or state.get("pinned"),
        known_ids=known_ids(state, subject),
        found=named_in_full(state),
        taken=medicines_read(state),
    )
    args = {**found.args, **(given or {})}
    return Found(args=args, missing=tuple(name for name in found.missing if name not in args))


def arguments_for(state: State, tool: ToolName, query: str) -> Found:
    """The arguments of a call that a model asked for in its own words.

    A query that names what the user named is the user's; for a look-up another one counts where it can be used.
    """
    query = " ".join(query.split())
    subject = subject_of(state, tool, query)
    found = by_rule(state, tool, subject)
    if REGISTRY[tool].writes or not query or (subject is not None and not found.missing):
        return found
    said = checked(state, tool, _read(tool, query, found), subject)
    if tool == "search_patient":  # a person whom nobody named is nobody to search for
        said = {name: value for name, value in said.items() if value.source != "model"}
    args = {**said, **found.args, **{name: value for name, value in said.items() if name not in _BY_USER}}
    return Found(args=args, missing=tuple(name for name in found.missing if name not in args))


def checked(state: State, tool: ToolName, args: Mapping[str, Any], subject: str | None = None) -> dict[str, Sourced]:
    """Of what a model filled in, all that has a source."""
    kept = arguments.check_model_args(
        tool,
        args,
        state["entities"],
        earlier=state.get("read_before", ()),
        known_ids=known_ids(state, subject),
        pinned=state.get("picked") or state.get("pinned"),
    )
    return kept.args


def subject_of(state: State, tool: ToolName, query: str) -> str | None:
    """Which of several drugs, people or topics of the message the query means; without a word of it the next one."""
    wanted = [need.subject for need in needs_left(state) if need.tool == tool]
    meant = query.casefold()
    for subject in (*wanted, *_named(state, tool)):
        if subject and (subject.casefold() in meant or any(same_drug(drug.value, subject) for drug in drugs_in(query))):
            return subject
    return wanted[0] if wanted and (not query or REGISTRY[tool].writes) else None


def fixable(missing: tuple[str, ...]) -> bool:
    """Whether another reading of the words could find what a call lacks."""
    return any(name not in _BY_PERSON for name in missing)


def _named(state: State, tool: ToolName) -> Iterator[str]:
    """What the message itself names that such a call could be about."""
    entities = state["entities"]
    if tool == "check_drug_safety":
        yield from entities.drug_names()
    if tool == "search_patient":
        yield from (mention.value for mention in entities.person_names)
    if tool == "get_patient_chart":
        yield from (mention.value for mention in entities.patient_ids)


def _read(tool: ToolName, query: str, found: Found) -> dict[str, Any]:
    """The query as the argument that it can only be."""
    drugs = list(dict.fromkeys(drug.value for drug in drugs_in(query)))
    match tool:
        case "check_drug_safety":
            unknown = query if "drug_name" not in found.args and len(query.split()) <= LONGEST_NAME else ""
            return {"drug_name": drugs[0] if drugs else unknown}
        case "check_drug_interactions":
            return {"drug_names": drugs} if len(drugs) > 1 else {}
        case "get_patient_chart":
            return {"patient_id": next((mention.value for mention in find_patient_ids(query)), "")}
        case "find_clinical_trials":
            return {"condition": query}
        case "search_patient":
            return {"name": query}
        case _:
            return {"query": query}


def results_so_far(state: State) -> list[dict[str, str]]:
    """What later nodes are told of earlier look-ups; one that failed says nothing."""
    return [{"label": run.label, "text": run.result.text()} for run in state["runs"] if not run.failed]


def listed(found: Found) -> str:
    """Which details are there and which are not, by name only: the timeline repeats no values."""
    given = ", ".join(found.args).replace("_", " ")
    absent = ", ".join(found.missing).replace("_", " ")
    return "; ".join(part for part in (given and f"given: {given}", absent and f"missing: {absent}") if part)


def subject_for(state: State, tool: Tool, given: Mapping[str, Sourced]) -> str | None:
    """Which of several drugs, substances or patients this call is about: what was resumed, else the next need."""
    for name in ("medication_name", "substance", "drug_name"):
        if name in given:
            return str(given[name].value)
    return next((need.subject for need in needs_left(state) if need.tool == tool.name), None)


def arguments_rule(variables: Mapping[str, Any]) -> BaseModel:
    """Without a model: what the rules found; blanks where nothing was said, which code then asks for."""
    schema: type[BaseModel] = variables["schema"]
    values = {name: value for name, value in variables["found"].items() if name in schema.model_fields}
    for name, field in schema.model_fields.items():
        if not field.is_required():
            continue
        if name == "drug_names":
            values[name] = [*values.get(name, []), "", ""][: max(2, len(values.get(name, [])))]
        else:
            values.setdefault(name, "")
    return schema.model_validate(values)
