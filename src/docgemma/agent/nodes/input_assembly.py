"""Prepare what all later nodes need: entities, the answer to an open question, image findings, needed look-ups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from langgraph.runtime import Runtime

from docgemma.agent.arguments import Sourced
from docgemma.agent.patterns import Need, needs
from docgemma.agent.prompts import render
from docgemma.agent.record import Clarification
from docgemma.agent.state import AttachedImage, ImageFindings, Services, State, ToolRun, step
from docgemma.clinical import Option, Patient
from docgemma.entities import extract
from docgemma.entities.choice import fill, pick
from docgemma.llm.contract import LanguageModel
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import PatientMatch, PatientSearchResult

MAX_TOKENS = 512
TEMPERATURE = 0.3


async def input_assembly(state: State, runtime: Runtime[Services]) -> State:
    """Read the message, and see whether it answers what was asked before."""
    update = _answer_pending(state)
    request = update.get("request", state["message"])
    image = state.get("image")
    entities = replace(extract(request), has_image=image is not None)
    patient = update.get("picked") or state.get("pinned") or state.get("recent")
    done = {run.tool for run in update.get("runs", ())}
    wanted = needs(request, entities, has_image=image is not None, patient_known=patient is not None)
    wanted = tuple(_as_meant(need, update.get("meant", {})) for need in wanted)
    update |= {
        "request": request,
        "entities": entities,
        "needs": tuple(need for need in wanted if need.tool not in done),
        "runs": update.get("runs", ()),
        "steps": 0,
        "retries": 0,
        "total_retries": 0,
    }
    update["timeline"] = [*update.get("timeline", []), *step("input_assembly", "Reading the question", _seen(update))]
    if image is not None:
        findings = await look(runtime.context.llm, request, image)
        update["image_findings"] = findings
        detail = (
            f"{findings.modality}: {len(findings.findings)} finding(s)"
            if findings
            else "not readable without a vision model"
        )
        update["timeline"] += step("input_assembly", "Looking at the image", detail, by="model" if findings else "code")
        if findings is None:
            update["notices"] = [
                *update.get("notices", []),
                "The attached image was not looked at: no vision model is available.",
            ]
    return update


async def look(llm: LanguageModel, request: str, image: AttachedImage) -> ImageFindings | None:
    """Ask the vision model once; what it saw serves every later node. None when there is no such model."""
    prompt = render("input_assembly", images=(image.pixels,), message=request)
    text = "".join([piece async for piece in llm.write(prompt, temperature=TEMPERATURE, max_tokens=MAX_TOKENS)])
    return read_findings(text)


def read_findings(text: str) -> ImageFindings | None:
    """Modality and findings out of the model's lines; free text without the asked form is one finding a line."""
    modality, findings = "unknown", []
    for line in text.splitlines():
        bare = line.strip().lstrip("-*•").strip()
        if bare.lower().startswith("modality:"):
            modality = bare.partition(":")[2].strip() or modality
        elif bare:
            findings.append(bare)
    return ImageFindings(modality, tuple(findings)) if findings else None


def rule(variables: object) -> str:
    """Without a model nobody looks at the image: say nothing rather than guess."""
    return ""


def _answer_pending(state: State) -> State:
    """Try the message as the answer to the open question; a new request drops the question, visibly."""
    pending = state.get("pending")
    if pending is None or pending.pending is None:
        return {}
    call = pending.pending
    option = pick(state["message"], pending.options) if pending.options else None
    if option is not None:
        return _picked(pending, option)
    given = fill(state["message"], call.missing, extract(state["message"])) if call.missing else {}
    if not given:
        return {
            "notices": ["The earlier question was set aside."],
            "timeline": step("input_assembly", "Earlier question set aside", pending.reason),
        }
    kept = {name: Sourced(value, "earlier") for name, value in call.args.items()}
    said = {
        name: Sourced(_added(call.args.get(name), mention.value), "message", (mention.start, mention.end))
        for name, mention in given.items()
    }
    return {
        "request": call.message,
        "resumed": (REGISTRY[call.tool].name, kept | said),
        "timeline": step("input_assembly", "Answer to the open question", ", ".join(given), by="person"),
    }


def _added(before: str | list[str] | None, said: str) -> str | list[str]:
    """A drug named in answer to "which other drug?" joins the one already given."""
    return [*before, *said.split(", ")] if isinstance(before, list) else said


def _picked(pending: Clarification, option: Option) -> State:
    """The user chose one of the options: a patient, or what a name was meant to be."""
    assert pending.pending is not None
    call = pending.pending
    update: State = {
        "request": call.message,
        "timeline": step("input_assembly", "Answer to the open question", "one option picked", by="person"),
    }
    args = {
        name: Sourced(_replace(value, call.unclear, option.value), "pick" if call.unclear else "earlier")
        for name, value in call.args.items()
    }
    if "patient_id" in option.facts:
        match = PatientMatch.model_validate(option.facts)
        found = PatientSearchResult(status="found", origin="ehr", matches=(match,))
        update["picked"] = Patient(id=option.value, banner=option.label)
        update["runs"] = (ToolRun("search_patient", {"name": match.name}, found, "success_rich"),)
        args["patient_id"] = Sourced(option.value, "pick")
    elif call.unclear:
        update["meant"] = {call.unclear: option.value}
    if call.tool != "search_patient":
        update["resumed"] = (REGISTRY[call.tool].name, args)
    return update


def _as_meant(need: Need, meant: Mapping[str, str]) -> Need:
    """What was asked under an unclear name is asked of the one that was picked."""
    return replace(need, subject=meant.get(need.subject, need.subject)) if need.subject else need


def _replace(value: str | list[str], unclear: str | None, meant: str) -> str | list[str]:
    """The pick takes the place of the unclear word only, also inside a list of drugs."""
    if isinstance(value, list):
        return [meant if item == unclear else item for item in value]
    return meant if value == unclear else value


def _seen(update: State) -> str:
    """What was noticed, by kind and number only: the timeline repeats no patient data."""
    entities = update["entities"]
    kinds = {
        "drug": len(entities.drug_names()),
        "patient id": len(entities.patient_ids),
        "name": len(entities.person_names),
    }
    return ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in kinds.items() if count)
