"""Arguments that a model proposed, held against what the user really said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from docgemma.agent.arguments.sourced import ArgumentSource, Context, Found, Sourced, declared, patient_id
from docgemma.clinical import Patient
from docgemma.entities import extract
from docgemma.entities.amounts.doses import dose_key
from docgemma.entities.amounts.frequencies import frequency_key
from docgemma.entities.drugs.names import same_drug, spelled_out
from docgemma.entities.entries.fields import fold, join_frequencies, note_fields
from docgemma.entities.model import Entities
from docgemma.tools.registry import REGISTRY, ToolName


def check_model_args(
    tool: ToolName,
    args: Mapping[str, Any],
    message: str,
    earlier: Sequence[str] = (),
    known_ids: Sequence[str] = (),
    pinned: Patient | None = None,
) -> Found:
    """Keep what has a source. A written value that the user never said counts as missing, however likely it is."""
    context = Context(message, extract(message), None, earlier, pinned, known_ids)
    writing = REGISTRY[tool].writes
    kept: dict[str, Sourced] = {}
    for name, value in args.items():
        sourced = _checked(name, value, context, writing=writing)
        if sourced is not None:
            kept[name] = sourced
    for name in _bound_by_rule(tool, context.entities):
        kept.pop(name, None)
    if tool == "save_clinical_note":
        text = note_fields(context.entities).get("note_text")
        kept.pop("note_text", None)
        if text:
            kept["note_text"] = Sourced(text.value, "message", (text.start, text.end))
    return declared(tool, _apart(kept, context.entities) if writing else kept)


def _apart(kept: dict[str, Sourced], found: Entities) -> dict[str, Sourced]:
    """Without what a small model says twice: the patient's id is no substance, a note's text is not its type.

    Each written value has words of its own. Where two share some, the patient and the note's text keep them, then
    whatever stands first.
    """
    people = [(one.start, one.end) for one in (*found.patient_ids, *found.person_names)]
    taken: dict[str, list[tuple[int, int]]] = {"message": people, "earlier": []}
    apart: dict[str, Sourced] = {name: kept[name] for name in ("patient_id", "note_text") if name in kept}
    if (text := apart.get("note_text")) is not None and text.span is not None:
        taken["message"].append(text.span)
    for name, value in kept.items():
        if name in apart:
            continue
        spans = taken.setdefault(value.source, [])
        if value.span is not None and any(value.span[0] < end and start < value.span[1] for start, end in spans):
            continue
        apart[name] = value
        if value.span is not None:
            spans.append(value.span)
    return {name: apart[name] for name in kept if name in apart}


def _bound_by_rule(tool: ToolName, found: Entities) -> tuple[str, ...]:
    """Of several drugs or substances the rules know which detail stands with which; a model may mix them up."""
    if tool == "prescribe_medication" and len(found.orders) > 1:
        return ("dosage", "frequency", "notes")
    if tool == "add_allergy" and len(found.allergies) > 1:
        return ("reaction", "severity")
    return ()


def _checked(name: str, value: Any, context: Context, *, writing: bool) -> Sourced | None:
    if isinstance(value, list):
        names = [str(item).strip() for item in value if str(item).strip()]
        return Sourced(names, _list_source(names, context)) if len(names) > 1 else None
    text = str(value).strip() if value is not None else ""
    if not text or (name != "reaction" and text.lower() in {"none", "null", "unknown", "n/a"}):
        return None
    if name == "patient_id":
        return _patient(text, context, writing=writing)
    if sourced := _stated(name, text, context):
        return sourced
    return None if writing else Sourced(text, "model")


def _list_source(names: list[str], context: Context) -> ArgumentSource:
    said = context.entities.drug_names()
    return "message" if all(any(same_drug(name, other) for other in said) for name in names) else "model"


def _patient(value: str, context: Context, *, writing: bool) -> Sourced | None:
    """An id must have been seen. For a write it must be the one the rules arrive at."""
    ruled = patient_id(context, writing=writing)
    if ruled is not None and fold(str(ruled.value)) == fold(value):
        return ruled
    if writing:
        return None
    if value in context.known_ids:
        return Sourced(value, "result")
    for source, text in (("message", context.message), *(("earlier", text) for text in reversed(context.earlier))):
        for mention in extract(text).patient_ids:
            if fold(mention.value) == fold(value):
                return Sourced(
                    mention.value, "message" if source == "message" else "earlier", (mention.start, mention.end)
                )
    return None


def _stated(name: str, value: str, context: Context) -> Sourced | None:
    """The value in the user's words: this message first, then earlier ones, newest first."""
    if span := _spoken(name, value, context.message, context.entities):
        return Sourced(_spelling(name, value, context.entities), "message", span)
    for text in reversed(context.earlier):
        found = extract(text)
        if span := _spoken(name, value, text, found):
            return Sourced(_spelling(name, value, found), "earlier", span)
    return None


def _spoken(name: str, value: str, text: str, found: Entities) -> tuple[int, int] | None:
    if name in {"medication_name", "drug_name"}:
        drugs = spelled_out(found.drugs) if name == "medication_name" else found.drugs
        return next(((drug.start, drug.end) for drug in drugs if same_drug(drug.value, value)), None)
    if name == "dosage":
        key = dose_key(value)
        return next(((dose.start, dose.end) for dose in found.doses if key and dose_key(dose.text) == key), None)
    if name == "frequency":
        joined = join_frequencies(found.frequencies)
        same = joined is not None and frequency_key(value) == frequency_key(joined.value) != ""
        return (joined.start, joined.end) if joined and same else None
    return _words_in(value, text)


def _words_in(value: str, text: str) -> tuple[int, int] | None:
    """The same words in a row, whatever their case, spacing and punctuation."""
    parts = re.findall(r"\w+", value)
    if not parts or len(parts) > 60:
        return None
    pattern = r"(?<!\w)" + r"\W{1,4}".join(map(re.escape, parts)) + r"(?!\w)"
    match = re.search(pattern, text, re.IGNORECASE)
    return match.span() if match else None


def _spelling(name: str, value: str, found: Entities) -> str:
    """Amounts as the user gave them, not as the model respelled them."""
    if name == "dosage":
        return next((dose.value for dose in found.doses if dose_key(dose.text) == dose_key(value)), value)
    if name == "frequency" and (joined := join_frequencies(found.frequencies)):
        return joined.value
    if name == "medication_name":
        return next((drug.value for drug in found.drugs if same_drug(drug.value, value)), value)
    return value
