"""An entry that a clinician has in mind, the many ways to say it, and what of it stands in a card or a chart."""

from __future__ import annotations

import base64
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from docgemma.orders.model import Allergy, Draft, Kind, Note, Prescription

DRUGS = {
    "metformin": "metformin", "lisinopril": "lisinopril", "Warfarin": "warfarin", "apixaban": "apixaban",
    "atorvastatin": "atorvastatin", "Lipitor": "lipitor", "amlodipine": "amlodipine", "sertraline": "sertraline",
    "amoxicillin": "amoxicillin", "omeprazole": "omeprazole",
}  # fmt: skip
DOSES = {
    "500 mg": "500 mg", "500mg": "500 mg", "850 mg": "850 mg", "1 g": "1 g", "10 mg": "10 mg", "20mg": "20 mg",
    "2.5 mg": "2.5 mg", "5 mg": "5 mg", "40 mg": "40 mg",
}  # fmt: skip
OFTEN = {
    "twice daily": "twice daily", "bid": "twice daily", "BD": "twice daily", "twice a day": "twice daily",
    "once daily": "once daily", "daily": "once daily", "every day": "once daily", "tds": "three times daily",
    "three times a day": "three times daily", "every 8 hours": "every 8 hours", "at bedtime": "at bedtime",
    "every morning": "every morning", "once weekly": "once weekly",
}  # fmt: skip
ROUTES = {"": "", "by mouth": "by mouth", "orally": "by mouth", "po": "by mouth"}
LASTING = {"": "", "for 7 days": "for 7 days", "for two weeks": "for 2 weeks"}
SUBSTANCES = {
    "latex": "latex", "penicillin": "penicillin", "peanuts": "peanut", "codeine": "codeine", "Shellfish": "shellfish",
    "ibuprofen": "ibuprofen", "amoxicillin": "amoxicillin", "eggs": "egg", "aspirin": "aspirin", "sulfa": "sulfa",
}  # fmt: skip
REACTIONS = (
    "hives", "rash", "anaphylaxis", "swelling of the lips", "shortness of breath", "nausea", "itching", "unknown",
)  # fmt: skip
SEVERITIES = ("", "mild", "moderate", "severe")
NOTES = ("progress note", "discharge summary", "consult note", "clinical note", "nursing note")
TEXTS = (
    "seen today, stable.",
    "Seen today. No new complaints; blood pressure 132/84.",
    "Wife Anna Berg was present. Plan discussed.",
    "Told to start aspirin 81 mg daily at the next visit, not before.",
    "Not allergic to penicillin, tolerated amoxicillin last year.",
    "Father had warfarin 5 mg daily. Do not start it here.",
    "Spoke with Robert King Jr. by telephone.",
    "Sister of patient rki-201. Same address.",
    "Wants to be called “Bob”. Prescribe nothing new.",
    "Wound clean\nsutures out on Friday\nreview in 2 weeks",
    "Asked: is metformin safe? Answered: yes, with normal kidneys.",
    "John Smith's labs were filed here by mistake and removed.",
)

_PRESCRIBE = (
    "Prescribe {what}{who}", "Start {what}{who}", "Please prescribe {what}{who}", "Order {what}{who}",
    "Can you prescribe {what}{who}?", "I'd like to start {what}{who}", "Could you please order {what}{who}?",
    "Begin {what}{who}", "Write a prescription for {what}{who}", "Go ahead and prescribe {what}{who}",
    "Let's start {what}{who}", "Initiate {what}{who}", "prescribe {what}{who} please", "rx {what}{who}",
)  # fmt: skip
_START_ON = ("Start {who} on {what}", "Put {who} on {what}", "Please start {who} on {what}", "{who}: start {what}")
_ALLERGY = (
    "Add an allergy to {what}{who}{more}", "Add a {grade}{what} allergy{who}{more}",
    "Record an allergy to {what}{who}{more}",
    "Record a {grade}{what} allergy{who}{more}", "Document an allergy to {what}{who}{more}",
    "Please add {what} to the allergies{who}{more}", "Please note an allergy to {what}{who}{more}",
    "Add an allergy{who}: {what}{more}",
)  # fmt: skip
_NOTE = (
    "Save a {what}{who}{more}", "Add a {what}{who}{more}", "Write a {what}{who}{more}", "Document a {what}{who}{more}",
    "Please save this {what}{who}{more}",
)  # fmt: skip
_EDITS = ("make it {}", "make that {}", "no, {}", "actually {}", "sorry, I meant {}", "{} instead", "it should be {}")
_FIELD_EDITS = ("change the {name} to {}", "the {name} should be {}", "set the {name} to {}")
_NAMES = {"dose": "dose", "frequency": "frequency", "reaction": "reaction", "severity": "severity", "note_type": "type"}

REQUIRED: dict[Kind, tuple[str, ...]] = {
    "prescription": ("medication", "dose", "frequency"),
    "allergy": ("substance", "reaction"),
    "note": ("note_type", "text"),
}
FIELDS: dict[Kind, dict[str, Mapping[str, str]]] = {
    "prescription": {"medication": DRUGS, "dose": DOSES, "frequency": OFTEN, "route": ROUTES, "duration": LASTING},
    "allergy": {
        "substance": SUBSTANCES,
        "reaction": dict(zip(REACTIONS, REACTIONS, strict=True)),
        "severity": dict(zip(SEVERITIES, SEVERITIES, strict=True)),
    },
    "note": {"note_type": dict(zip(NOTES, NOTES, strict=True)), "text": dict(zip(TEXTS, TEXTS, strict=True))},
}
"""How each field may be said, and what that is in standard words."""

ARGUMENTS = {"medication_name": "medication", "dosage": "dose", "note_text": "text"}
"""Where a question of the program names a field otherwise than an entry does."""


@dataclass(frozen=True)
class Wish:
    """`said` is how each field is spoken, `fields` what it has to be in standard words. Fields not meant are empty."""

    patient: str
    kind: Kind
    fields: Mapping[str, str]
    said: Mapping[str, str] = field(compare=False)

    def with_field(self, name: str, said: str, standard: str) -> Wish:
        return replace(self, fields={**self.fields, name: standard}, said={**self.said, name: said})


def draw_wish(draw: random.Random, patient: str) -> Wish:
    kind: Kind = draw.choices(list(REQUIRED), (5, 3, 2))[0]
    further = kind != "prescription" or draw.random() < 0.3
    tables = {name: table for name, table in FIELDS[kind].items() if further or name in REQUIRED[kind]}
    drawn = {name: draw.choice(list(table.items())) for name, table in tables.items()}
    said = {name: spoken for name, (spoken, _) in drawn.items()}
    return Wish(patient, kind, {name: standard for name, (_, standard) in drawn.items() if standard}, said)


def request(draw: random.Random, wish: Wish, who: str, without: Collection[str] = ()) -> str:
    """The whole wish in one message, without some of its details. `who` is how the patient is named, or nothing."""
    said = {name: "" if name in without else value for name, value in wish.said.items()}
    named = f" for {who}" if who else ""
    if wish.kind == "prescription":
        what = _joined(said.get(name, "") for name in _IN_ORDER)
        start_on = who and draw.random() < 0.2
        return draw.choice(_START_ON if start_on else _PRESCRIBE).format(what=what, who=who if start_on else named)
    if wish.kind == "allergy":
        return _allergy(draw, said, named)
    text = said.get("text", "")
    more = f": {text}" if text else ""
    what = said["note_type"] or "note"
    return draw.choice(_NOTE).format(what=what, who=named, more=more)


_IN_ORDER = ("medication", "dose", "route", "frequency", "duration")


def _allergy(draw: random.Random, said: Mapping[str, str], named: str) -> str:
    form, grade = draw.choice(_ALLERGY), said.get("severity", "")
    more = f", reaction {said['reaction']}" if said["reaction"] else ""
    early = "{grade}" in form and grade
    if grade and not early:
        more += f", severity {grade}"
    text = form.format(what=said["substance"], who=named, more=more, grade=f"{grade} " if early else "")
    return text.replace(" a unknown", " an unknown")


def details(wish: Wish, missing: Sequence[str]) -> str:
    """The answer to what was asked for, in the order in which one says it."""
    wanted = {ARGUMENTS.get(name, name) for name in missing}
    order = (*_IN_ORDER, "substance", "reaction", "note_type", "text")
    return _joined(wish.said[name] for name in order if name in wanted and name in wish.said)


def draw_change(draw: random.Random, wish: Wish) -> tuple[str, Wish]:
    """A change of one detail of the card that waits, and the wish after it."""
    name = draw.choice([name for name in FIELDS[wish.kind] if name in _NAMES])
    others = [pair for pair in FIELDS[wish.kind][name].items() if pair[1] not in ("", wish.fields.get(name))]
    spoken, standard = draw.choice(others)
    form = draw.choice((*_EDITS, *_FIELD_EDITS))
    return form.format(spoken, name=_NAMES[name]), wish.with_field(name, spoken, standard)


def on_card(draft: Draft) -> Wish:
    """What a card says, to be held against what was meant."""
    match draft:
        case Prescription():
            names: tuple[str, ...] = ("medication", "dose", "frequency", "route", "duration", "reason", "notes")
        case Allergy():
            names = ("substance", "reaction", "severity")
        case Note():
            names = ("note_type", "text")
    fields = {name: value for name in names if (value := str(getattr(draft, name)))}
    return Wish(draft.patient_id, draft.kind, fields, {})


def in_chart(wish: Wish) -> tuple[str, dict[str, Any]]:
    """The kind of the resource, and what must stand in it, by path."""
    ref, has = f"Patient/{wish.patient}", wish.fields
    if wish.kind == "prescription":
        taken = _joined(has.get(name, "") for name in _IN_ORDER[1:])
        brand = {"lipitor": "lipitor (atorvastatin)"}.get(has["medication"], has["medication"])
        return "MedicationRequest", {"subject": ref, "what": brand, "how": taken}
    if wish.kind == "allergy":
        known = has["reaction"] != "unknown"
        how = (has["reaction"], has.get("severity", "")) if known else None
        return "AllergyIntolerance", {"subject": ref, "what": has["substance"], "how": how}
    return "DocumentReference", {"subject": ref, "what": has["note_type"], "how": has["text"]}


def read_from(entry: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The same of a resource, read off its raw JSON without any help of the program."""
    kind = entry["resourceType"]
    if kind == "MedicationRequest":
        instruction = [one["text"] for one in entry["dosageInstruction"]]
        what, how = entry["medicationCodeableConcept"]["text"], "|".join(instruction)
    elif kind == "AllergyIntolerance":
        shown = [(one["manifestation"][0]["text"], one.get("severity", "")) for one in entry.get("reaction", ())]
        what, how = entry["code"]["text"], shown[0] if shown else None
    else:
        what = entry["type"]["text"]
        how = base64.b64decode(entry["content"][0]["attachment"]["data"]).decode()
    return kind, {"subject": (entry.get("subject") or entry["patient"])["reference"], "what": what, "how": how}


def _joined(parts: Any) -> str:
    return " ".join(part for part in parts if part)
