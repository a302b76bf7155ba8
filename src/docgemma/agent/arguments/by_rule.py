"""The arguments of a tool call, each with where it comes from. What is not found is missing; nothing is invented.

Reads may use whatever points at the right record. Written fields come from the user's own words, the pinned patient or
a pick, and from nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from docgemma.agent.arguments.sourced import Context, Found, Sourced, declared, from_mention, patient_id
from docgemma.agent.requests.patterns import MOST_TOGETHER
from docgemma.clinical import Patient
from docgemma.entities import extract
from docgemma.entities.drugs import spelled_out
from docgemma.entities.fields import allergy_fields, note_fields, prescription_fields
from docgemma.entities.model import Entities, Mention
from docgemma.entities.topics import find_topics
from docgemma.tools.registry import ToolName

_POINTING = re.compile(r"(?<![\w-])(?:it|that|this|them|those|both|these)(?![\w-])", re.IGNORECASE)
QUERY_LIMIT = 200


def find(
    tool: ToolName,
    need_subject: str | None,
    message: str,
    entities: Entities,
    *,
    earlier: Sequence[str] = (),
    pinned: Patient | None = None,
    known_ids: Sequence[str] = (),
) -> Found:
    """Fill a tool's arguments by rules. `earlier` are the user's own earlier messages, newest last."""
    context = Context(message, entities, need_subject, earlier, pinned, known_ids)
    return declared(tool, _FINDERS[tool](context))


def _earlier_drugs(context: Context, *, writing: bool = False) -> list[Sourced]:
    """The drugs that "it" or "both" stands for: those of the newest earlier message that names any.

    For an order only a name in full counts.
    """
    if not _POINTING.search(context.message):
        return []
    for text in reversed(context.earlier):
        found = extract(text).drugs
        if found:
            drugs = {drug.value: drug for drug in (spelled_out(found) if writing else found)}
            return [Sourced(name, "earlier", (drug.start, drug.end)) for name, drug in drugs.items()]
    return []


def _one(name: str, sourced: Sourced | None) -> dict[str, Sourced]:
    return {name: sourced} if sourced else {}


def _drug_safety(context: Context) -> dict[str, Sourced]:
    drugs = (*context.entities.drugs, *context.entities.unlisted_drugs)
    if context.subject:
        named = next((drug for drug in drugs if drug.value == context.subject), None)
        return {"drug_name": from_mention(named) if named else Sourced(context.subject, "message")}
    if drugs:
        return {"drug_name": from_mention(drugs[0])}
    earlier = _earlier_drugs(context)
    return {"drug_name": earlier[0]} if len(earlier) == 1 else {}


def _interactions(context: Context) -> dict[str, Sourced]:
    mentions = sorted((*context.entities.drugs, *context.entities.unlisted_drugs), key=lambda drug: drug.start)
    names = list(dict.fromkeys(drug.value for drug in mentions))
    if len(names) > 1:
        return {"drug_names": Sourced(names[:MOST_TOGETHER], "message")}
    earlier = [str(drug.value) for drug in _earlier_drugs(context)]
    together = list(dict.fromkeys([*names, *earlier]))
    return {"drug_names": Sourced(together[:MOST_TOGETHER], "earlier")} if len(together) > 1 else {}


def _literature(context: Context) -> dict[str, Sourced]:
    people = (*context.entities.patient_ids, *context.entities.person_names)
    topic = _subject(find_topics(context.message, people), context)
    if topic is None:
        return {}
    return {"query": Sourced(topic.value[:QUERY_LIMIT], "message", (topic.start, topic.end))}


def _subject(mentions: Sequence[Mention], context: Context) -> Mention | None:
    """The one that is asked for, else the first."""
    named = (mention for mention in mentions if mention.value == context.subject)
    return next(named, None) or next(iter(mentions), None)


def _trials(context: Context) -> dict[str, Sourced]:
    """Condition and status; of several searches each has the status word that stands before its condition."""
    found = context.entities
    condition = _subject(found.conditions, context)
    statuses = list(found.trial_statuses[:1])
    if condition and len(found.conditions) > 1:
        start = max((other.end for other in found.conditions if other.start < condition.start), default=0)
        statuses = [status for status in found.trial_statuses if start <= status.start < condition.start]
    status = statuses[0] if len({status.value for status in statuses}) == 1 else None
    return {name: from_mention(item) for name, item in (("condition", condition), ("status", status)) if item}


def _patient_search(context: Context) -> dict[str, Sourced]:
    name = _subject(context.entities.person_names, context)
    return {"name": from_mention(name)} if name else {}


def _chart(context: Context) -> dict[str, Sourced]:
    """With a subject, that person's chart alone: an id as written; of a name, the id that its search gave.

    `known_ids` then have to be those of that search: no other id of the message or the screen stands in for it.
    """
    if context.subject is None:
        return _one("patient_id", patient_id(context, writing=False))
    written = next((item for item in context.entities.patient_ids if item.value == context.subject), None)
    if written is not None:
        return {"patient_id": from_mention(written)}
    ids = set(context.known_ids)
    return {"patient_id": Sourced(ids.pop(), "result")} if len(ids) == 1 else {}


def _prescription(context: Context) -> dict[str, Sourced]:
    args = _one("patient_id", patient_id(context, writing=True))
    args |= _mentioned(prescription_fields(context.entities, context.subject))
    if "medication_name" not in args and not context.entities.drugs:
        earlier = _earlier_drugs(context, writing=True)
        args |= {"medication_name": earlier[0]} if len(earlier) == 1 else {}
    return args


def _allergy(context: Context) -> dict[str, Sourced]:
    args = _one("patient_id", patient_id(context, writing=True))
    return args | _mentioned(allergy_fields(context.entities, context.subject))


def _note(context: Context) -> dict[str, Sourced]:
    args = _one("patient_id", patient_id(context, writing=True))
    return args | _mentioned(note_fields(context.entities))


def _mentioned(fields: dict[str, Mention]) -> dict[str, Sourced]:
    return {name: from_mention(mention) for name, mention in fields.items()}


def _image(context: Context) -> dict[str, Sourced]:
    query = " ".join(context.message.split())[:QUERY_LIMIT]
    return {"query": Sourced(query, "message", (0, len(context.message)))} if query else {}


_FINDERS: dict[ToolName, Callable[[Context], dict[str, Sourced]]] = {
    "check_drug_safety": _drug_safety,
    "check_drug_interactions": _interactions,
    "search_medical_literature": _literature,
    "find_clinical_trials": _trials,
    "search_patient": _patient_search,
    "get_patient_chart": _chart,
    "prescribe_medication": _prescription,
    "add_allergy": _allergy,
    "save_clinical_note": _note,
    "analyze_medical_image": _image,
}
