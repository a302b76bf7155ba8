"""Choose one tool out of those code left open, then its arguments. Two stages: joint selection loses ten points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docgemma.agent.arguments import Found, Sourced, declared
from docgemma.agent.asking import Live, Variables, ask_model, prompt_of, results_so_far
from docgemma.agent.progress import needs_left
from docgemma.agent.queries import (
    by_rule,
    details_prompt,
    likeliest_tools,
    listed_arguments,
    planned_call,
    resumed_call,
    sourced_arguments,
    subject_for,
    tool_step,
)
from docgemma.agent.schemas import ToolSelection, tool_selection
from docgemma.agent.shortcuts import shortcut_reason
from docgemma.agent.state import State, step
from docgemma.clinical import By, TimelineStep
from docgemma.llm.contract import Prompt
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import REGISTRY, Tool, ToolName

STAGE_1_TOKENS = 64
STAGE_2_TOKENS = 128
EXAMPLE_OF: dict[ToolName, str] = {
    "check_drug_safety": "Does flecainide carry a boxed warning?",
    "check_drug_interactions": "Can I give clarithromycin to someone who takes simvastatin and amlodipine?",
    "search_medical_literature": "What has been published on colchicine after pericarditis?",
    "find_clinical_trials": "Which studies are enrolling people with cystic fibrosis?",
    "search_patient": "Look up Helen Brandt in our system",
    "get_patient_chart": "Show me the latest labs of patient kdm-204",
    "prescribe_medication": "Order doxycycline 100 mg twice daily for patient kdm-204",
    "add_allergy": "Record that patient kdm-204 gets hives from shellfish",
    "save_clinical_note": "Put a procedure note into the chart of kdm-204: knee aspirated, 20 mL clear fluid",
    "analyze_medical_image": "Is the line tip in the right place on this film?",
}
"""One worked example for each tool: a model that sees the one for the suggested tool selects better."""


async def tool_select(state: State, runtime: Live) -> State:
    """The next tool and what to tell it."""
    action = state.get("action")
    if action == "retry_same":
        return {"action": None, "timeline": tool_step("tool_select", state["tool"], "same again")}
    if action == "retry_different_args":
        return await _with_arguments(state, runtime, REGISTRY[state["tool"]], [], retry=True)
    if (resumed := resumed_call(state, "tool_select")) is not None:
        return resumed
    return await _with_arguments(state, runtime, *await _stage_1(state, runtime))


async def _stage_1(state: State, runtime: Live) -> tuple[Tool, list[TimelineStep]]:
    """Only the tool. The prompt always lists all ten; candidates narrow the enum."""
    names = left_open(state)
    if "one_candidate" in runtime.context.shortcuts and len(names) == 1:
        return REGISTRY[names[0]], tool_step("tool_select", names[0], shortcut_reason("one_candidate"))
    schema = tool_selection((*names, "none") if state["runs"] else names)
    answer, by = await ask_model(runtime, selection_prompt(state, names), schema, STAGE_1_TOKENS)
    if answer.tool_name == "none":
        return REGISTRY[names[0]], tool_step("tool_select", names[0], "the request still needs it")
    tool = REGISTRY[answer.tool_name]
    return tool, tool_step("tool_select", tool.name, by=by)


def left_open(state: State) -> tuple[ToolName, ...]:
    """What code leaves the model to choose from, the likeliest first."""
    return likeliest_tools(state, needs_left(state), tuple(run.tool for run in state["runs"]))


def selection_prompt(state: State, names: Sequence[ToolName]) -> Prompt:
    """What the model is asked first: which tool."""
    example = state.get("suggested_tool") or names[0]
    return prompt_of(
        state,
        "tool_select",
        example_query=Trusted(EXAMPLE_OF[example]),
        example_tool=Trusted(example),
        results=results_so_far(state),
        candidates=names,
    )


def arguments_prompt(state: State, tool: Tool, found: Found, *, retry: bool = False) -> Prompt:
    """What the model is asked next: what to tell the tool."""
    previous = "; ".join(f"{name}: {sourced.value}" for name, sourced in state["args"].items()) if retry else ""
    return details_prompt(state, "tool_select_arguments", tool, found.args, previous=previous)


async def _with_arguments(
    state: State, runtime: Live, tool: Tool, steps: list[TimelineStep], *, retry: bool = False
) -> State:
    """Arguments by rule where all are found with a source; otherwise the model reads, and code checks what it read.

    Of an entry no model fills anything in: what is missing is asked for.
    """
    found = by_rule(state, tool.name, subject_for(state, tool, {}))
    by: By = "code"
    why = ""
    if not retry and (tool.writes or not found.missing) and "arguments_found" in runtime.context.shortcuts:
        why = f" ({shortcut_reason('arguments_found')})"
    else:
        found, by = await _stage_2(state, runtime, tool, found, retry=retry)
    read = step("tool_select", "Reading the details", listed_arguments(found) + why, by=by)
    return planned_call("tool_select", tool.name, found) | {"timeline": [*steps, *read]}


async def _stage_2(state: State, runtime: Live, tool: Tool, found: Found, *, retry: bool) -> tuple[Found, By]:
    """The model fills the tool's schema; what the user's words do not support counts as missing."""
    prompt = arguments_prompt(state, tool, found, retry=retry)
    answer, by = await ask_model(runtime, prompt, tool.args, STAGE_2_TOKENS)
    said = sourced_arguments(state, tool.name, answer.model_dump(exclude_none=True), subject_for(state, tool, {}))
    args = {**found.args, **_other_words(said, found.args)} if retry else {**said, **found.args}
    return declared(tool.name, args), by


def _other_words(proposed: Mapping[str, Sourced], said: Mapping[str, Sourced]) -> dict[str, Sourced]:
    """A retry may put a search into other words; who asked about one drug is not told of another instead."""
    return {
        name: value
        for name, value in proposed.items()
        if not (name == "drug_name" and name in said and value.source == "model")
    }


def rule(variables: Variables) -> ToolSelection:
    """Without a model: the first candidate, which is the most likely one."""
    return ToolSelection(tool_name=variables["candidates"][0])
