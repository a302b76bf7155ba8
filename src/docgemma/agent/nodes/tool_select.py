"""Choose one tool out of those code left open, then its arguments. Two stages: joint selection loses ten points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel

from docgemma.agent import arguments
from docgemma.agent.arguments import Found, Sourced
from docgemma.agent.examples import example_for
from docgemma.agent.progress import known_ids, medicines_read, needs_left
from docgemma.agent.prompts import render
from docgemma.agent.requests.patterns import candidates
from docgemma.agent.schemas import ToolSelection, tool_selection
from docgemma.agent.shortcuts import used
from docgemma.agent.state import Services, State, patient_banner, patient_context, step
from docgemma.clinical import By, TimelineStep
from docgemma.llm.contract import current_usage
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import REGISTRY, TOOLS, Tool

STAGE_1_TOKENS = 64
STAGE_2_TOKENS = 128
TOOL_LIST = Trusted("\n".join(tool.line() for tool in TOOLS))


async def tool_select(state: State, runtime: Runtime[Services]) -> State:
    """The next tool and what to tell it."""
    action = state.get("action")
    if action == "retry_same":
        return {"action": None, "timeline": _chosen(REGISTRY[state["tool"]], "same again")}
    if action == "retry_different_args":
        tool, steps = REGISTRY[state["tool"]], []
    elif (resumed := state.get("resumed")) is not None and not _searches_first(state):
        name, args = resumed
        tool, steps = REGISTRY[name], _chosen(REGISTRY[name], _resumed(state))
        return await _with_arguments(state | {"resumed": None}, runtime, tool, steps, given=args) | {"resumed": None}
    else:
        tool, steps = await _stage_1(state, runtime)
    return await _with_arguments(state, runtime, tool, steps) | {"action": None}


def _searches_first(state: State) -> bool:
    """A name in answer to "which patient?" is looked up before the interrupted request goes on."""
    return bool(state.get("named")) and not state["runs"]


def _resumed(state: State) -> str:
    return f"page {state['page']} of the search before" if "page" in state else "the interrupted request"


async def _stage_1(state: State, runtime: Runtime[Services]) -> tuple[Tool, list[TimelineStep]]:
    """Only the tool. The prompt always lists all ten; candidates narrow the enum."""
    left, reentry = needs_left(state), bool(state["runs"])
    names = candidates(
        state["request"],
        state["entities"],
        left,
        has_image=state.get("image") is not None,
        patient_known=bool(known_ids(state)) or patient_banner(state) != "",
        done=tuple(run.tool for run in state["runs"]),
    )
    if "one_candidate" in runtime.context.shortcuts and len(names) == 1:
        return REGISTRY[names[0]], _chosen(REGISTRY[names[0]], used("one_candidate"))
    suggested = state.get("suggested_tool") or names[0]
    example_query, example_tool = example_for(suggested)
    prompt = render(
        "tool_select",
        message=state["request"],
        patient=patient_context(state),
        tool_list=TOOL_LIST,
        example_query=Trusted(example_query),
        example_tool=Trusted(example_tool),
        results=_results(state),
        candidates=names,
    )
    schema = tool_selection((*names, "none") if reentry else names)
    answer = await runtime.context.llm.decide(prompt, schema, max_tokens=STAGE_1_TOKENS)
    if answer.tool_name == "none":
        return REGISTRY[names[0]], _chosen(REGISTRY[names[0]], "the request still needs it")
    return REGISTRY[answer.tool_name], _chosen(REGISTRY[answer.tool_name], by=current_usage().answered_by)


async def _with_arguments(
    state: State,
    runtime: Runtime[Services],
    tool: Tool,
    steps: list[TimelineStep],
    given: Mapping[str, Sourced] | None = None,
) -> State:
    """Arguments by rule where all are found with a source; otherwise the model reads, and code checks what it read."""
    found = _by_rule(state, tool, given or {})
    retry = state.get("action") == "retry_different_args"
    by_code = given is not None or (not found.missing and "arguments_found" in runtime.context.shortcuts)
    if retry or not by_code:
        found, by = await _stage_2(state, runtime, tool, found, retry=retry), current_usage().answered_by
        steps = [*steps, *step("tool_select", "Reading the details", _listed(found), by=by)]
    else:
        why = "" if given is not None else f" ({used('arguments_found')})"
        steps = [*steps, *step("tool_select", "Reading the details", _listed(found) + why)]
    return {"tool": tool.name, "args": found.args, "missing": found.missing, "timeline": steps}


def _by_rule(state: State, tool: Tool, given: Mapping[str, Sourced]) -> Found:
    subject = _subject(state, tool, given)
    found = arguments.find(
        tool.name,
        subject,
        state["request"],
        state["entities"],
        earlier=state.get("earlier", ()),
        pinned=state.get("picked") or state.get("pinned"),
        known_ids=known_ids(state, subject),
        taken=medicines_read(state),
    )
    args = {**found.args, **given}
    return Found(args=args, missing=tuple(name for name in found.missing if name not in args))


def _subject(state: State, tool: Tool, given: Mapping[str, Sourced]) -> str | None:
    """Which of several drugs, substances or patients this call is about: what was resumed, else the next need."""
    for name in ("medication_name", "substance", "drug_name"):
        if name in given:
            return str(given[name].value)
    return next((need.subject for need in needs_left(state) if need.tool == tool.name), None)


async def _stage_2(state: State, runtime: Runtime[Services], tool: Tool, found: Found, *, retry: bool) -> Found:
    """The model fills the tool's schema; what the user's words do not support counts as missing.

    The prompt names what the rules detected: alone, a 4B model misses two drug names out of five.
    """
    entities = state["entities"]
    prompt = render(
        "tool_select_arguments",
        message=state["request"],
        tool_name=Trusted(tool.name),
        tool_description=Trusted(tool.description),
        results=_results(state),
        patient_ids=[mention.value for mention in entities.patient_ids],
        person_names=[mention.value for mention in entities.person_names],
        drug_names=entities.drug_names(),
        previous=_plain(state["args"]) if retry else "",
        found={name: sourced.value for name, sourced in found.args.items()},
        schema=tool.args,
    )
    answer = await runtime.context.llm.decide(prompt, tool.args, max_tokens=STAGE_2_TOKENS)
    checked = arguments.check_model_args(
        tool.name,
        answer.model_dump(exclude_none=True),
        state["request"],
        earlier=state.get("earlier", ()),
        known_ids=known_ids(state, _subject(state, tool, {})),
        pinned=state.get("picked") or state.get("pinned"),
    )
    args = {**checked.args, **found.args} if not retry else {**found.args, **checked.args}
    return Found(args=args, missing=tuple(name for name in checked.missing if name not in args))


def rule(variables: Mapping[str, Any]) -> ToolSelection:
    """Without a model: the first candidate, which is the most likely one."""
    return ToolSelection(tool_name=variables["candidates"][0])


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


def _results(state: State) -> list[dict[str, str]]:
    return [{"label": run.label, "text": run.result.text()} for run in state["runs"] if not run.failed]


def _plain(args: Mapping[str, Sourced]) -> str:
    return "; ".join(f"{name}: {sourced.value}" for name, sourced in args.items())


def _listed(found: Found) -> str:
    """Which details are there and which are not, by name only: the timeline repeats no values."""
    given = ", ".join(found.args).replace("_", " ")
    absent = ", ".join(found.missing).replace("_", " ")
    return "; ".join(part for part in (given and f"given: {given}", absent and f"missing: {absent}") if part)


def _chosen(tool: Tool, why: str = "", by: By = "code") -> list[TimelineStep]:
    detail = f"{tool.label} ({why})" if why else tool.label
    return step("tool_select", "Choosing an action", detail, by=by)
