"""Check the arguments, call the tool with a deadline, keep a typed result. No model comes near this."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.outsiders import people_of
from docgemma.agent.state import Services, State, ToolRun, step
from docgemma.agent.switching import confirmed_call
from docgemma.clinical import Source, ToolResult, holding, withheld
from docgemma.ehr.chart.relevance import understand
from docgemma.entities.instructions import instructions_in
from docgemma.tools.checking import check_arguments, missing_arguments
from docgemma.tools.clarity import unclear
from docgemma.tools.registry import REGISTRY, Tool
from docgemma.tools.results import ImageReport

SHORTEST = {"drug_name": 2, "name": 2, "query": 3, "condition": 2, "medication_name": 2, "substance": 2}

_CHART = re.compile(r"\b(?:charts?|records?|files?|notes?|history|background|overview|summar\w*)\b", re.IGNORECASE)
VITAL_TOPICS = frozenset({"allergies", "medications", "problems", "computed"})
WEIGHED = "(medications, allergies, kidney function)"
NOT_FOLLOWED = "A passage of the source reads like an instruction to a program. It was not followed."


async def tool_execute(state: State, runtime: Runtime[Services]) -> State:
    """One call. A retry takes the place of the run it repeats; the same call twice is a loop and is not made."""
    tool = REGISTRY[state["tool"]]
    args = {name: sourced.value for name, sourced in state["args"].items()} | _by_code(state, tool)
    runs, again = state["runs"], state["retries"] > 0
    if not again and any(run.tool == tool.name and run.args == args for run in runs):
        return {"stuck": True, "timeline": step("tool_execute", tool.label, "already looked up")}
    started = time.perf_counter()
    refused = _refusal(tool, args, state["missing"], confirmed=state.get("meant", {}).values())
    patient = None
    if refused is None:
        call = await confirmed_call(state, tool, args, runtime.context.charts)
        args, patient, refused = call.args, call.patient, call.refusal
    result = refused or _seen_already(state, tool, args) or await _call(state, tool, args, runtime.context)
    ms = (time.perf_counter() - started) * 1000
    run = ToolRun(
        tool.name,
        args,
        result,
        attempts=runs[-1].attempts + 1 if again else 1,
        ms=ms + (runs[-1].ms if again else 0),
    )
    update: State = {"looked_up": patient} if patient else {}
    suspicious = result.flagged or instructions_in(result.text())
    if suspicious:
        update["notices"] = [NOT_FOLLOWED]
    return update | {
        "runs": (*runs[:-1], run) if again else (*runs, run),
        "steps": state["steps"] + (0 if again else 1),
        "timeline": [
            *step("tool_execute", tool.label, _outcome(result), by="code" if refused else "tool"),
            *(step("tool_execute", tool.label, NOT_FOLLOWED) if suspicious else ()),
        ],
    }


async def _call(state: State, tool: Tool, args: Mapping[str, Any], services: Services) -> ToolResult:
    """All tools together have one time budget a turn: a clinician does not wait for the fourth slow source."""
    left = min(services.tool_deadline_s, services.tools_budget_s - _spent(state["runs"]))
    if left <= 0:
        return tool.result(status="unavailable", error_type="timeout")
    with holding(withheld, people_of(state)):
        return await services.tools.call(tool.name, {**args, **_aim(state, tool, args)}, deadline_s=left)


def _aim(state: State, tool: Tool, args: Mapping[str, Any]) -> dict[str, Any]:
    """What a chart is read for, and whether its id is the record system's own: a typed one may be two people's."""
    if tool.name != "get_patient_chart":
        return {}
    given = state["args"].get("patient_id")
    own = given is None or given.source in ("pin", "pick", "result") or given.value != args["patient_id"]
    return {"question": _read_for(state), **({"resolved": True} if own else {})}


def _read_for(state: State) -> str:
    """ "Can I give him clarithromycin?" is about no part of a chart; what a drug is weighed against is."""
    asked, needed = state["request"], {need.tool for need in state.get("needs", ())}
    if needed.isdisjoint(("check_drug_safety", "check_drug_interactions")) or _CHART.search(asked):
        return asked
    meant = understand(asked)
    return asked if meant.tests or set(meant.topics) - VITAL_TOPICS else f"{asked} {WEIGHED}"


def _seen_already(state: State, tool: Tool, args: Mapping[str, Any]) -> ToolResult | None:
    """The vision model was asked this very question when the image came: its findings serve again."""
    findings = state.get("image_findings")
    if tool.name != "analyze_medical_image" or findings is None or args.get("query") != state["request"]:
        return None
    source = Source(kind="image", title=f"Attached image ({findings.modality})")
    return ImageReport(
        status="found", origin="model", modality=findings.modality, findings=findings.findings, sources=(source,)
    )


def _by_code(state: State, tool: Tool) -> dict[str, Any]:
    """Arguments that are not a model's to give."""
    if tool.name == "analyze_medical_image" and (image := state.get("image")):
        return {"image": image.id}
    if tool.name == "search_patient":
        births = {mention.value for mention in state["entities"].birth_dates}
        return {"birth_date": births.pop()} if len(births) == 1 else {}
    return {}


def _refusal(
    tool: Tool, args: Mapping[str, Any], missing: tuple[str, ...], *, confirmed: Collection[str]
) -> ToolResult | None:
    """Too short, fewer than two drugs, no patient, no image, a misspelt drug: well formed, and still not a request."""
    checked = check_arguments(tool, args)
    if isinstance(checked, ToolResult):
        incomplete = missing or checked.error_type == "missing_required_args"
        return missing_arguments(tool, *dict.fromkeys([*missing, *checked.missing])) if incomplete else checked
    short = [name for name, least in SHORTEST.items() if name in args and len(str(args[name]).strip()) < least]
    no_image = ["image"] if tool.name == "analyze_medical_image" and not args.get("image") else []
    absent = dict.fromkeys([*missing, *short, *no_image])
    return missing_arguments(tool, *absent) if absent else unclear(tool, checked, confirmed=confirmed)


def _spent(runs: tuple[ToolRun, ...]) -> float:
    return sum(run.ms for run in runs) / 1000


def _outcome(result: ToolResult) -> str:
    return f"{result.status} ({result.error_type})" if result.error_type else result.status
