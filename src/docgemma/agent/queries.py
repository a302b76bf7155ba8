"""From a tool and a line of words to a call that can be made.

The older graphs let the model name a tool and say in a few words what to look up with it. What it says counts for
reading alone: an entry is made of the user's own words, whatever the model would like to see in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from docgemma.agent.arguments import Context, Found, Sourced, check_model_args, declared, find
from docgemma.agent.asking import Variables, prompt_of, results_so_far
from docgemma.agent.progress import current_part, known_ids, medicines_read, named_in_full, needs_left, searches_first
from docgemma.agent.state import State, patient_banner, step
from docgemma.agent.understanding.needs import Need, candidates
from docgemma.clinical import By, TimelineStep
from docgemma.entities.drugs.names import drugs_in, same_drug
from docgemma.entities.ids import find_patient_ids
from docgemma.llm.contract import Prompt
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, Tool, ToolName

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
    sensible = {name for name in likeliest_tools(state) if not REGISTRY[name].writes}
    return tuple(name for name in TOOL_NAMES if name in asked | sensible)


def likeliest_tools(state: State, wanted: Sequence[Need] = (), done: Sequence[ToolName] = ()) -> tuple[ToolName, ...]:
    """Of these needs the tools, else every tool that could make sense for the message, the likeliest first."""
    return candidates(
        state["entities"],
        wanted,
        has_image=state.get("image") is not None,
        patient_known=bool(known_ids(state)) or patient_banner(state) != "",
        done=done,
    )


def by_rule(state: State, tool: ToolName, subject: str | None, given: Mapping[str, Sourced] | None = None) -> Found:
    """What the rules find in the user's words and on screen, with what an interrupted request already had."""
    found = find(tool, _context(state, subject))
    return declared(tool, {**found.args, **(given or {})})


def arguments_for(state: State, tool: ToolName, query: str) -> Found:
    """The arguments of a call that a model asked for in its own words.

    A query that names what the user named is the user's; for a look-up another one counts where it can be used.
    """
    query = " ".join(query.split())
    subject = subject_of(state, tool, query)
    found = by_rule(state, tool, subject)
    if REGISTRY[tool].writes or not query or (subject is not None and not found.missing):
        return found
    said = sourced_arguments(state, tool, _read(tool, query, found), subject)
    if tool == "search_patient":  # a person whom nobody named is nobody to search for
        said = {name: value for name, value in said.items() if value.source != "model"}
    own = {name: value for name, value in said.items() if name not in _BY_USER}
    return declared(tool, {**said, **found.args, **own})


def sourced_arguments(
    state: State, tool: ToolName, args: Mapping[str, Any], subject: str | None = None
) -> dict[str, Sourced]:
    """Of what a model filled in, all that has a source."""
    return check_model_args(tool, args, _context(state, subject)).args


def _context(state: State, subject: str | None) -> Context:
    return Context(
        state["entities"],
        subject,
        earlier=state.get("read_before", ()),
        pinned=state.get("picked") or state.get("pinned"),
        known_ids=known_ids(state, subject),
        found=named_in_full(state),
        taken=medicines_read(state),
    )


def subject_of(state: State, tool: ToolName, query: str) -> str | None:
    """Which of several drugs, people or topics of the message the query means; without a word of it the next one."""
    wanted = [need.subject for need in needs_left(state) if need.tool == tool]
    meant = query.casefold()
    for subject in (*wanted, *_named(state, tool)):
        if subject and (subject.casefold() in meant or any(same_drug(drug.value, subject) for drug in drugs_in(query))):
            return subject
    return wanted[0] if wanted and (not query or REGISTRY[tool].writes) else None


def can_be_reread(missing: tuple[str, ...]) -> bool:
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


def listed_arguments(found: Found) -> str:
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


def tool_step(node: str, tool: ToolName, why: str = "", by: By = "code") -> list[TimelineStep]:
    """The timeline's line of the tool that comes next."""
    label = REGISTRY[tool].label
    return step(node, "Choosing an action", f"{label} ({why})" if why else label, by=by)


def planned_call(node: str, tool: ToolName, found: Found, why: str = "", by: By = "code") -> State:
    """The call that comes next, with its lines of the timeline."""
    told = [*tool_step(node, tool, why, by), *step(node, "Reading the details", listed_arguments(found))]
    return State(tool=tool, args=found.args, missing=found.missing, planned=True, action=None, timeline=told)


def not_planned(node: str, why: str, by: By = "code") -> State:
    """No call for this part, and why."""
    return {"planned": False, "action": None, "timeline": step(node, "Choosing an action", why, by=by)}


def resumed_call(state: State, node: str) -> State | None:
    """The call that the user's answer completed; None where there is none, or its patient has to be found first."""
    resumed = state.get("resumed")
    if resumed is None or searches_first(state):
        return None
    name, given = resumed
    found = by_rule(state, name, subject_for(state, REGISTRY[name], given), given)
    why = f"page {state['page']} of the search before" if "page" in state else "the interrupted request"
    return planned_call(node, name, found, why) | {"resumed": None}


def known_call(state: State, node: str) -> State | None:
    """The call of a part that no model is asked about; not planned where nothing is left to look up for it."""
    if (resumed := resumed_call(state, node)) is not None:
        return resumed
    part = current_part(state)
    if part is None or part.need is None:
        return None
    if part.need not in needs_left(state):
        return not_planned(node, "nothing left to look up for this part")
    if part.tool is None:
        return None
    return planned_call(node, part.tool, by_rule(state, part.tool, part.need.subject))


def details_prompt(state: State, name: str, tool: Tool, args: Mapping[str, Sourced], **own: Any) -> Prompt:
    """What the model is asked of one tool's arguments.

    It is told what the rules detected: alone, a 4B model misses two drug names out of five.
    """
    entities = state["entities"]
    return prompt_of(
        state,
        name,
        tool_name=Trusted(tool.name),
        tool_description=Trusted(tool.description),
        results=results_so_far(state),
        patient_ids=[mention.value for mention in entities.patient_ids],
        person_names=[mention.value for mention in entities.person_names],
        drug_names=entities.drug_names(),
        found={name: sourced.value for name, sourced in args.items()},
        schema=tool.args,
        **own,
    )


def arguments_rule(variables: Variables) -> BaseModel:
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
