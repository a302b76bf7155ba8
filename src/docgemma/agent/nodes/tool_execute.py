"""Check the arguments, call the tool with a deadline, keep a typed result. No model comes near this."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from docgemma.agent.asking import Live
from docgemma.agent.patients import confirmed_call, people_of, settle_namesakes, without_people
from docgemma.agent.state import Services, State, ToolRun, step
from docgemma.agent.understanding.needs import SEARCHES
from docgemma.agent.vision.requests import asks_where
from docgemma.agent.vision.seen import not_looked_at
from docgemma.clinical import ToolResult, holding, withheld
from docgemma.ehr.chart.relevance import understand
from docgemma.entities.instructions import instructions_in
from docgemma.entities.model import Mention
from docgemma.tools.checking import check_arguments, missing_arguments
from docgemma.tools.clarity import unclear
from docgemma.tools.registry import REGISTRY, Tool
from docgemma.tools.results import ImageReport

SHORTEST = {"drug_name": 2, "name": 2, "query": 3, "condition": 2, "medication_name": 2, "substance": 2}

_CHART = re.compile(r"\b(?:charts?|records?|files?|notes?|history|background|overview|summar\w*)\b", re.IGNORECASE)
VITAL_TOPICS = frozenset({"allergies", "medications", "problems", "computed"})
WEIGHED = "(medications, allergies, kidney function)"
NOT_FOLLOWED = "A passage of the source reads like an instruction to a program. It was not followed."


async def tool_execute(state: State, runtime: Live) -> State:
    """One call. A retry takes the place of the run it repeats; the same call twice is a loop and is not made."""
    tool = REGISTRY[state["tool"]]
    args = {name: sourced.value for name, sourced in state["args"].items()} | _by_code(state, tool)
    runs, again = state["runs"], state["retries"] > 0
    if not again and any(run.tool == tool.name and run.args == args for run in runs):
        return {"stuck": True, "timeline": step("tool_execute", tool.label, "already looked up")}
    started = time.perf_counter()
    refused, patient = _refusal(state, tool, args) or _unaccounted(state, tool), None
    if refused is None:
        call = await confirmed_call(state, tool, args, runtime.context.charts)
        args, patient, refused = call.args, call.patient, call.refusal
    result = refused or _seen_already(state, tool, args) or await _call(state, tool, args, runtime.context)
    result = settle_namesakes(state, _with_facts(state, result))
    ms = (time.perf_counter() - started) * 1000
    run = ToolRun(
        tool.name,
        args,
        result,
        attempts=runs[-1].attempts + 1 if again else 1,
        ms=ms + (runs[-1].ms if again else 0),
        sources=state["args"],
    )
    suspicious = result.flagged or instructions_in(result.text())
    update: State = {"looked_up": patient} if patient else {}
    return update | {
        "notices": [NOT_FOLLOWED] if suspicious else [],
        "runs": (*runs[:-1], run) if again else (*runs, run),
        "steps": state["steps"] + (0 if again else 1),
        "timeline": [
            *step("tool_execute", tool.label, _outcome(result), by="code" if refused else "tool"),
            *(step("tool_execute", tool.label, NOT_FOLLOWED) if suspicious else ()),
        ],
    }


def _unaccounted(state: State, tool: Tool) -> ToolResult | None:
    """An entry beside a drug, an amount or an id that is no part of it: the user says whether it stands."""
    loose = state["entities"].unaccounted
    if not tool.writes or not loose or state.get("confirmed") or state.get("resumed"):
        return None
    named = ", ".join(f"“{mention.text}”" for mention in loose[:4])
    question = f"The message also names {named}, which is no part of this entry. Prepare it without that?"
    return tool.result(status="invalid", error_type="confirm_request", message=question)


async def _call(state: State, tool: Tool, args: Mapping[str, Any], services: Services) -> ToolResult:
    """All tools together have one time budget a turn: a clinician does not wait for the fourth slow source.

    Looking at an image is a model's work and has a model's time: a laptop needs longer for it than a source may take.
    """
    looking = tool.name == "analyze_medical_image"
    spent = sum(run.ms for run in state["runs"] if run.tool != "analyze_medical_image") / 1000
    budget = services.tools_budget_s - spent
    left = services.look_deadline_s if looking else min(services.tool_deadline_s, budget)
    if left <= 0:
        return tool.result(status="unavailable", error_type="timeout")
    with holding(withheld, people_of(state)):
        return await services.tools.call(tool.name, {**args, **_aim(state, tool, args)}, deadline_s=left)


def _aim(state: State, tool: Tool, args: Mapping[str, Any]) -> dict[str, Any]:
    """What a look-up is made for, in the user's words. Of a chart, whether its id is the record system's own: a typed
    one may be two people's.
    """
    if tool.name in SEARCHES:
        return {"question": _searched_for(state)}
    if tool.name != "get_patient_chart":
        return {}
    given = state["args"].get("patient_id")
    own = given is None or given.source in ("pin", "pick", "result") or given.value != args["patient_id"]
    return {"question": _read_for(state), **({"resolved": True} if own else {})}


def _searched_for(state: State) -> str:
    """What a search is about and how it is narrowed, in the words that were marked for it: no person is among them."""
    entities = state["entities"]
    told = (*entities.conditions, *entities.trial_statuses, *entities.narrowing, *entities.phases, *entities.sites)
    if state["tool"] == "find_clinical_trials":
        told = (*told, *entities.ages, *entities.sexes)
    marked = [mention.text for mention in sorted(_of_this_search(state, told), key=lambda one: one.start)]
    given = [str(sourced.value) for name, sourced in state["args"].items() if name in ("query", "condition")]
    return without_people(
        "; ".join(dict.fromkeys([*given, *marked])), replace(entities, person_names=(), patient_ids=())
    )


def _read_for(state: State) -> str:
    """ "Can I give him clarithromycin?" is about no part of a chart; what a drug is weighed against is."""
    asked, needed = state["request"], {need.tool for need in state.get("needs", ())}
    if needed.isdisjoint(("check_drug_safety", "check_drug_interactions")) or _CHART.search(asked):
        return asked
    meant = understand(asked)
    return asked if meant.tests or set(meant.topics) - VITAL_TOPICS else f"{asked} {WEIGHED}"


def _seen_already(state: State, tool: Tool, args: Mapping[str, Any]) -> ToolResult | None:
    """The vision model was asked this very question when the image came: its findings serve again.

    A model that did not look then does not look now. Places are only marked by the tool.
    """
    image = state.get("image")
    if tool.name != "analyze_medical_image" or image is None:
        return None
    seen, query = state.get("image_findings"), str(args.get("query", ""))
    if seen is None:
        return not_looked_at(image.facts) if image.pictures else None
    whole = " ".join(state["request"].split())
    in_vain = bool(image.pictures and state.get("prior") and not seen.compared)  # it could not compare the two
    answered = in_vain or seen.serves(query) or (seen.answers(whole) and whole.startswith(query))
    return seen.report(image.facts) if answered and not asks_where(query) else None


def _with_facts(state: State, result: ToolResult) -> ToolResult:
    """An image that nobody looked at is still a file with a size and a kind."""
    image = state.get("image")
    if image is None or not isinstance(result, ImageReport) or result.findings or result.facts:
        return result
    return result.model_copy(update={"facts": image.facts})


def _by_code(state: State, tool: Tool) -> dict[str, Any]:
    """Arguments that are not a model's to give."""
    if tool.name == "analyze_medical_image":
        images = {"image": state.get("image"), "prior": state.get("prior") if state.get("image") else None}
        return {name: image.id for name, image in images.items() if image}
    if tool.name == "find_clinical_trials":
        more = {"page": state["page"], "question": _searched_for(state)} if state.get("page", 1) > 1 else {}
        return {**_narrowed(state), **more}
    if tool.name == "search_patient":
        births = {mention.value for mention in state["entities"].birth_dates}
        return {"birth_date": births.pop()} if len(births) == 1 else {}
    return {}


def _narrowed(state: State) -> dict[str, str]:
    """Phase, place, age and sex of a trial search, word for word."""
    entities = state["entities"]
    told = {"phase": entities.phases, "place": entities.sites, "age": entities.ages, "sex": entities.sexes}
    limits = {"phase": 20, "place": 120, "age": 20, "sex": 10}
    own = {name: _of_this_search(state, found) for name, found in told.items()}
    return {name: found[0].text[: limits[name]] for name, found in own.items() if found}


def _of_this_search(state: State, told: Sequence[Mention]) -> list[Mention]:
    """Of several searches in one message each has what stands from its topic on, before the next one's."""
    topics = [ask.topic for ask in state["entities"].asks if ask.tool in SEARCHES and ask.topic is not None]
    given = {str(sourced.value) for name, sourced in state["args"].items() if name in ("query", "condition")}
    own = next((topic for topic in topics if topic.value in given), None)
    if len(topics) < 2 or own is None:
        return list(told)
    end = min((topic.start for topic in topics if topic.start > own.start), default=len(state["request"]))
    return [mention for mention in told if own.start <= mention.start < end]


def _refusal(state: State, tool: Tool, args: Mapping[str, Any]) -> ToolResult | None:
    """Too short, fewer than two drugs, no patient, no image, a misspelt drug: well formed, and still not a request."""
    checked, missing = check_arguments(tool, args), state["missing"]
    if isinstance(checked, ToolResult):
        incomplete = missing or checked.error_type == "missing_required_args"
        return missing_arguments(tool, *dict.fromkeys([*missing, *checked.missing])) if incomplete else checked
    short = [name for name, least in SHORTEST.items() if name in args and len(str(args[name]).strip()) < least]
    no_image = ["image"] if tool.name == "analyze_medical_image" and not args.get("image") else []
    absent = dict.fromkeys([*missing, *short, *no_image])
    confirmed = state.get("meant", {}).values()
    return missing_arguments(tool, *absent) if absent else unclear(tool, checked, confirmed=confirmed)


def _outcome(result: ToolResult) -> str:
    return f"{result.status} ({result.error_type})" if result.error_type else result.status
