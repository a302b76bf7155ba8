"""Plan the call for one part of the request. The model names one of seven tools; code knows what that comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.aliases import OLD_TOOL_LIST, RECORD, UPDATE, old_name
from docgemma.agent.calls import Call, Refused, by_need, call_for
from docgemma.agent.decomposition import Part, PlannedCall
from docgemma.agent.progress import needs_left
from docgemma.agent.prompts import render
from docgemma.agent.queries import by_rule, listed, results_so_far, subject_for
from docgemma.agent.state import Services, State, patient_context, step
from docgemma.agent.subtasks import searches_first
from docgemma.clinical import By
from docgemma.llm.contract import current_usage
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 256
LABEL = "Choosing an action"
NAME = "plan_call"


async def plan_call(state: State, runtime: Runtime[Services]) -> State:
    """The next call, or none for this part: then the one after it is next."""
    resumed = state.get("resumed")
    if resumed is not None and not searches_first(state):
        name, given = resumed
        call = Call(name, by_rule(state | {"resumed": None}, name, subject_for(state, REGISTRY[name], given), given))
        return _planned(call, "the interrupted request") | {"resumed": None}
    part = state["parts"][state["subtask"]]
    if part.need is not None and part.need not in needs_left(state):
        return _refused(Refused("nothing is left to look up for this part"))
    if part.settled:
        return _ended(by_need(state, part))
    if state.get("verdict") == "needs_more_action":  # the search found the patient: what follows is no choice
        return _ended(call_for(state, part, RECORD, {}), "the record of the patient found")
    return await _by_model(state, runtime, part)


async def _by_model(state: State, runtime: Runtime[Services], part: Part) -> State:
    prompt = render(
        "plan_call",
        message=state["request"],
        patient=patient_context(state),
        intent=part.intent,
        context=part.context,
        suggested=part.tool or "",
        results=results_so_far(state),
        tool_list=OLD_TOOL_LIST,
        needs=needs_left(state),
    )
    answer = await runtime.context.llm.decide(prompt, PlannedCall, max_tokens=MAX_TOKENS)
    by = current_usage().answered_by
    if answer.tool_name == UPDATE and any(later.tool != UPDATE for later in state["parts"][state["subtask"] + 1 :]):
        return _postponed(state, part, by)
    return _ended(call_for(state, part, answer.tool_name, answer.values()), by=by)


def rule(variables: Mapping[str, Any]) -> PlannedCall:
    """Without a model: the tool that the part was made for, with the arguments that code finds for it."""
    needs = variables["needs"]
    name = variables["suggested"] or old_name(needs[0].tool if needs else "search_medical_literature")
    return PlannedCall(tool_name=name, arguments=(), reasoning="")


def _ended(call: Call | Refused, why: str = "", by: By = "code") -> State:
    return _refused(call, by) if isinstance(call, Refused) else _planned(call, why, by)


def _planned(call: Call, why: str = "", by: By = "code") -> State:
    label = REGISTRY[call.tool].label
    return {
        "tool": call.tool,
        "args": call.found.args,
        "missing": call.found.missing,
        "planned": True,
        "retries": 0,
        "timeline": [
            *step(NAME, LABEL, f"{label} ({why})" if why else label, by=by),
            *step(NAME, "Reading the details", listed(call.found)),
        ],
    }


def _refused(refused: Refused, by: By = "code") -> State:
    told: State = {"notices": [refused.notice]} if refused.notice else {}
    return told | {"planned": False, "timeline": step(NAME, LABEL, refused.why, by=by)}


def _postponed(state: State, part: Part, by: By) -> State:
    """A card ends the turn, so an entry is planned again when everything else was looked up."""
    here = state["subtask"]
    parts = (*state["parts"][:here], *state["parts"][here + 1 :], replace(part, tool=UPDATE))
    # In its place stands the part that came after it: the counter must not pass over that one.
    return {
        "parts": parts,
        "subtask": here - 1,
        "planned": False,
        "timeline": step(NAME, LABEL, "an entry, after the look-ups", by=by),
    }
