"""From the end of a graph run to the turn record. Confidence, notices, sources and timeline are code's alone."""

from __future__ import annotations

from typing import Any

from docgemma.agent.answer.confidence import confidence
from docgemma.agent.answer.gaps import CONFLICT
from docgemma.agent.answer.notices import notices, number_sources
from docgemma.agent.cards import CONDITIONAL, ELSEWHERE, NOT_YET, refusal_of_orders
from docgemma.agent.curated import LABEL as LABEL_OF_BASE
from docgemma.agent.progress import found_patient, medicines_not_checked, needs_left
from docgemma.agent.questions import OFFERS
from docgemma.agent.record import Findings, Outcome, Tokens, ToolCall, TurnRecord
from docgemma.agent.state import State, ToolRun
from docgemma.agent.understanding.needs import MOST_TOGETHER, Need, left_over
from docgemma.agent.vision.seen import findings_record, repeats_findings
from docgemma.clinical import Patient, TimelineStep
from docgemma.entities.amounts.quantities import quantities
from docgemma.entities.drugs.names import drugs_in
from docgemma.llm.contract import Usage
from docgemma.reader.labels import CARDS
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import ImageReport, PatientChart

URGENT = "This sounds like an emergency: call for help now. What follows does not replace it."
ABOUT_WHOM = frozenset({"confirm_patient", "multiple_patient_matches", "switch_patient", "missing_patient_id"})
ABOUT_DRUGS = frozenset({"check_drug_safety", "check_drug_interactions", "prescribe_medication"})


def build_record(state: State, usage: Usage, stamp: dict[str, Any], duration_ms: float) -> TurnRecord:
    """The public record of a turn that ran."""
    runs = state["runs"]
    made = [run for run in runs if run.attempts]
    curated = state.get("curated")
    labelled = [*([(LABEL_OF_BASE, curated)] if curated else []), *((run.label, run.result) for run in made)]
    results = [result for _, result in labelled]
    calls = tuple(_tool_call(run) for run in made)
    clarification, approvals = state.get("clarification"), state.get("approvals", ())
    outcome: Outcome = "approval" if approvals else "ask_user" if clarification else "answer"
    unmet = _not_done(state) if outcome != "ask_user" else []
    direct, urgent, saw = not runs, state["entities"].urgent, state.get("image_findings") is not None
    written = usage.calls > 0 and usage.answered_by == "model"
    nothing_found = not any(run.result.status == "found" for run in runs)
    small_talk = direct and state["entities"].small_talk and not (written and _clinical(state["response"]))
    shown = notices(
        labelled,
        knowledge=bool(curated and curated.entries),
        direct=outcome == "answer" and nothing_found and (state.get("image") is None or bool(runs and not saw)),
        image=saw or (written and repeats_findings(state["response"], state.get("seen_before", ()))),
        small_talk=small_talk,
        model=written,
    )
    sure = confidence(
        calls,
        results,
        direct=direct,
        knowledge=bool(curated and curated.entries),
        image=state.get("image") is not None,
        marked=state.get("marked", False),
        dropped=state.get("dropped", False),
        small_talk=small_talk,
    )
    return TurnRecord(
        **stamp,
        patient=_patient(state),
        intent=state.get("intent"),
        task_summary=state.get("task_summary", ""),
        tool_calls=calls,
        outcome=outcome,
        clarification=clarification,
        approvals=approvals,
        approval=approvals[0] if approvals else None,
        response=state["response"],
        confidence="medium" if sure == "high" and (unmet or outcome != "answer") else sure,
        not_done=tuple(unmet),
        urgent=URGENT if urgent else None,
        notices=(
            *([URGENT] if urgent else []),
            *_in_order([*_allergies(state), *unmet, *shown, *state["notices"], *usage.notices]),
        ),
        findings=_findings(state),
        sources=number_sources(results),
        timeline=tuple(state["timeline"]),
        llm_calls=usage.calls,
        tokens=Tokens(prompt=usage.prompt_tokens, completion=usage.completion_tokens),
        duration_ms=round(duration_ms, 1),
    )


def _in_order(told: list[str]) -> tuple[str, ...]:
    """Each once; an allergy that concerns a drug of the answer before everything else."""
    return tuple(sorted(dict.fromkeys(told), key=lambda line: not line.startswith(CONFLICT)))


def failed_record(message: str, usage: Usage, stamp: dict[str, Any], duration_ms: float) -> TurnRecord:
    """The public record of a turn that could not run: the question is kept, the reason is said."""
    return TurnRecord(
        **stamp,
        outcome="unavailable",
        response=message,
        notices=tuple(usage.notices),
        timeline=(TimelineStep(step="session", label="The turn could not run", detail=message),),
        llm_calls=usage.calls,
        duration_ms=round(duration_ms, 1),
    )


def _clinical(text: str) -> bool:
    """A reply to a greeting that names a drug or an amount is no greeting any more."""
    return bool(drugs_in(text) or quantities(text))


def _findings(state: State) -> Findings | None:
    """What was seen: by the tool, which was asked the particular question, else when the image came."""
    for run in reversed(state["runs"]):
        if isinstance(run.result, ImageReport) and run.result.findings:
            return findings_record(run.result, str(run.args.get("image", "")), str(run.args.get("prior", "")))
    seen = state.get("image_findings")
    return seen.recorded() if seen else None


def _not_done(state: State) -> list[str]:
    """Everything the request asked for and the turn did not do."""
    entities = state["entities"]
    told = (
        [refusal_of_orders(entities.undoable)]
        if entities.undoable and (state["runs"] or state.get("approvals"))
        else []
    )
    told += [CONDITIONAL] if entities.withheld and state["runs"] else []
    told += _perhaps(state)
    over = left_over(entities, state["needs"])
    return [
        *told,
        *(_unmet(need) for need in (() if state.get("said") else needs_left(state))),
        *(f"Not checked: {name}. One interaction check takes {MOST_TOGETHER} drugs." for name in over),
        *(f"Not checked for interactions: {entry}, listed in the chart." for entry in medicines_not_checked(state)),
    ]


def _perhaps(state: State) -> list[str]:
    """Entries that the message may have asked for beside what was done: said, so that none goes missing unseen."""
    if state.get("said"):
        return []
    made, doubtful = {need.tool for need in state["needs"]}, state["entities"].doubtful
    acted = state["runs"] or state.get("approvals")
    entries = [tool for tool in doubtful if tool in CARDS and tool not in made and acted]
    beyond = [
        f"If you also wanted me to {NOT_YET[tool]}: I cannot yet. {ELSEWHERE}" for tool in doubtful if tool in NOT_YET
    ]
    return [*(f"Not done: if you also wanted me to {OFFERS[tool]}, ask for it by itself." for tool in entries), *beyond]


def _allergies(state: State) -> list[str]:
    """Beside every answer that speaks of a drug, unless the chart shows them: nobody should have to ask for them."""
    summary, entities = state.get("summary"), state["entities"]
    drugs = entities.drugs or entities.unlisted_drugs or any(run.tool in ABOUT_DRUGS for run in state["runs"])
    if summary is None or not drugs or any(isinstance(run.result, PatientChart) for run in state["runs"]):
        return []
    patient, question = _patient(state), state.get("clarification")
    if patient is None or patient.id != summary.patient_id or (question and question.reason in ABOUT_WHOM):
        return []
    return [f"Allergies on record: {'; '.join(summary.alerts)}"] if summary.alerts else []


def _unmet(need: Need) -> str:
    """What the turn did not come to is said: a look-up not made must never pass for one without findings."""
    subject, tool = f" for {need.subject}" if need.subject else "", REGISTRY[need.tool]
    if tool.writes:
        return f"Not prepared: {tool.label}{subject}. Nothing was entered; ask again."
    return f"Not checked: {tool.label}{subject}. This turn did not come to it; ask again."


def _tool_call(run: ToolRun) -> ToolCall:
    return ToolCall(
        tool=run.tool,
        label=run.label,
        args=dict(run.args),
        status=run.result.status,
        error_type=run.result.error_type,
        quality=run.quality,
        origin=run.result.origin,
        attempts=run.attempts,
        duration_ms=round(run.ms, 1),
    )


def _patient(state: State) -> Patient | None:
    """Who the turn is about: picked, else found or asked for in this turn, else pinned."""
    picked, pinned, match = state.get("picked"), state.get("pinned") or state.get("bound"), found_patient(state)
    question, summary = state.get("clarification"), state.get("summary")
    if pinned is not None and not pinned.banner and summary is not None:
        pinned = Patient(id=pinned.id, banner=summary.banner)
    if picked is not None:
        return picked
    if pinned is not None and question is not None and question.reason == "switch_patient":
        return pinned
    if match is not None:
        return Patient(id=match.patient_id, banner=match.banner())
    for run in reversed(state["runs"]):
        if isinstance(run.result, PatientChart) and run.result.banner:
            # Under the id that the record system gives, whatever form of it was typed.
            return Patient(id=run.result.patient_id or str(run.args["patient_id"]), banner=run.result.banner)
    about = [run for run in state["runs"] if run.args.get("patient_id") and run.result.status != "not_found"]
    if not about:
        return pinned
    named = str(about[-1].args["patient_id"])
    met = (pinned, state.get("looked_up"), state.get("recent"))
    known = next((one for one in met if one and one.id == named), None)
    return known or Patient(id=named)
