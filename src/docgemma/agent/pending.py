"""How a message continues what was asked before: by a pick, by the missing detail, or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from docgemma.agent.arguments.sourced import Sourced, unquoted
from docgemma.agent.arguments.stranger import stranger
from docgemma.agent.record import Clarification, PendingCall
from docgemma.agent.requests.patterns import Need, needs
from docgemma.agent.state import State, ToolRun, on_screen, step
from docgemma.clinical import Option, Patient
from docgemma.ehr.folding import fold_words
from docgemma.entities import extract
from docgemma.entities.drugs.names import same_drug
from docgemma.entities.entries.answers import refuses
from docgemma.entities.entries.fields import NOTES_LIMIT, join_details
from docgemma.entities.model import Entities, Mention
from docgemma.entities.people.choice import fill, pick
from docgemma.entities.words import without_quotes, words
from docgemma.entities.writes.corrected import bare_dose, without_denied
from docgemma.tools.registry import REGISTRY, ToolName
from docgemma.tools.results import PatientMatch, PatientSearchResult

UNCLEAR_WORDS = 6
_FREE_TEXT = frozenset({"reaction", "note_text", "substance"})
_CORRECTS = re.compile(r"\W{0,3}(?:no|wrong|sorry|oops|actually|not)\b", re.IGNORECASE)
"""Begins a correction: a name in it is no reaction and no text of a note."""
_MEANT = re.compile(r"\b(?:(?:i|we)\s(?:meant?|wanted)|wrong|instead|not\s(?:that|this)\sone)\b", re.IGNORECASE)
"""Says that something else was meant, also where we do not know the name that follows."""

_AMOUNTS = frozenset({"dosage", "frequency"})
_LOOKS = re.compile(
    r"\b(?:charts?|records?|labs?|meds|medications?|allerg\w+|problems?|results?|vitals|history|show|check|look|open|"
    r"summar\w+|save|write|document)\b",
    re.IGNORECASE,
)
_OWN_REQUESTS: frozenset[ToolName] = frozenset({"get_patient_chart", "save_clinical_note"})
UNKNOWN_NAME = "I do not know whom that means, so nothing was prepared. Ask again with the full name or the id."
AGAIN = "I could not tell which. "
WHICH_PATIENT = frozenset({"confirm_patient", "multiple_patient_matches", "switch_patient"})


def answer_pending(state: State) -> State:
    """Try the message as the answer to the open question; a new request drops the question, visibly."""
    pending = state.get("pending")
    if pending is None or pending.pending is None:
        return {}
    call, message = pending.pending, state["message"]
    heard = without_denied(message, extract(message))
    given = own_words(message, _with_details(fill(message, call.missing, heard), heard)) if call.missing else {}
    if _names_somebody(state, message, heard):
        given = {name: said for name, said in given.items() if name not in _FREE_TEXT}
    if _asks_for_more(message, heard):
        given = {name: said for name, said in given.items() if name not in (*_FREE_TEXT, "patient_id")}
        if not given and not pick(message, pending.options):
            return _asked_again(pending, message, heard)
    if _CORRECTS.match(message) and not heard.person_names and stranger(message, heard, None):
        return {"said": UNKNOWN_NAME, "timeline": step("input_assembly", "The answer names somebody else", by="person")}
    option = pick(message, pending.options) or pick(_without(message, given), pending.options)
    if option is not None:
        return _picked(pending, option, given)
    changed = own_words(message, corrections(call, message, heard))
    in_note = "note_text" in given and "patient_id" not in call.missing
    if in_note:  # whoever the text of a note speaks of, it is not whom the note is for
        changed.pop("patient_id", None)
    if "patient_id" in given and _is_in_note(given):
        del given["patient_id"]
    settled = in_note or "patient_id" in given | changed
    named = None if settled else _person(pending, call, message, heard)
    if not (given or changed or named):
        return _asked_again(pending, message, heard)
    kept = {name: Sourced(value, "earlier") for name, value in call.args.items()}
    if named:
        kept.pop("patient_id", None)
    said = {
        name: Sourced(_added(name, call.args.get(name), mention.value), "message", (mention.start, mention.end))
        for name, mention in (given | changed).items()
    }
    answered = [*given, *(f"{name} corrected" for name in changed), *(["name"] if named else [])]
    detail = ", ".join(answered).replace("_", " ")
    return {
        "request": call.message,
        "named": named,
        "chosen": said["patient_id"].value if "patient_id" in said else None,
        "resumed": (REGISTRY[call.tool].name, kept | said),
        "replaces": call.card,
        "runs": () if named else _still_offered(pending),
        "timeline": step("input_assembly", "Answer to the open question", detail, by="person"),
    }


def _is_in_note(given: Mapping[str, Mention]) -> bool:
    """Whether the id stands inside the text that is given with it, and not before it."""
    note, id_ = given.get("note_text"), given["patient_id"]
    return note is not None and note.start < id_.start < note.end


def _asks_for_more(message: str, heard: Entities) -> bool:
    """Whether the message is a look-up or an entry of its own: "labs for tvo-502", "Save a nursing note for …"."""
    asked = {need.tool for need in needs(message, heard, has_image=False, patient_known=True)}
    return bool(asked & _OWN_REQUESTS and _LOOKS.search(message)) or any(write.kind == "note" for write in heard.writes)


def _names_somebody(state: State, message: str, heard: Entities) -> bool:
    """Whether the answer is about whom, and so no reaction and no text of a note: "no, for Holm", an id, the name."""
    if _CORRECTS.match(message):
        told = heard.person_names or heard.patient_ids or _MEANT.search(message) or stranger(message, heard, None)
        return bool(told)
    here = on_screen(state) or state.get("recent")
    own = set(fold_words(here.banner.partition(",")[0])) if here else set()
    said = set(fold_words(message))
    whom = (*heard.patient_ids, *heard.person_names)
    return any(mention.text == message.strip() for mention in whom) or (bool(said) and said <= own)


def continued(wanted: tuple[Need, ...], update: State, *, settled: bool) -> tuple[Need, ...]:
    """What the request still needs: a name given in answer is searched for, a patient already settled is not."""
    done: set[ToolName] = {run.tool for run in update.get("runs", ())}
    resumed = update.get("resumed")
    if resumed and not update.get("named") and (settled or "patient_id" in resumed[1]):
        done.add("search_patient")
    first = (Need("search_patient"),) if update.get("named") else ()
    meant = tuple(_as_meant(need, update.get("meant", {})) for need in wanted)
    return tuple(dict.fromkeys(need for need in (*first, *meant) if need.tool not in done))


def with_name(entities: Entities, named: Mention | None) -> Entities:
    """The request's entities with the name that the answer gave. It has no place in the request's own text."""
    return entities if named is None else replace(entities, person_names=(named,), patient_ids=())


def corrections(call: PendingCall, message: str, heard: Entities) -> dict[str, Mention]:
    """What the answer says otherwise than the request did. The newer word counts: an order never keeps the old one."""
    if not REGISTRY[call.tool].writes:
        return {}
    known = {name: value for name, value in call.args.items() if isinstance(value, str) and name not in call.missing}
    said = fill(message, (*known, *call.missing), heard)
    if "dosage" in known and "dosage" not in said and (dose := bare_dose(message, known["dosage"])):
        said["dosage"] = dose
    changed = {name: said[name] for name, value in known.items() if name in said and not _same(name, said[name], value)}
    return _with_details(changed, heard)


def _with_details(given: Mapping[str, Mention], heard: Entities) -> dict[str, Mention]:
    """ "500 mg po bd for 7 days" gives route and duration along with the amount that was asked for."""
    notes = join_details((*heard.routes, *heard.durations)) if _AMOUNTS & given.keys() else None
    return {**given, "notes": notes} if notes else dict(given)


def _same(name: str, said: Mention, value: str) -> bool:
    if name in ("medication_name", "drug_name"):
        return same_drug(said.value, value)
    return said.value.casefold() == value.casefold()


def _asked_again(pending: Clarification, message: str, heard: Entities) -> State:
    """An answer that fits nothing is asked for again; a request of its own drops the question, visibly."""
    own = "?" in message or refuses(message) or heard.small_talk or heard.undoable
    asks = needs(message, heard, has_image=False, patient_known=True)
    if len(asks) == 1 and _tells_none_apart(pending, heard):
        asks = ()
    if pending.reason in WHICH_PATIENT and refuses(message):
        return {
            "said": "All right. Nothing was looked up, and the patient stays as it was.",
            "notices": ["The earlier question was set aside."],
            "timeline": step("input_assembly", "Answer to the open question", "none of those offered", by="person"),
        }
    if len(message.split()) <= UNCLEAR_WORDS and not (own or asks):
        question = AGAIN + pending.question.removeprefix(AGAIN)
        return {
            "clarification": pending.model_copy(update={"question": question}),
            "timeline": step("input_assembly", "The answer was not clear", pending.reason),
        }
    return {
        "notices": ["The earlier question was set aside."],
        "timeline": step("input_assembly", "Earlier question set aside", pending.reason),
    }


def own_words(message: str, given: Mapping[str, Mention]) -> dict[str, Mention]:
    """What a quotation says is no answer, unless the quotation is all there is, or a note is what was asked for."""
    if not without_quotes(message).strip():
        return dict(given)
    return {name: said for name, said in given.items() if name == "note_text" or unquoted(message, [said])}


def _person(pending: Clarification, call: PendingCall, message: str, heard: Entities) -> Mention | None:
    """A name in answer, for "which patient?" or in place of the one given: it is searched for and then confirmed."""
    if not REGISTRY[call.tool].patient or heard.patient_ids or len(heard.person_names) != 1:
        return None
    if _tells_none_apart(pending, heard):
        return None
    asked = needs(message, heard, has_image=False, patient_known=False)
    if any(need.tool != "search_patient" for need in asked) or not unquoted(message, heard.person_names):
        return None
    end = len(call.message)
    return replace(heard.person_names[0], start=end, end=end)


def _tells_none_apart(pending: Clarification, heard: Entities) -> bool:
    """ "James" in answer to "which James Wilson?" is no new person to search for."""
    said = {word.low for name in heard.person_names for word in words(name.value)}
    return bool(said) and any(said <= {word.low for word in words(option.label)} for option in pending.options)


def _added(name: str, before: str | list[str] | None, said: str) -> str | list[str]:
    """A drug named in answer to "which other drug?" joins the one already given; so do the details of an order."""
    if name == "notes" and isinstance(before, str) and said not in before:
        return f"{before}; {said}"[:NOTES_LIMIT]
    return [*before, *said.split(", ")] if isinstance(before, list) else said


def _without(message: str, given: Mapping[str, Mention]) -> str:
    """ "Yes, hives" is a yes and a reaction: what is left of an answer once its details are taken."""
    for mention in sorted(given.values(), key=lambda mention: mention.start, reverse=True):
        message = message[: mention.start] + message[mention.end :]
    return message.strip(" ,;.")


def _still_offered(pending: Clarification) -> tuple[ToolRun, ...]:
    """The patients that the question offered and the answer did not choose: found, and still to be confirmed."""
    matches = [PatientMatch.model_validate(option.facts) for option in pending.options if "patient_id" in option.facts]
    if not matches:
        return ()
    found = PatientSearchResult(status="found", origin="ehr", matches=tuple(matches))
    return (ToolRun("search_patient", {"name": matches[0].name}, found, "success_rich", attempts=0),)


def _picked(pending: Clarification, option: Option, given: Mapping[str, Mention]) -> State:
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
    settled = {name for name, value in call.args.items() if value == call.unclear or value == [call.unclear]}
    args |= {
        name: Sourced(said.value, "message", (said.start, said.end))
        for name, said in given.items()
        if name not in settled
    }
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


def _as_meant(need: Need, meant: Mapping[str, str]) -> Need:
    """What was asked under an unclear name is asked of the one that was picked."""
    return replace(need, subject=meant.get(need.subject, need.subject)) if need.subject else need


def _replace(value: str | list[str], unclear: str | None, meant: str) -> str | list[str]:
    """The pick takes the place of the unclear word only, also inside a list of drugs."""
    if isinstance(value, list):
        return [meant if item == unclear else item for item in value]
    return meant if value == unclear else value
