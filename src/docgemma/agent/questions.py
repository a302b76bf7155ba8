"""The questions code asks the user. Each keeps what was already said, so that the answer continues the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from docgemma.agent.patients import finds_another
from docgemma.agent.progress import found_matches, needs_person, spoken_of
from docgemma.agent.record import Clarification, PendingCall
from docgemma.agent.state import State, ToolRun, on_screen, patient_banner
from docgemma.clinical import Option
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import PatientSearchResult, match_in, offered

YES_OR_NO = (Option(label="Yes", value="yes"), Option(label="No", value="no"))
OFFERS = {
    "check_drug_safety": "look up the drug's label",
    "check_drug_interactions": "check the drugs for interactions",
    "search_medical_literature": "search for articles",
    "find_clinical_trials": "search for clinical trials",
    "search_patient": "look for the patient",
    "get_patient_chart": "read the patient's chart",
    "get_observations": "read the patient's chart",
    "prescribe_medication": "prepare a prescription",
    "add_allergy": "prepare an allergy entry",
    "save_clinical_note": "prepare a note",
    "analyze_medical_image": "look at the image",
}
"""What a tool does, in an offer. What cannot be done yet is not offered."""

FIELDS = {
    "patient_id": "the patient (name or id)",
    "medication_name": "the medication",
    "dosage": "the dose",
    "frequency": "how often it is taken",
    "substance": "the substance",
    "reaction": "the reaction (or “unknown”)",
    "note_type": "the type of note",
    "note_text": "the text of the note",
    "drug_name": "the name of the drug",
    "drug_names": "at least two drugs",
    "query": "what to search for",
    "condition": "the condition",
    "name": "the patient's name",
    "image": "an image (attach a PNG, JPEG or DICOM file)",
}


def question_for(state: State, run: ToolRun) -> Clarification | None:
    """What only the user can settle; a model asked this never defers to a person."""
    named = run.result.suggestions and run.args.get("patient_id")  # a tool of somebody else's may name nobody
    if (run.result.error_type == "another_patient" and named) or finds_another(state, run):
        return ask_to_switch(state, run)
    if needs_person(run):
        return ask_which_patient(state, run)
    ask = _BY_PROBLEM.get(run.result.error_type or "")
    return ask(state, run) if ask else None


def ask_which_patient(state: State, run: ToolRun) -> Clarification:
    """Always with two identifiers: twins in name are told apart by the user, never by us."""
    options = run.result.options()
    name = run.args.get("name") or run.args.get("patient_id") or "this name"
    if len(options) == 1:
        question = f"I found one patient for '{name}', but not exactly under that name. Is this the one you mean?"
        return _clarification(state, run, "confirm_patient", question, options)
    about = f"This conversation is about {patient_banner(state)}. " if on_screen(state) else ""
    question = f"{about}I found {len(options)} patients matching '{name}'. Which one did you mean?"
    return _clarification(state, run, "multiple_patient_matches", question, options)


def ask_to_switch(state: State, run: ToolRun) -> Clarification:
    """Another patient is named. Nothing of that record is shown, and nothing is prepared, before the user agrees."""
    options = run.result.options()
    if not isinstance(run.result, PatientSearchResult):
        options = _patient_of_call(run)
    question = f"This conversation is about {patient_banner(state)}. Switch to this patient?"
    return _clarification(state, run, "switch_patient", question, options)


def ask_about_identity(state: State, run: ToolRun) -> Clarification:
    """Both sides of a contradiction. The patient of the id can be picked; another one has to be named."""
    against, banner = run.result.message, run.result.suggestions[0]
    question = f"I am not sure who is meant: {against}. Is it {banner}? If not, name the patient."
    return _clarification(state, run, "contradicting_identity", question, _patient_of_call(run))


def ask_to_go_on(state: State, run: ToolRun) -> Clarification:
    """An entry beside something that no part of it accounts for."""
    return _clarification(state, run, "confirm_request", run.result.message, YES_OR_NO)


def offer(tool: str, message: str) -> Clarification:
    """ "Did you want …?": what the message may have asked for. Nothing happens without a yes."""
    pending = PendingCall(message=message, tool=tool)
    question = f"Did you want me to {OFFERS[tool]}?"
    return Clarification(reason="confirm_request", question=question, options=YES_OR_NO, pending=pending)


def ask_for_missing(state: State, run: ToolRun) -> Clarification:
    """Names exactly what is missing. A patient found by name alone is offered for a pick before anything is written."""
    missing = run.result.missing
    options = _found_patients(state) if "patient_id" in missing else ()
    if options:
        return _clarification(state, run, "confirm_patient", "Is this the patient you mean?", options)
    if missing == ("patient_id",):
        question = "I need a patient ID to proceed. Could you provide one?"
        return _clarification(state, run, "missing_patient_id", question)
    return ask_for_fields(_pending(state, run), *_unreadable(state, run))


def ask_for_fields(pending: PendingCall, *why: str) -> Clarification:
    """By their names, with what kept them from being read."""
    wanted = ", ".join(FIELDS.get(name, name.replace("_", " ")) for name in pending.missing)
    question = " ".join([f"I need more information: {wanted}.", *why])
    return Clarification(reason="missing_required_fields", question=question, pending=pending)


def _unreadable(state: State, run: ToolRun) -> list[str]:
    """Why an amount that stands in the message does not count: "l0 mg", "-5 mg", "1e3 mg", the steps of a taper."""
    if "dosage" not in run.result.missing:
        return []
    steps = next((order.doses for order in state["entities"].orders if len(state["entities"].orders) == 1), ())
    if len(named := list(dict.fromkeys(dose.text for dose in steps))) > 1:
        return [f"Several are named ({', '.join(named)}), and an order has one: give each step as an order of its own."]
    order = [write for write in state["entities"].writes if write.kind == "prescribe"]
    inside = [trap for trap in state["entities"].traps if any(w.start <= trap.start < w.end for w in order)]
    return [trap.question for trap in inside if trap.severity != "warn"][:1]


def ask_which_drug(state: State, run: ToolRun) -> Clarification:
    """A near miss is offered, never taken. For a look-up the user may also stand by what was written."""
    options, name = run.result.options(), _unclear(run)
    names = " or ".join(option.label for option in options) or "another name"
    if name and not REGISTRY[run.tool].writes:
        options = (*options, Option(label=f"“{name}”, as written", value=name))
    question = run.result.message if run.result.message.endswith("?") else f"Did you mean {names}?"
    pending = _unclear_pending(state, run, name)
    return Clarification(reason="ambiguous_drug_name", question=question, options=options, pending=pending)


def ask_about_amount(state: State, run: ToolRun) -> Clarification:
    """An error-prone amount stays as written until the user has said what it means."""
    field = next((name for name in run.result.missing if name in run.args), None)
    pending = _unclear_pending(state, run, str(run.args[field]) if field else None)
    question = run.result.message or "An amount in the request is not clear. How much, and how often?"
    return Clarification(reason="unclear_amount", question=question, options=run.result.options(), pending=pending)


_BY_PROBLEM: Mapping[str, Callable[[State, ToolRun], Clarification]] = {
    "contradicting_identity": ask_about_identity,
    "confirm_request": ask_to_go_on,
    "missing_required_args": ask_for_missing,
    "ambiguous_drug_name": ask_which_drug,
    "unclear_amount": ask_about_amount,
}


def _clarification(
    state: State, run: ToolRun, reason: str, question: str, options: tuple[Option, ...] = ()
) -> Clarification:
    return Clarification(reason=reason, question=question, options=options, pending=_pending(state, run))


def _pending(state: State, run: ToolRun) -> PendingCall:
    """The interrupted call with what it has; the answer brings what it lacks."""
    absent = run.result.missing
    args: dict[str, Any] = {name: value for name, value in run.args.items() if name not in absent and value}
    if "drug_names" in absent:  # too few, not none: the answer adds to what is there
        args["drug_names"] = list(state["entities"].drug_names())
    card = state.get("replaces", "")
    return PendingCall(message=state["request"], tool=run.tool, args=args, missing=absent, card=card)


def _unclear_pending(state: State, run: ToolRun, unclear: str | None) -> PendingCall:
    """The unclear value stays where it is: a pick replaces it there, and so does another value in its place."""
    missing = tuple(name for name in run.result.missing if name != "drug_names")
    args = {name: value for name, value in run.args.items() if value}
    return _pending(state, run).model_copy(update={"args": args, "missing": missing, "unclear": unclear})


def _patient_of_call(run: ToolRun) -> tuple[Option, ...]:
    """Whom the id of the call belongs to, as the refusal tells it."""
    return offered((match_in(run.result.suggestions[0], str(run.args["patient_id"])),))


def _unclear(run: ToolRun) -> str | None:
    """Which of the given names the source did not know: its message quotes it, beside those it offers instead."""
    named = run.args.get("drug_name") or run.args.get("medication_name")
    if named:
        return str(named)
    drugs, told = [str(drug) for drug in run.args.get("drug_names", ())], run.result.message.lower()
    instead = {name.lower() for name in run.result.suggestions}
    quoted = (drug for drug in drugs if f"“{drug.lower()}”" in told)
    named_there = (drug for drug in drugs if drug.lower() in told and drug.lower() not in instead)
    return next(chain(quoted, named_there), None)


def _found_patients(state: State) -> tuple[Option, ...]:
    """Those this turn found, else the one the conversation was last about."""
    found, recent = offered(found_matches(state)), spoken_of(state)
    return found if found or recent is None else offered((match_in(recent.banner, recent.id),))
