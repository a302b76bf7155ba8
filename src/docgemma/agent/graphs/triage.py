"""The triage graph (specification v2): the model chooses one of four ways, and code keeps it safe on each.

Model calls a turn, without shortcuts. The specification's table holds: direct 2; look-up 2, or 3 when its details had
to be read again; several parts 3 + N for N parts, at most 3 + 3N. Its reasoning row says 4 to 5, which is 4 when the
thoughts ask for no look-up and 5 when they do: one or two tools cost no further call, for their details are found by
code, and thinking over the results is one call.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from docgemma.agent.asking import Live
from docgemma.agent.graphs.steps import Graph, Stage, compiled
from docgemma.agent.nodes.decompose_intent import decompose_intent
from docgemma.agent.nodes.extract_needs import extract_needs
from docgemma.agent.nodes.fix_args import fix_args
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.nodes.plan_tool import plan_tool
from docgemma.agent.nodes.reasoning import reasoning
from docgemma.agent.nodes.synthesize import synthesize
from docgemma.agent.nodes.thinking import thinking
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.nodes.triage_router import triage_router
from docgemma.agent.outcomes import ask_user, count_retry, gives_up, graded_last, quality_words, skip_run
from docgemma.agent.progress import (
    MAX_ASKED,
    MAX_ITERATIONS,
    current_part,
    later_parts,
    needs_left,
    next_part,
    planned_by_model,
    tries_left,
)
from docgemma.agent.queries import arguments_for, can_be_reread, likeliest_tools, planned_call
from docgemma.agent.router import Next, known_end
from docgemma.agent.state import State, ToolRun, step
from docgemma.agent.understanding.needs import SEARCHES
from docgemma.clinical import TRANSIENT
from docgemma.tools.registry import REGISTRY

Strategy = Literal["success", "needs_more_action", "retry_same", "retry_reformulate", "skip_subtask"]
SAID: dict[Strategy, str] = {
    "success": "done",
    "needs_more_action": "the patient is found, what was asked is still to be looked up",
    "retry_same": "tries the same again",
    "retry_reformulate": "tries other words",
    "skip_subtask": "goes on without it",
}


@cache
def build() -> Graph:
    """Compiled once a process."""
    return compiled(
        Stage(input_assembly, ("triage_router",)),
        Stage(triage_router, ("fast_path", "thinking", "decompose_intent", "plan_tool", "synthesize"), after_triage),
        Stage(fast_path, ("fix_args", "tool_execute"), after_fast_path),
        Stage(fix_args, ("tool_execute",)),
        Stage(thinking, ("extract_needs",)),
        Stage(extract_needs, ("plan_tool", "synthesize"), after_needs),
        Stage(decompose_intent, ("plan_tool",)),
        Stage(plan_tool, ("plan_tool", "fix_args", "tool_execute", "reasoning", "synthesize"), after_plan),
        Stage(tool_execute, ("assess_result",)),
        Stage(assess_result, ("tool_execute", "plan_tool", "reasoning", "synthesize"), after_assessment),
        Stage(reasoning, ("synthesize",)),
        Stage(synthesize),
    )


def after_triage(state: State) -> Next:
    """What code knows first; then an answered question goes on; then the way that the model chose."""
    known = known_end(state)
    if known is not None:
        return known
    if state.get("parts"):
        return Next("plan_tool", "the interrupted request goes on")
    match state["route"]:
        case "lookup":
            return Next("fast_path", "one look-up is enough")
        case "reasoning":
            return Next("thinking", "the case is thought through first")
        case "multi_step":
            return Next("decompose_intent", "the request has several parts")
        case _:
            return Next("synthesize", "no look-up is needed")


async def fast_path(state: State, runtime: Live) -> State:
    """The short way for a single look-up: tool and query are the triage's, the details are found and checked by code.

    Without a tool it is what the words ask for, else the likeliest that only reads.
    """
    reads = [name for name in likeliest_tools(state) if not REGISTRY[name].writes]
    tool = state.get("suggested_tool") or [*(need.tool for need in needs_left(state)), *reads][0]
    return planned_call("fast_path", tool, arguments_for(state, tool, state.get("query", "")))


def after_fast_path(state: State) -> Next:
    """Details that are not there are read once more before the call is made, or refused."""
    if can_be_reread(state["missing"]):
        return Next("fix_args", "a detail is missing")
    return Next("tool_execute", "the look-up can be made")


def after_needs(state: State) -> Next:
    """The thoughts ask for a look-up, or they do not."""
    if current_part(state) is not None:
        return Next("plan_tool", "the thoughts ask for a look-up")
    return Next("synthesize", "the thoughts ask for no look-up")


def after_plan(state: State) -> Next:
    """A part without a call leads to the next one; a call that lacks details is repaired while the budget allows."""
    if not state["planned"]:
        return _onward(state)
    look_up = not REGISTRY[state["tool"]].writes
    if look_up and planned_by_model(state) and state["asked"] < MAX_ASKED and can_be_reread(state["missing"]):
        return Next("fix_args", "a detail is missing")
    return Next("tool_execute", "the look-up can be made")


def after_assessment(state: State) -> Next:
    """A question or a card ends the turn; a retry goes back; otherwise the next part, or the end."""
    match state.get("action"):
        case "ask_user":
            return Next("synthesize", "a question to the user comes first")
        case "retry_same":
            return Next("tool_execute", "one more try")
        case "retry_different_args":
            return Next("plan_tool", "one more try in other words")
    if state["runs"][-1].result.status == "proposed":
        return Next("synthesize", "an entry waits for approval")
    return _onward(state)


def _onward(state: State) -> Next:
    if current_part(state) is not None:
        return Next("plan_tool", "the next part of the request")
    made = any(run.attempts for run in state["runs"])
    if state["route"] == "reasoning" and made:
        return Next("reasoning", "the results are thought over")
    return Next("synthesize", "all parts were worked on")


async def assess_result(state: State, runtime: Live) -> State:
    """Grade the newest run and choose what follows. No model grades here: a typed result says what it holds."""
    name, label = "assess_result", "Judging the result"
    if state.get("stuck"):
        return next_part(state) | {"stuck": False, "action": None, "timeline": step(name, label, "already looked up")}
    run, kept = graded_last(state)
    kept |= {"iterations": state.get("iterations", 0) + 1, "action": None}
    state = state | kept
    question = ask_user(state, run, name, label)
    if question is not None:
        return kept | question
    chosen = strategy(state, run)
    kept |= {"timeline": step(name, label, f"{quality_words(run)}; {SAID[chosen]}")}
    match chosen:
        case "retry_same":
            return kept | count_retry(state) | {"action": "retry_same"}
        case "retry_reformulate":
            return kept | count_retry(state) | {"action": "retry_different_args"}
        case "needs_more_action":
            return kept | {"retries": 0}
        case "skip_subtask":
            return kept | next_part(state) | skip_run(state, run)
        case _:
            return kept | next_part(state) | {"notices": _not_checked(state, run)}


def strategy(state: State, run: ToolRun) -> Strategy:
    """What may pass is tried again, an empty search in other words, the rest is left out."""
    done = gives_up(state, run) or state["iterations"] >= MAX_ITERATIONS
    if run.quality in ("error_retryable", "error_fatal"):
        return "retry_same" if not done and run.result.error_type in TRANSIENT else "skip_subtask"
    replanned = planned_by_model(state) and tries_left(state)
    if run.quality == "no_results" and run.tool in SEARCHES and replanned and not done:
        return "retry_reformulate"
    if run.tool == "search_patient" and run.result.status == "found" and replanned:
        asked = any(REGISTRY[need.tool].patient for need in needs_left(state))
        return "needs_more_action" if asked and not later_parts(state) else "success"
    return "success"


def _not_checked(state: State, run: ToolRun) -> list[str]:
    """A card that a model came to before every look-up was made says which were not: none of them is "nothing"."""
    part = current_part(state)
    if run.result.status != "proposed" or (part is not None and part.need is not None):
        return []
    return [
        f"Not checked before this entry: {REGISTRY[need.tool].label}{f' for {need.subject}' if need.subject else ''}."
        for need in needs_left(state)
        if not REGISTRY[need.tool].writes
    ]
