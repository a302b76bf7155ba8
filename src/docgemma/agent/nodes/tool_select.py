"""Choose one tool out of those code left open, then its arguments. Two stages: joint selection loses ten points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent import arguments
from docgemma.agent.arguments import Found, Sourced
from docgemma.agent.examples import example_for
from docgemma.agent.progress import known_ids, needs_left
from docgemma.agent.prompts import render
from docgemma.agent.queries import TOOL_LIST, by_rule, listed, results_so_far, subject_for
from docgemma.agent.schemas import ToolSelection, tool_selection
from docgemma.agent.shortcuts import used
from docgemma.agent.state import Services, State, patient_banner, patient_context, step
from docgemma.agent.subtasks import searches_first
from docgemma.agent.understanding.needs import candidates
from docgemma.clinical import By, TimelineStep
from docgemma.llm.contract import Prompt, current_usage
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import REGISTRY, Tool, ToolName

STAGE_1_TOKENS = 64
STAGE_2_TOKENS = 128


async def tool_select(state: State, runtime: Runtime[Services]) -> State:
    """The next tool and what to tell it."""
    action = state.get("action")
    if action == "retry_same":
        return {"action": None, "timeline": _chosen(REGISTRY[state["tool"]], "same again")}
    if action == "retry_different_args":
        tool, steps = REGISTRY[state["tool"]], []
    elif (resumed := state.get("resumed")) is not None and not searches_first(state):
        name, args = resumed
        tool, steps = REGISTRY[name], _chosen(REGISTRY[name], _resumed(state))
        return await _with_arguments(state | {"resumed": None}, runtime, tool, steps, given=args) | {"resumed": None}
    else:
        tool, steps = await _stage_1(state, runtime)
    return await _with_arguments(state, runtime, tool, steps) | {"action": None}


def _resumed(state: State) -> str:
    return f"page {state['page']} of the search before" if "page" in state else "the interrupted request"


async def _stage_1(state: State, runtime: Runtime[Services]) -> tuple[Tool, list[TimelineStep]]:
    """Only the tool. The prompt always lists all ten; candidates narrow the enum."""
    names = left_open(state)
    if "one_candidate" in runtime.context.shortcuts and len(names) == 1:
        return REGISTRY[names[0]], _chosen(REGISTRY[names[0]], used("one_candidate"))
    schema = tool_selection((*names, "none") if state["runs"] else names)
    answer = await runtime.context.llm.decide(selection_prompt(state, names), schema, max_tokens=STAGE_1_TOKENS)
    if answer.tool_name == "none":
        return REGISTRY[names[0]], _chosen(REGISTRY[names[0]], "the request still needs it")
    return REGISTRY[answer.tool_name], _chosen(REGISTRY[answer.tool_name], by=current_usage().answered_by)


def left_open(state: State) -> tuple[ToolName, ...]:
    """What code leaves the model to choose from, the likeliest first."""
    return candidates(
        state["entities"],
        needs_left(state),
        has_image=state.get("image") is not None,
        patient_known=bool(known_ids(state)) or patient_banner(state) != "",
        done=tuple(run.tool for run in state["runs"]),
    )


def selection_prompt(state: State, names: Sequence[ToolName]) -> Prompt:
    """What the model is asked first: which tool."""
    example_query, example_tool = example_for(state.get("suggested_tool") or names[0])
    return render(
        "tool_select",
        message=state["request"],
        patient=patient_context(state),
        tool_list=TOOL_LIST,
        example_query=Trusted(example_query),
        example_tool=Trusted(example_tool),
        results=results_so_far(state),
        candidates=names,
    )


async def _with_arguments(
    state: State,
    runtime: Runtime[Services],
    tool: Tool,
    steps: list[TimelineStep],
    given: Mapping[str, Sourced] | None = None,
) -> State:
    """Arguments by rule where all are found with a source; otherwise the model reads, and code checks what it read."""
    found = by_rule(state, tool.name, subject_for(state, tool, given or {}), given)
    retry = state.get("action") == "retry_different_args"
    by_code = given is not None or (not found.missing and "arguments_found" in runtime.context.shortcuts)
    if retry or not by_code:
        found, by = await _stage_2(state, runtime, tool, found, retry=retry), current_usage().answered_by
        steps = [*steps, *step("tool_select", "Reading the details", listed(found), by=by)]
    else:
        why = "" if given is not None else f" ({used('arguments_found')})"
        steps = [*steps, *step("tool_select", "Reading the details", listed(found) + why)]
    return {"tool": tool.name, "args": found.args, "missing": found.missing, "timeline": steps}


async def _stage_2(state: State, runtime: Runtime[Services], tool: Tool, found: Found, *, retry: bool) -> Found:
    """The model fills the tool's schema; what the user's words do not support counts as missing."""
    prompt = arguments_prompt(state, tool, found, retry=retry)
    answer = await runtime.context.llm.decide(prompt, tool.args, max_tokens=STAGE_2_TOKENS)
    checked = arguments.check_model_args(
        tool.name,
        answer.model_dump(exclude_none=True),
        state["entities"],
        earlier=state.get("read_before", ()),
        known_ids=known_ids(state, subject_for(state, tool, {})),
        pinned=state.get("picked") or state.get("pinned"),
    )
    args = {**checked.args, **found.args} if not retry else {**found.args, **_other_words(checked.args, found.args)}
    return Found(args=args, missing=tuple(name for name in checked.missing if name not in args))


def arguments_prompt(state: State, tool: Tool, found: Found, *, retry: bool = False) -> Prompt:
    """What the model is asked next: what to tell the tool.

    The prompt names what the rules detected: alone, a 4B model misses two drug names out of five.
    """
    entities = state["entities"]
    return render(
        "tool_select_arguments",
        message=state["request"],
        tool_name=Trusted(tool.name),
        tool_description=Trusted(tool.description),
        results=results_so_far(state),
        patient_ids=[mention.value for mention in entities.patient_ids],
        person_names=[mention.value for mention in entities.person_names],
        drug_names=entities.drug_names(),
        previous=_plain(state["args"]) if retry else "",
        found={name: sourced.value for name, sourced in found.args.items()},
        schema=tool.args,
    )


def _other_words(proposed: Mapping[str, Sourced], said: Mapping[str, Sourced]) -> dict[str, Sourced]:
    """A retry may put a search into other words; who asked about one drug is not told of another instead."""
    return {
        name: value
        for name, value in proposed.items()
        if not (name == "drug_name" and name in said and value.source == "model")
    }


def rule(variables: Mapping[str, Any]) -> ToolSelection:
    """Without a model: the first candidate, which is the most likely one."""
    return ToolSelection(tool_name=variables["candidates"][0])


def _plain(args: Mapping[str, Sourced]) -> str:
    return "; ".join(f"{name}: {sourced.value}" for name, sourced in args.items())


def _chosen(tool: Tool, why: str = "", by: By = "code") -> list[TimelineStep]:
    detail = f"{tool.label} ({why})" if why else tool.label
    return step("tool_select", "Choosing an action", detail, by=by)
