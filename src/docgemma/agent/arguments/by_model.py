"""Arguments that a model proposed, held against what the user really said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from docgemma.agent.arguments.sourced import ArgumentSource, Context, Found, Sourced, declared, from_mention, patient_id
from docgemma.agent.understanding.needs import MOST_TOGETHER
from docgemma.clinical import Patient
from docgemma.entities.amounts.doses import dose_key
from docgemma.entities.amounts.frequencies import frequency_key
from docgemma.entities.drugs.names import same_drug, spelled_out
from docgemma.entities.fields import fold, join_frequencies, note_fields
from docgemma.entities.model import Entities, Mention
from docgemma.entities.words import without_quotes
from docgemma.tools.registry import REGISTRY, ToolName

Span = tuple[int, int]


def check_model_args(
    tool: ToolName,
    args: Mapping[str, Any],
    entities: Entities,
    earlier: Sequence[Entities] = (),
    known_ids: Sequence[str] = (),
    pinned: Patient | None = None,
) -> Found:
    """Keep what has a source. A written value that the user never said counts as missing, however likely it is."""
    message = entities.text
    context = Context(message, entities, None, earlier, pinned, known_ids)
    note = note_fields(context.entities).get("note_text") if tool == "save_clinical_note" else None
    words = _Words(message, note) if REGISTRY[tool].writes else None
    bound = _bound_by_rule(tool, context.entities)
    kept: dict[str, Sourced] = {}
    for name, value in args.items():
        sourced = _checked(name, value, context, words) if name not in bound else None
        if sourced is not None:
            kept[name] = sourced
    if tool == "save_clinical_note":
        kept.pop("note_text", None)
        if note is not None:
            kept["note_text"] = from_mention(note)
    return declared(tool, kept)


class _Words:
    """What the values of one entry are made of. Each has words of its own, whatever a small model says twice.

    The patient's id is no substance and a note's text is not its type: the patient and the text keep their words, and
    of two values that share some the first has them. Only how severe a reaction is may be said within the reaction.
    What an earlier message quoted or refused is nothing to make an entry of now.
    """

    def __init__(self, message: str, note: Mention | None) -> None:
        self._message, self._note = message, note
        self._taken: dict[str, list[Span]] = {}

    def free(self, name: str, places: Sequence[Span], text: str, found: Entities) -> Span | None:
        """The first of these places that is this value's own; from then on nobody else's."""
        before = text != self._message
        note = [self._note] if self._note is not None and not before else []
        others = [(one.start, one.end) for one in (*found.patient_ids, *found.person_names, *note)]
        own_text = without_quotes(text) if before else text
        open_places = [one for one in places if own_text[slice(*one)].strip() and not _touches(one, others)]
        taken = self._taken.setdefault(text, [])
        own = [(one.start, one.end) for one in found.frequencies] if name == "frequency" else open_places
        if not open_places or (name != "severity" and any(_touches(place, taken) for place in own)):
            return None
        taken += own if name == "frequency" else own[:1]
        return open_places[0]


def _touches(place: Span, others: Sequence[Span]) -> bool:
    return any(place[0] < end and start < place[1] for start, end in others)


def _bound_by_rule(tool: ToolName, found: Entities) -> tuple[str, ...]:
    """Of several drugs or substances the rules know which detail stands with which; a model may mix them up."""
    if tool == "prescribe_medication" and len(found.orders) > 1:
        return ("dosage", "frequency", "notes")
    if tool == "add_allergy" and len(found.allergies) > 1:
        return ("reaction", "severity")
    return ()


def _checked(name: str, value: Any, context: Context, words: _Words | None) -> Sourced | None:
    if isinstance(value, list):
        names = _with_all_named([str(item).strip() for item in value if str(item).strip()], context)
        return Sourced(names, _list_source(names, context)) if len(names) > 1 else None
    text = str(value).strip() if value is not None else ""
    if not text or (name != "reaction" and text.lower() in {"none", "null", "unknown", "n/a"}):
        return None
    if name == "patient_id":
        return _patient(text, context, writing=words is not None)
    if sourced := _stated(name, text, context, words):
        return sourced
    return None if words is not None else Sourced(text, "model")


def _with_all_named(names: list[str], context: Context) -> list[str]:
    """With every drug of the message: one that a model leaves out would pass for checked."""
    left_out = [drug for drug in context.entities.drug_names() if not any(same_drug(drug, name) for name in names)]
    return [*left_out, *names][:MOST_TOGETHER] if len(names) > 1 else names


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
    read = (("message", context.entities), *(("earlier", found) for found in reversed(context.earlier)))
    for source, entities in read:
        for mention in entities.patient_ids:
            if fold(mention.value) == fold(value):
                return Sourced(
                    mention.value, "message" if source == "message" else "earlier", (mention.start, mention.end)
                )
    return None


def _stated(name: str, value: str, context: Context, words: _Words | None) -> Sourced | None:
    """The value in the user's words: this message first, then earlier ones, newest first.

    Where the newest text that says it means something else by it, an older one is not asked.
    """
    texts: list[tuple[ArgumentSource, Entities]] = [("message", context.entities)]
    for source, found in [*texts, *(("earlier", found) for found in reversed(context.earlier))]:
        text = found.text
        if places := _spoken(name, value, text, found):
            span = words.free(name, places, text, found) if words is not None else places[0]
            return Sourced(_spelling(name, value, found), source, span) if span else None
    return None


def _spoken(name: str, value: str, text: str, found: Entities) -> list[Span]:
    """Every place of the text that says it."""
    if name in {"medication_name", "drug_name"}:
        drugs = spelled_out(found.drugs) if name == "medication_name" else found.drugs
        return [(drug.start, drug.end) for drug in drugs if same_drug(drug.value, value)]
    if name == "dosage":
        key = dose_key(value)
        return [(dose.start, dose.end) for dose in found.doses if key and dose_key(dose.text) == key]
    if name == "frequency":
        joined = join_frequencies(found.frequencies)
        same = joined is not None and frequency_key(value) == frequency_key(joined.value) != ""
        return [(joined.start, joined.end)] if joined and same else []
    return _words_in(value, text)


def _words_in(value: str, text: str) -> list[Span]:
    """The same words in a row, whatever their case, spacing and punctuation."""
    parts = re.findall(r"\w+", value)
    if not parts or len(parts) > 60:
        return []
    pattern = r"(?<!\w)" + r"\W{1,4}".join(map(re.escape, parts)) + r"(?!\w)"
    return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]


def _spelling(name: str, value: str, found: Entities) -> str:
    """Amounts as the user gave them, not as the model respelled them."""
    if name == "dosage":
        return next((dose.value for dose in found.doses if dose_key(dose.text) == dose_key(value)), value)
    if name == "frequency" and (joined := join_frequencies(found.frequencies)):
        return joined.value
    if name == "medication_name":
        return next((drug.value for drug in found.drugs if same_drug(drug.value, value)), value)
    return value
