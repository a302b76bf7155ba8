"""Kinds of clinical notes in standard words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import process

from docgemma.entities.model import Mention
from docgemma.entities.words import word_set

_TYPES = {
    "progress": "progress note",
    "consult": "consult note",
    "consultation": "consult note",
    "procedure": "procedure note",
    "operative": "operative note",
    "op": "operative note",
    "admission": "admission note",
    "nursing": "nursing note",
    "nurse": "nursing note",
    "soap": "SOAP note",
    "clinic": "clinic note",
    "clinical": "clinical note",
    "visit": "visit note",
    "telephone": "telephone note",
    "phone": "telephone note",
    "follow-up": "follow-up note",
    "followup": "follow-up note",
    "follow up": "follow-up note",
    "triage": "triage note",
    "transfer": "transfer note",
    "handover": "handover note",
    "ward": "ward round note",
    "ward round": "ward round note",
    "ed": "emergency note",
    "emergency": "emergency note",
    "discharge": "discharge note",
    "physio": "physiotherapy note",
    "physiotherapy": "physiotherapy note",
    "pharmacy": "pharmacy note",
    "event": "event note",
    "h&p": "history and physical note",
}
_STANDING = word_set(
    "progress consult consultation procedure operative admission soap discharge triage transfer handover"
)
"""Kinds that stay what they are with a speciality before them: "renal consult note"."""

_BEFORE_KIND = re.compile(r"^(?:(?:just|a|an|the|its|it's|it|make|as|is|in|under|oh|um|erm|as)\s){1,4}", re.IGNORECASE)

_LONGEST_KIND = 60
_SHORT, _ALIKE = 5, 88
"""Letters up to which a slip may be another word, and how alike two longer ones have to be in per cent."""


def note_type(answer: str) -> Mention | None:
    """A kind named alone, as in an answer: "progress", "SOAP pls", "just a ward round one"."""
    word = re.split(
        r"[.,;:!\n]|\s(?:pls|please|plz|i\sthink|thanks|thx|ta|sorry|one|notes?|type)(?!\w)", answer.strip(), maxsplit=1
    )[0]
    word = _BEFORE_KIND.sub("", word.strip()).strip()
    value = _TYPES.get(word.lower())
    start = answer.find(word)
    return Mention(word, start, start + len(word), value) if value else None


def named_kind(text: str) -> str:
    """The kind that these words name, with or without "note" behind them: in standard words, else as they were said."""
    said = re.sub(r"\s{1,2}notes?$", "", " ".join(text.split())[:_LONGEST_KIND], flags=re.IGNORECASE).split()
    if not said or said[0].casefold() in ("note", "notes"):
        return ""
    if [word.casefold() for word in said] in (["discharge", "summary"], ["history", "and", "physical"]):
        return " ".join(said).lower()
    return _named_kind(said)


def _named_kind(said: Sequence[str]) -> str:
    """In standard words where there are some; else as said, abbreviations in capitals."""
    low = " ".join(said).lower()
    if len(low) > _SHORT and (near := process.extractOne(low, _TYPES.keys(), score_cutoff=_ALIKE)):
        low = near[0]
    if low in _TYPES:
        return _TYPES[low]
    known = _TYPES.get(low.split()[-1]) if low.split()[-1] in _STANDING else None
    return known or " ".join(word if word.isupper() else word.lower() for word in said) + " note"
