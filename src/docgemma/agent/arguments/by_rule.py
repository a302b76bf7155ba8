"""The arguments of a tool call, each with where it comes from. What is not found is missing; nothing is invented.

Reads may use whatever points at the right record. Written fields come from the user's own words, the pinned patient or
a pick, and from nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from docgemma.agent.arguments.sourced import ArgumentSource, Context, Found, Sourced, declared, from_mention, patient_id
from docgemma.agent.understanding.needs import MOST_TOGETHER, asks_for, joint_drugs
from docgemma.entities.drugs.names import same_drug, spelled_out
from docgemma.entities.fields import allergy_fields, note_fields, prescription_fields
from docgemma.entities.model import Ask, Mention
from docgemma.tools.registry import ToolName

_POINTING = re.compile(r"(?<![\w-])(?:it|that|this|them|those|both|these)(?![\w-])", re.IGNORECASE)
_FEW = 4
"""Words of a request that names nothing: "please prescribe"."""

QUERY_LIMIT = 200


def find(tool: ToolName, context: Context) -> Found:
    """Fill a tool's arguments from what was read."""
    beside = _beside_taken(context) if tool == "check_drug_interactions" else None
    return declared(tool, beside if beside is not None else _FINDERS[tool](context))


def _beside_taken(context: Context) -> dict[str, Sourced] | None:
    """ "Can she have X?": X with what the chart lists. None when the message asks for no such check."""
    wanted, taken = asks_for(context.entities, "check_drug_interactions"), context.taken
    if wanted and not any(ask.with_taken for ask in wanted):
        return None
    names = joint_drugs(wanted) or [ask.drugs[0].value for ask in context.entities.asks if ask.drugs]
    if not names and taken and wanted:
        return _with_taken((), taken) or {}
    if not names or not taken:
        return None
    return _with_taken(names, taken) or {}


def _with_taken(names: Sequence[str], taken: Sequence[str]) -> dict[str, Sourced]:
    """The drug that is asked about first, then what is taken: what does not fit in is the end of that list."""
    together = [*names, *(drug for drug in dict.fromkeys(taken) if not any(same_drug(drug, name) for name in names))]
    source: ArgumentSource = "result" if len(together) > len(names) else "message"
    return {"drug_names": Sourced(together[:MOST_TOGETHER], source)} if len(together) > 1 else {}


def _earlier_drugs(context: Context, *, writing: bool = False) -> list[Sourced]:
    """The drugs that "it" or "both" stands for: those of the newest earlier message that names any.

    For an order only a name in full counts, and an amount alone is of no drug in particular.
    """
    amounts = context.entities.doses or context.entities.frequencies
    bare = writing and not amounts and len(context.message.split()) <= _FEW
    if not _POINTING.search(context.message) and not bare:
        return []
    for before in reversed(context.earlier):
        if before.drugs:
            drugs = {drug.value: drug for drug in (spelled_out(before.drugs) if writing else before.drugs)}
            return [Sourced(name, "earlier", (drug.start, drug.end)) for name, drug in drugs.items()]
    return []


def _one(name: str, sourced: Sourced | None) -> dict[str, Sourced]:
    return {name: sourced} if sourced else {}


def _drug_safety(context: Context) -> dict[str, Sourced]:
    asked = [drug for ask in asks_for(context.entities, "check_drug_safety") for drug in ask.drugs]
    drugs = (*asked, *context.entities.drugs, *context.entities.unlisted_drugs)
    if context.subject:
        named = next((drug for drug in drugs if drug.value == context.subject), None)
        return {"drug_name": from_mention(named) if named else Sourced(context.subject, "message")}
    if drugs:
        return {"drug_name": from_mention(drugs[0])}
    earlier = _earlier_drugs(context)
    return {"drug_name": earlier[0]} if len(earlier) == 1 else {}


def _interactions(context: Context) -> dict[str, Sourced]:
    """The drugs that are asked about together; without such a question (a model chose the tool) all that are named."""
    wanted = [drug for ask in asks_for(context.entities, "check_drug_interactions") for drug in ask.drugs]
    named = (*context.entities.drugs, *context.entities.unlisted_drugs)
    names = list(dict.fromkeys(drug.value for drug in wanted))
    if len(names) < 2:
        names = list(dict.fromkeys([*names, *(drug.value for drug in named)]))
    if len(names) > 1:
        elsewhere = any(drug.start < 0 for drug in wanted)
        return {"drug_names": Sourced(names[:MOST_TOGETHER], "earlier" if elsewhere else "message")}
    earlier = [str(drug.value) for drug in _earlier_drugs(context)]
    together = list(dict.fromkeys([*names, *earlier]))
    return {"drug_names": Sourced(together[:MOST_TOGETHER], "earlier")} if len(together) > 1 else {}


def _literature(context: Context) -> dict[str, Sourced]:
    topic = _topic(asks_for(context.entities, "search_medical_literature"), context)
    if topic is None:
        return {}
    found = from_mention(topic)
    return {"query": Sourced(topic.value[:QUERY_LIMIT], found.source, found.span)}


def _subject(mentions: Sequence[Mention], context: Context) -> Mention | None:
    """The one that is asked for, else the first."""
    named = (mention for mention in mentions if mention.value == context.subject)
    return next(named, None) or next(iter(mentions), None)


def _topic(wanted: Sequence[Ask], context: Context) -> Mention | None:
    """What a search is about. A need may name it where no pattern does: then it is a span of the message."""
    topic = _subject([ask.topic for ask in wanted if ask.topic], context)
    start = context.message.find(context.subject) if context.subject else -1
    if topic is None and context.subject and start >= 0:
        return Mention(context.subject, start, start + len(context.subject))
    return topic


def _trials(context: Context) -> dict[str, Sourced]:
    """Condition and status; of several searches each has its own."""
    wanted = asks_for(context.entities, "find_clinical_trials")
    topic = _topic(wanted, context)
    own = (ask.status for ask in wanted if ask.status and (topic is None or ask.topic == topic))
    status = next(own, None)
    return {name: from_mention(item) for name, item in (("condition", topic), ("status", status)) if item}


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
    args = _entry(context, prescription_fields(context.entities, context.subject))
    if "medication_name" not in args and not context.entities.drugs:
        earlier = _earlier_drugs(context, writing=True)
        args |= {"medication_name": earlier[0]} if len(earlier) == 1 else {}
    return args


def _entry(context: Context, fields: dict[str, Mention]) -> dict[str, Sourced]:
    """What an entry is made of: whom it is for, and the user's own words."""
    own = {name: from_mention(mention) for name, mention in fields.items()}
    return _one("patient_id", patient_id(context, writing=True)) | own


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
    "add_allergy": lambda context: _entry(context, allergy_fields(context.entities, context.subject)),
    "save_clinical_note": lambda context: _entry(context, note_fields(context.entities)),
    "analyze_medical_image": _image,
}
