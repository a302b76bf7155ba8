"""What a message says about the card that waits: a change makes a new card; a "yes" is no approval.

Only the approve action decides. A message that says neither leaves the card standing and is a request of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from docgemma.agent.arguments.sourced import Sourced
from docgemma.agent.pending import corrections, own_words
from docgemma.agent.questions import ask_for_fields
from docgemma.agent.record import Clarification, PendingCall
from docgemma.agent.state import State, step
from docgemma.entities import extract
from docgemma.entities.amounts.durations import parse_duration
from docgemma.entities.amounts.frequencies import parse_frequency
from docgemma.entities.amounts.frequency_words import UNCOUNTED
from docgemma.entities.amounts.indications import find_indications
from docgemma.entities.amounts.routes import parse_route
from docgemma.entities.drugs.names import same_drug
from docgemma.entities.entries.answers import fill
from docgemma.entities.entries.notes import note_type
from docgemma.entities.model import Entities, Mention
from docgemma.entities.words import word_set, words
from docgemma.entities.writes.corrected import without_denied
from docgemma.orders.details import read_details
from docgemma.orders.unclear import Unclear
from docgemma.tools.registry import REGISTRY

CARD = "approval"
"""The reason of what a session waits for after a card."""

_AGREES = re.compile(
    r"\W*(?:(?:yes|yep|yeah|yup|ok(?:ay)?|sure|fine|right|correct|approved?|agreed?|confirm(?:ed)?|accept(?:ed)?|sign(?:ed)?"
    r"|submit|send|save|proceed|go\s(?:ahead|on)|do|write|order|prescribe|looks\s(?:good|right|fine)|good|great|perfect"
    r"|it|that|this|off|please|pls|now|all\sgood|that's\s(?:right|it|fine|correct)|thanks|thank\syou|the\s(?:card|order|entry))\W*)+",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\b(?:yes|yep|yeah|yup|ok(?:ay)?|sure|approve|agree|confirm|accept|sign|submit|send|save|proceed|go\s(?:ahead|on)"
    r"|do\sit|write\sit|looks|perfect|correct|right|good|fine)",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"\W*(?:(?:no|nope|nah|please|actually|wait|sorry|oh)\W+)*"
    r"(?:no|nope|nah|wrong\s(?:patient|person|drug|one)|cancel|reject|decline|discard|scrap|drop|forget|withdraw|delete|remove|stop|never\s?mind|nvm"
    r"|do\s?n[o']?t(?:\s(?:do|send|write|save|order|approve))?)"
    r"(?:\s(?:it|that|this|the\s(?:card|order|entry|prescription|allergy|note)|about\sit|please))*\W*",
    re.IGNORECASE,
)
_AMOUNTS = ("dosage", "frequency")
_FIELDS = {
    **dict.fromkeys(("dose", "dosage", "strength"), "dosage"),
    **dict.fromkeys(("drug", "medication", "medicine"), "medication_name"),
    **dict.fromkeys(("substance", "allergen"), "substance"),
    **dict.fromkeys(("type", "kind"), "note_type"),
    **dict.fromkeys(("note", "text"), "note_text"),
    **{name: name for name in ("frequency", "reaction", "severity", "route", "duration", "reason")},
}
_FIELD = rf"(?:the\s)?(?P<{{}}>{'|'.join(_FIELDS)})"
_IT = r"(?:it|that|this|the\s(?:order|entry|card))"
_VERBS = r"(?:make|change|amend|correct|edit|set|switch|increase|decrease|reduce|raise|lower|update)"
_CHANGES = re.compile(
    r"^\W*(?:no|sorry|oops|actually|wait|wrong|correction|not)\b"
    rf"|\b{_VERBS}\s(?:{_IT}|{_FIELD.format('changed')})\b"
    r"|\b(?:should\s(?:be|say|read)|instead|rather\sthan|(?:i|we)\s(?:meant?|wanted))\b",
    re.IGNORECASE,
)
_NAMES_CARD = re.compile(
    rf"^\W*(?:please\s)?(?:{_VERBS}|remove|delete|drop)\s(?:{_IT}|{_FIELD.format('named')})\b", re.IGNORECASE
)
_LEAD = re.compile(
    r"\W*(?:(?:no|nope|sorry|oops|actually|wait|correction|yes|yep|yeah|ok(?:ay)?|but|please|pls|oh)\b[\s,.;:–-]*)*"
    rf"(?:(?:{_VERBS}\s(?:(?:{_IT}|{_FIELD.format('verb')})\b\s{{0,2}})?(?:to\b|into\b|:)?"
    rf"|(?:{_IT}|{_FIELD.format('noun')})\s(?:should\s(?:be|say|read)|is|was)\b|{_FIELD.format('bare')}\b\s{{0,2}}:?"
    r"|(?:i|we)\s(?:meant?|wanted)\b|add\b|only\b|just\b|take\b)[\s:,-]*)?",
    re.IGNORECASE,
)
"""What leads a change and is no part of it: "actually", "change the dose to", "it should be"."""
_NOT_THAT = re.compile(r"[\s,]{1,3}(?:not|instead\sof|rather\sthan)\s", re.IGNORECASE)

_FILLERS = word_set("for and with please pls only just take it to be the a an x but instead thanks now i of")
_CREATES = re.compile(
    r"\W*(?:please\s|pls\s|can\syou\s|could\syou\s|also\s|and\s|now\s|then\s){0,3}"
    r"(?:add|save|write|document|record|prescribe|order|note|enter|create|file|chart|log|start|begin|initiate)\b",
    re.IGNORECASE,
)
NOT_CHANGED = (
    "What to change was not understood, so the entry still waits as it is. "
    "Name the field and its new value, for example: change the dose to 20 mg."
)


def is_about_card(state: State) -> bool:
    """Whether a card waits, and no question."""
    pending = state.get("pending")
    return pending is not None and pending.reason == CARD


def answer_card(state: State) -> State:
    """The message as a word on the card that waits. Empty when it is about something else."""
    pending = state.get("pending")
    if pending is None or pending.pending is None:
        return {}
    call, message = pending.pending, state["message"]
    if _AGREES.fullmatch(message) and _DECIDES.search(message):
        return _told(f"Only the approve action counts, so nothing was written. {how_to_decide(call.card)}")
    if _DECLINES.fullmatch(message):
        return _told(f"The entry still waits; nothing was written. {how_to_decide(call.card)}")
    if "?" in message or _is_new(message):
        return {}
    changed = _changed(call, message)
    if not changed and _NAMES_CARD.match(message) and not extract(message).writes:
        return _told(f"{NOT_CHANGED} {how_to_decide(call.card)}")
    return changed


def _is_new(message: str) -> bool:
    """An entry asked for by its own verb is another one, not a change: "Add a clinical note" beside a nursing note."""
    return _CREATES.match(message) is not None and bool(extract(message).writes)


def how_to_decide(card: str) -> str:
    """For every door: the words of a message decide nothing in any of them."""
    return (
        "Decide on the card itself: with its buttons on the page, or in the terminal with "
        f"/approve {card} or /reject {card}, or `docgemma approve {card}`."
    )


def waits_for(call: PendingCall) -> Clarification:
    """What the session keeps of a card, so that "make it 850 mg" is understood."""
    return Clarification(reason=CARD, question="", pending=call)


def _changed(call: PendingCall, message: str) -> State:
    given = _given(call, message)
    if not given:
        return {}
    if "medication_name" in given:
        return _another_drug(call, message, given)
    kept = {name: Sourced(value, "earlier") for name, value in call.args.items()}
    said = {name: Sourced(mention.value, "message", (mention.start, mention.end)) for name, mention in given.items()}
    detail = ", ".join(given).replace("_", " ")
    return {
        "request": call.message,
        "resumed": (REGISTRY[call.tool].name, kept | said),
        "replaces": call.card,
        "runs": (),
        "timeline": step("input_assembly", "A change to the entry that waits", detail, by="person"),
    }


def _another_drug(call: PendingCall, message: str, given: Mapping[str, Mention]) -> State:
    """The amounts before were said of the other drug: none of them is carried over."""
    said = {name: mention.value for name, mention in given.items()}
    kept = {name: value for name, value in call.args.items() if name not in _AMOUNTS}
    missing = tuple(name for name in _AMOUNTS if name not in said)
    about = message[given["medication_name"].start :]  # without the old request, whose amounts would be found again
    asked = PendingCall(message=about, tool=call.tool, args=kept | said, missing=missing, card=call.card)
    timeline = step("input_assembly", "A change to the entry that waits", "another drug", by="person")
    if missing:
        return {"clarification": ask_for_fields(asked), "timeline": timeline}
    spans = {name: (mention.start, mention.end) for name, mention in given.items()}
    args = {
        name: Sourced(value, "message" if name in spans else "earlier", spans.get(name))
        for name, value in asked.args.items()
    }
    resumed = (REGISTRY[call.tool].name, args)
    return {"request": call.message, "resumed": resumed, "replaces": call.card, "runs": (), "timeline": timeline}


def _given(call: PendingCall, message: str) -> dict[str, Mention]:
    """The fields that the message says otherwise: as a change in so many words, or as nothing but such details."""
    lead = _LEAD.match(message)
    begin = lead.end() if lead else 0
    rest = message[begin:].strip()
    begin = message.index(rest, begin)
    if call.tool != "save_clinical_note":  # "hives, not rash": what it is not has no part in it
        rest = _NOT_THAT.split(rest, maxsplit=1)[0]
    field = _FIELDS.get(next((name.lower() for name in lead.groups() if name), ""), "") if lead else ""
    heard = without_denied(rest, extract(rest))
    if heard.writes and call.tool != "save_clinical_note":
        return {}
    found = own_words(rest, _in_field(call, field, rest, heard) or corrections(call, rest, heard))
    if "medication_name" in found:  # also those that are the same as before: they are said of this drug now
        found = fill(rest, _AMOUNTS, heard) | found
    found = _standing_alone(call, f"for {rest}" if field == "reason" else rest, heard, _combined(call, found))
    if _CHANGES.search(message) or (found and (field or _is_bare(call, rest, heard, found))):
        moved = {name: replace(each, start=each.start + begin, end=each.end + begin) for name, each in found.items()}
        return moved or own_words(message, corrections(call, message, without_denied(message, extract(message))))
    return {}


def _in_field(call: PendingCall, field: str, rest: str, heard: Entities) -> dict[str, Mention]:
    """The value of the field that was named: "the reaction was feeling faint", "change the text to …"."""
    kind = note_type(rest)
    if field == "note_text" and kind is not None and kind.text == rest.removeprefix("a "):
        field = "note_type"
    if not rest or not (field in call.args or (field == "severity" and call.tool == "add_allergy")):
        return {}
    return fill(rest, (field,), heard)


def _standing_alone(call: PendingCall, rest: str, heard: Entities, found: Mapping[str, Mention]) -> dict[str, Mention]:
    """With what has no field to be compared with: a grade that was not given before, and the details of an order."""
    given = {name: mention for name, mention in found.items() if name != "notes"}
    if call.tool == "add_allergy" and "severity" not in call.args and len(heard.severities) == 1:
        given["severity"] = heard.severities[0]
    if call.tool == "prescribe_medication" and (details := _details(call, rest, heard)):
        given["notes"] = details
    return given


def _details(call: PendingCall, rest: str, heard: Entities) -> Mention | None:
    """A new way, duration or reason takes the place of the old one of its kind; the others stay."""
    reasons = [] if heard.person_names else find_indications(rest, 0, len(rest))
    parts = [*heard.routes, *heard.durations, *reasons]
    whole = parse_route(rest) or parse_duration(rest)
    values = list(dict.fromkeys(part.value for part in parts)) or ([whole] if whole else [])
    before, now = read_details(str(call.args.get("notes", ""))), read_details("; ".join(values))
    if not values or isinstance(before, Unclear) or isinstance(now, Unclear):
        return None
    reason = now.reason or before.reason
    kept = (now.route or before.route, now.duration or before.duration, f"for {reason}" if reason else "")
    said = "; ".join(part for part in (*kept, before.rest) if part)
    start, end = min((part.start for part in parts), default=0), max((part.end for part in parts), default=len(rest))
    return Mention(rest[start:end], start, end, said) if said != call.args.get("notes") else None


def _combined(call: PendingCall, found: Mapping[str, Mention]) -> dict[str, Mention]:
    """ "With food" and "as needed" leave how often as it was; "at bedtime" says how often, and takes its place."""
    said = found.get("frequency")
    before, now = parse_frequency(str(call.args.get("frequency", ""))), parse_frequency(said.value) if said else None
    if said is None or before is None or now is None or now.often or now.days or now.now:
        return dict(found)
    if not UNCOUNTED.issuperset(now.moments):
        return dict(found)
    moments = now.moments or before.moments
    both = replace(before, moments=moments, as_needed=before.as_needed or now.as_needed)
    if parse_frequency(both.render()) != both:
        return dict(found)
    return {**found, "frequency": replace(said, value=both.render())}


def _is_bare(call: PendingCall, rest: str, heard: Entities, found: Mapping[str, Mention]) -> bool:
    """Whether the message is nothing but details of this entry. Another drug or a person is a request of its own."""
    named = str(call.args.get("medication_name", ""))
    if heard.person_names or heard.patient_ids or any(not same_drug(drug.value, named) for drug in heard.drugs):
        return False
    spans = [*found.values(), *heard.drugs, *heard.doses, *heard.frequencies, *heard.routes, *heard.durations]
    return all(
        word.low in _FILLERS or not word.low[0].isalnum() or any(span.start <= word.start < span.end for span in spans)
        for word in words(rest)
    )


def _told(text: str) -> State:
    return {
        "said": text,
        "timeline": step("input_assembly", "About the entry that waits", "no decision by words", by="person"),
    }
