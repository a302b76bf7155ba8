"""A message as the answer to what was asked: a pick, the missing detail, a correction, a withdrawal, or none of these.

The reader says how the message relates to the question; a pick is exact code's. What the message gives is taken from
its spans alone, and a message that asks something of its own lends nothing to what waits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from docgemma.agent.arguments.sourced import Sourced
from docgemma.agent.arguments.stranger import is_name_of
from docgemma.agent.record import Clarification, PendingCall
from docgemma.agent.state import State, ToolRun, step
from docgemma.agent.understanding.answer_fields import (
    Heard,
    asks_for_more,
    corrections,
    given_fields,
    names_more,
    speaks_of_another_drug,
)
from docgemma.agent.understanding.card_changes import CARD, about_card, as_change, sourced, words_of
from docgemma.agent.understanding.entities import understand
from docgemma.agent.understanding.needs import Need
from docgemma.agent.understanding.reading import REMEMBERED, open_question, request_of
from docgemma.clinical import Option, Patient
from docgemma.entities.choice import pick, speaks_against
from docgemma.entities.fields import NOTES_LIMIT
from docgemma.entities.model import Entities, Mention
from docgemma.reader.contract import Reader
from docgemma.reader.labels import ASKS, NOT_YET, WRITES, Ask, QuestionKind
from docgemma.tools.registry import REGISTRY, ToolName
from docgemma.tools.results import PatientMatch, PatientSearchResult

SURE_YES = 0.9
"""From here on the reader's word that a message answers is a yes to the look-up that was offered. A patient is
confirmed by words that code can read, an entry on its card."""

SURE_ALONE = 0.75
_LOOK_UPS = frozenset(ASKS) - WRITES - NOT_YET - {"search_patient", "analyze_medical_image"}
"""What a message that is read alone may ask for so surely that it is no answer to anything."""

_LOOKS_LIKE: dict[QuestionKind, frozenset[Ask]] = {
    "which_patient": frozenset({"get_patient_chart"}),
    "note_type": frozenset({"get_patient_chart"}),
    "which_drug": frozenset({"check_drug_safety", "check_drug_interactions"}),
}
"""What the plain answer to a question looks like where nothing was asked: an id, a kind of note, a drug."""

OFFER = "confirm_request"
YES_OR_NO = frozenset({"confirm_patient", "switch_patient", "contradicting_identity"})
AGAIN = "I could not tell which. "
SET_ASIDE = "The earlier question was set aside."
WHICH_PATIENT = frozenset({"confirm_patient", "multiple_patient_matches", "switch_patient"})


def answer(state: State, reader: Reader) -> State:
    """What the message does to the open question; empty where none is open or the message is a request of its own."""
    pending = state.get("pending")
    if pending is None or pending.pending is None:
        return {}
    message = state["message"]
    request = request_of(
        reader,
        message,
        before=tuple(state.get("earlier", ()))[-REMEMBERED:],
        asked=open_question(pending),
        patient_on_screen=state.get("pinned") is not None,
    )
    heard = Heard(message, understand(message, request), request.relation, request.relation_probability)
    if heard.relation == "answers" and _asks_by_itself(state, reader, pending):
        heard = replace(heard, relation="new")
    if pending.reason != CARD and heard.relation != "cancels" and speaks_of_another_drug(pending.pending, heard):
        heard = replace(heard, relation="new")  # its dose, its patient and its yes belong to something else
    if pending.reason == CARD:
        return about_card(pending.pending, as_change(heard))
    return _to_question(pending, pending.pending, heard)


def _asks_by_itself(state: State, reader: Reader, pending: Clarification) -> bool:
    """A message that is a look-up when it is read alone answers nothing: a second reading beside the first."""
    alone = request_of(reader, state["message"], patient_on_screen=state.get("pinned") is not None)
    alike = _LOOKS_LIKE.get(open_question(pending).kind, frozenset())
    wanted = [asked.ask for asked in alone.asks if asked.certainty == "sure" and asked.probability >= SURE_ALONE]
    return any(ask in _LOOK_UPS - alike for ask in wanted)


def _to_question(pending: Clarification, call: PendingCall, heard: Heard) -> State:
    option = None if heard.relation == "cancels" else pick(heard.text, pending.options)
    if option is None and heard.answers:
        option = _agreed(pending, heard) if pending.reason == OFFER else _person_picked(pending, heard)
    if pending.reason == OFFER:
        return _offered(pending, call, heard, option)
    if option is not None:
        return _picked(call, option, given_fields(call, heard, call.missing) if heard.answers else {}, heard)
    if heard.relation == "cancels":
        return _withdrawn(pending)
    if not heard.answers:
        unclear = heard.relation == "answers" and not asks_for_more(heard.entities)
        return _asked_again(pending) if unclear else _set_aside(pending)
    given = given_fields(call, heard, call.missing)
    changed = corrections(call, heard)
    settled = "patient_id" in given | changed
    named = None if settled or _names_several(pending, heard) else _person(call, heard)
    if not (given or changed or named):
        return _set_aside(pending) if _own_request(heard) else _asked_again(pending)
    kept = {name: Sourced(value, "earlier") for name, value in call.args.items()}
    if named:
        kept.pop("patient_id", None)
    said = {
        name: sourced(_added(name, call.args.get(name), mention.value), mention)
        for name, mention in (given | changed).items()
    }
    answered = [*given, *(f"{name} corrected" for name in changed), *(["name"] if named else [])]
    return {
        "request": _with_more(call, heard),
        "named": named,
        "chosen": said["patient_id"].value if "patient_id" in said else None,
        "resumed": (REGISTRY[call.tool].name, kept | said),
        "replaces": call.card,
        "runs": () if named else _still_offered(pending),
        "heard": heard.entities,
        "timeline": step("input_assembly", "Answer to the open question", words_of(answered), by="person"),
    }


def _person_picked(pending: Clarification, heard: Heard) -> Option | None:
    """By what the answer tells of a person alone, where nothing else in it means another one."""
    told = _person_said(heard)
    option = pick(told, pending.options) if told else _agreed(pending, heard)
    return None if option is None or speaks_against(heard.text, option, pending.options) else option


def _agreed(pending: Clarification, heard: Heard) -> Option | None:
    """The only one that was offered, where the answer begins with a yes: "maybe" and "the tall one" are none."""
    offered = [option for option in pending.options if option.value != "no"]
    if pending.reason not in (*YES_OR_NO, OFFER) or len(offered) != 1 or _own_request(heard):
        return None
    if pending.reason == OFFER and _surely_agrees(pending, heard):
        return offered[0]
    return pick(re.split(r"[,.;!]|\s(?:and|[-–—])\s", heard.text.strip(), maxsplit=1)[0], offered)


def _surely_agrees(pending: Clarification, heard: Heard) -> bool:
    """A yes in whatever words, for a look-up alone: what leads to an entry needs a yes that code can read."""
    call = pending.pending
    reads = call is not None and call.tool in REGISTRY and not REGISTRY[call.tool].writes
    found = heard.entities
    amounts = (*found.doses, *found.frequencies, *found.durations, *found.reactions, *found.note_types)
    told = _person_said(heard) or names_more(found) or amounts or re.search(r"[?\d]", heard.text)
    sure = heard.relation == "answers" and heard.probability >= SURE_YES
    return sure and reads and not told and not found.small_talk


def _own_request(heard: Heard) -> bool:
    return bool(heard.entities.asks or heard.entities.writes)


def _names_several(pending: Clarification, heard: Heard) -> bool:
    """The name in the answer is that of more than one who was offered: it tells them apart no better."""
    names = [str(option.facts.get("name", "")) for option in pending.options]
    return any(sum(is_name_of(said.value, name) for name in names) > 1 for said in heard.entities.person_names)


def _offered(pending: Clarification, call: PendingCall, heard: Heard, option: Option | None) -> State:
    """ "Did you want …?": yes goes on with the request, no leaves it."""
    if heard.relation == "cancels" or (option is not None and option.value == "no"):
        return _withdrawn(pending)
    if option is None:
        return _asked_again(pending) if heard.answers and not _own_request(heard) else _set_aside(pending)
    return {
        "request": call.message,
        "agreed": (REGISTRY[call.tool].name,) if call.tool in REGISTRY else (),
        "confirmed": True,
        "timeline": step("input_assembly", "Answer to the open question", "yes", by="person"),
    }


def _withdrawn(pending: Clarification) -> State:
    kept = (
        "Nothing was looked up, and the patient stays as it was."
        if pending.reason in WHICH_PATIENT
        else ("Nothing was looked up or prepared.")
    )
    return {
        "said": f"All right. {kept}",
        "notices": [SET_ASIDE],
        "timeline": step("input_assembly", "Answer to the open question", "withdrawn", by="person"),
    }


def _set_aside(pending: Clarification) -> State:
    return {
        "notices": [SET_ASIDE],
        "timeline": step("input_assembly", "Earlier question set aside", pending.reason),
    }


def _asked_again(pending: Clarification) -> State:
    question = AGAIN + pending.question.removeprefix(AGAIN)
    return {
        "clarification": pending.model_copy(update={"question": question}),
        "timeline": step("input_assembly", "The answer was not clear", pending.reason),
    }


def continued(wanted: tuple[Need, ...], update: State, *, settled: bool) -> tuple[Need, ...]:
    """What the request still needs: a name given in answer is searched for, a patient already settled is not."""
    done: set[ToolName] = {run.tool for run in update.get("runs", ())}
    resumed = update.get("resumed")
    if resumed and not update.get("named") and (settled or "patient_id" in resumed[1]):
        done.add("search_patient")
    first = (Need("search_patient"),) if update.get("named") else ()
    meant = tuple(_as_meant(need, update.get("meant", {})) for need in wanted)
    last = (Need(resumed[0]),) if resumed and all(need.tool != resumed[0] for need in meant) else ()
    return tuple(dict.fromkeys(need for need in (*first, *meant, *last) if need.tool not in done))


def with_name(entities: Entities, named: Mention | None) -> Entities:
    """The request's entities with the name that the answer gave. It has no place in the request's own text."""
    if named is None:
        return entities
    return replace(entities, person_names=(named,), patient_ids=(), places=(), relatives=())


def _person(call: PendingCall, heard: Heard) -> Mention | None:
    """A name in answer, for "which patient?" or in place of the one given: it is searched for and then confirmed."""
    found = heard.entities
    if not REGISTRY[call.tool].patient or found.patient_ids or len(found.person_names) != 1:
        return None
    end = len(call.message)
    return replace(found.person_names[0], start=end, end=end)


def _person_said(heard: Heard) -> str:
    """The words of the answer that tell people apart, without the request around them."""
    found = heard.entities
    told = (*found.person_names, *found.birth_dates, *found.ages, *found.sexes, *found.patient_ids)
    return " ".join(mention.text for mention in sorted(told, key=lambda one: one.start))


def _with_more(call: PendingCall, heard: Heard) -> str:
    """The request, and what an answer asks for besides."""
    return f"{call.message}\n{heard.text}" if heard.relation == "both" else call.message


def _picked(call: PendingCall, option: Option, given: Mapping[str, Mention], heard: Heard) -> State:
    """The user chose one of the options: a patient, or what a name was meant to be."""
    update: State = {
        "request": _with_more(call, heard),
        "heard": heard.entities,
        "timeline": step("input_assembly", "Answer to the open question", "one option picked", by="person"),
    }
    args = {
        name: Sourced(_replace(value, call.unclear, option.value), "pick" if call.unclear else "earlier")
        for name, value in call.args.items()
    }
    settled = {name for name, value in call.args.items() if value == call.unclear or value == [call.unclear]}
    args |= {name: sourced(said.value, said) for name, said in given.items() if name not in settled}
    if "patient_id" in option.facts:
        match = PatientMatch.model_validate(option.facts)
        found = PatientSearchResult(status="found", origin="ehr", matches=(match,))
        update["picked"] = Patient(id=option.value, banner=match.banner())
        update["runs"] = (ToolRun("search_patient", {"name": match.name}, found, "success_rich", attempts=0),)
        args["patient_id"] = Sourced(option.value, "pick")
    elif call.unclear:
        update["meant"] = {call.unclear: option.value}
    update["replaces"] = call.card
    if call.tool != "search_patient":
        update["resumed"] = (REGISTRY[call.tool].name, args)
    return update


def _still_offered(pending: Clarification) -> tuple[ToolRun, ...]:
    """The patients that the question offered and the answer did not choose: found, and still to be confirmed."""
    matches = [PatientMatch.model_validate(option.facts) for option in pending.options if "patient_id" in option.facts]
    if not matches:
        return ()
    found = PatientSearchResult(status="found", origin="ehr", matches=tuple(matches))
    return (ToolRun("search_patient", {"name": matches[0].name}, found, "success_rich", attempts=0),)


def _added(name: str, before: Any, said: str) -> str | list[str]:
    """A drug named in answer to "which other drug?" joins the one already given; so do the details of an order."""
    if name == "notes" and isinstance(before, str) and said not in before:
        return f"{before}; {said}"[:NOTES_LIMIT]
    return [*before, *said.split(", ")] if isinstance(before, list) else said


def _as_meant(need: Need, meant: Mapping[str, str]) -> Need:
    """What was asked under an unclear name is asked of the one that was picked."""
    return replace(need, subject=meant.get(need.subject, need.subject)) if need.subject else need


def _replace(value: str | list[str], unclear: str | None, meant: str) -> str | list[str]:
    """The pick takes the place of the unclear word only, also inside a list of drugs."""
    if isinstance(value, list):
        return [meant if item == unclear else item for item in value]
    return meant if value == unclear else value
