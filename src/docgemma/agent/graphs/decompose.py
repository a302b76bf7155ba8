"""The decompose graph (specification v1): think, take the request apart, then plan, execute and check each part.

Model calls a turn: direct 2; N parts 4 + N (complexity, thoughts, parts, one plan each, the answer). A chart that
follows a search by name, and a request that goes on after the user's answer, cost no plan.
"""

from __future__ import annotations

from functools import cache

from docgemma.agent.asking import Live
from docgemma.agent.graphs.steps import Graph, Stage, compiled
from docgemma.agent.nodes.complexity_router import complexity_router
from docgemma.agent.nodes.decompose_request import decompose_request
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.nodes.plan_call import plan_call
from docgemma.agent.nodes.synthesize import synthesize
from docgemma.agent.nodes.thinking_mode import thinking_mode
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.outcomes import ask_user, count_retry, graded_last, quality_words, skip_run
from docgemma.agent.progress import MAX_ITERATIONS, current_part, later_parts, needs_left, next_part
from docgemma.agent.router import Next, known_end
from docgemma.agent.schemas import Verdict
from docgemma.agent.state import MAX_TOTAL_RETRIES, State, ToolRun, step
from docgemma.clinical import TRANSIENT, TimelineStep
from docgemma.tools.registry import REGISTRY

MAX_TOOL_RETRIES = 3


@cache
def build() -> Graph:
    """Compiled once a process."""
    return compiled(
        Stage(input_assembly, ("complexity_router",)),
        Stage(complexity_router, ("thinking_mode", "plan_call", "synthesize"), after_complexity),
        Stage(thinking_mode, ("decompose_request",)),
        Stage(decompose_request, ("plan_call", "synthesize"), after_decomposition),
        Stage(plan_call, ("tool_execute", "check_result"), after_plan),
        Stage(tool_execute, ("check_result",)),
        Stage(check_result, ("plan_call", "tool_execute", "synthesize"), after_check),
        Stage(synthesize),
    )


def after_complexity(state: State) -> Next:
    """What code knows first. An attached image settles nothing: here a tool looks at it, as one part of the request."""
    known = known_end(state | {"image": None})
    if known is not None:
        return known
    if state["parts"] or state.get("resumed"):
        return Next("plan_call", "the interrupted request goes on")
    if state["complexity"] == "direct":
        return Next("synthesize", "no look-up is needed")
    return Next("thinking_mode", "the request is thought through first")


def after_decomposition(state: State) -> Next:
    if state.get("clarification"):
        return Next("synthesize", "a question to the user comes first")
    if not state["parts"]:
        return Next("synthesize", "the request has no part to look up")
    return Next("plan_call", "the first part of the request")


def after_plan(state: State) -> Next:
    if state["planned"]:
        return Next("tool_execute", "the look-up can be made")
    return Next("check_result", "there is no call to make")


def after_check(state: State) -> Next:
    """A question or a card ends the turn; a retry makes the same call; otherwise the next part, or the end."""
    if state["verdict"] == "needs_user_input":
        return Next("synthesize", "a question to the user comes first")
    if state["planned"] and state["runs"] and state["runs"][-1].result.status == "proposed":
        return Next("synthesize", "an entry waits for approval")
    if state["verdict"] == "error" and state["retries"]:
        return Next("tool_execute", "one more try")
    if state["verdict"] == "error":
        return Next("synthesize", "a look-up failed for good")
    if state["verdict"] == "needs_more_action":
        return Next("plan_call", "the same part needs more")
    if current_part(state) is not None:
        return Next("plan_call", "the next part of the request")
    return Next("synthesize", "all parts were worked on")


async def check_result(state: State, runtime: Live) -> State:
    """What came of a call: done, one more step, a question to the user, or an error. A model is never asked."""
    if not state["planned"]:
        return _next(state, "no look-up for this part")
    if state.get("stuck"):
        return _next(state, "already looked up") | {"stuck": False}
    run, kept = graded_last(state)
    state = state | kept
    question = ask_user(state, run, "check_result", "Judging the result")
    if question is not None:
        return kept | question | {"verdict": "needs_user_input"}
    told = quality_words(run)
    match verdict(state, run):
        case "error" if retries(state, run):
            return kept | count_retry(state) | {"verdict": "error", "timeline": _told(f"{told}; tries the same again")}
        case "error":
            return skip_run(state, run) | _given_up(state) | {"timeline": _told(f"{told}; ends the look-ups")}
        case "needs_more_action":
            more: State = {"verdict": "needs_more_action", "iterations": state["iterations"] + 1, "retries": 0}
            return kept | more | {"timeline": _told(f"{told}; the record is still to be read")}
        case _ if run.quality == "error_fatal":  # an answer, though none that helps: what it was about is not known
            return skip_run(state, run) | _next(state, told)
        case _:
            return kept | _next(state, told)


def verdict(state: State, run: ToolRun) -> Verdict:
    """A search that found one person goes on to the record, unless finding the person was all that was asked."""
    if run.failed:
        return "error"
    if run.tool == "search_patient" and run.result.status == "found" and state["iterations"] + 1 < MAX_ITERATIONS:
        left = {need.tool for need in needs_left(state)}
        if "get_patient_chart" in left or "search_patient" not in {need.tool for need in state["needs"]}:
            return "needs_more_action"
    return "success"


def retries(state: State, run: ToolRun) -> bool:
    """Whether the same call is made again: only of a read, only for what may pass, and only so often."""
    if REGISTRY[run.tool].writes or run.result.error_type not in TRANSIENT:
        return False
    return state["retries"] < MAX_TOOL_RETRIES and state["total_retries"] < MAX_TOTAL_RETRIES


def _given_up(state: State) -> State:
    """The first specification ends there: what was not looked up any more is said, and is not "nothing"."""
    left = len(later_parts(state))
    many = "1 further part of the request was" if left == 1 else f"{left} further parts of the request were"
    told = [f"{many} not worked on, because this look-up failed."] if left else []
    return {"verdict": "error", "notices": told, "part": len(state["parts"])}


def _next(state: State, told: str) -> State:
    return next_part(state) | {"verdict": "success", "timeline": _told(told)}


def _told(detail: str) -> list[TimelineStep]:
    return step("check_result", "Judging the result", detail)
