"""Answers to "what is missing?": only what the message states, and only when it is no new request."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from docgemma.entities.allergies import known_substances
from docgemma.entities.drugs import spelled_out
from docgemma.entities.fields import allergy_fields, fold, join_frequencies, note_fields, only_dose
from docgemma.entities.model import Entities, Mention
from docgemma.entities.notes import note_type
from docgemma.entities.speech import clauses
from docgemma.entities.words import sentences, word_set, words

_GIVING = word_set("make use give go take put enter")
"""Verbs that carry an answer: "make it twice daily"."""

_UNKNOWN = re.compile(
    r"(?:(?:it's|it\sis|the\sreaction\s(?:is|was))\s)?(?:unknown|not\ssure|unsure|i\s(?:don't|do\snot)\sknow|don't\sknow|no\sidea"
    r"|not\sknown|unclear)(?:\sreaction)?",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:no|nope|never\s?mind|cancel|stop|forget\sit|nothing|skip(?:\sit)?|yes|ok|okay|thanks|thank\syou)[\s.!]{0,3}",
    re.IGNORECASE,
)
_ID = re.compile(r"(?=[\w-]{0,63}\d)[a-z0-9][a-z0-9-]{1,63}", re.IGNORECASE)
_FREE_WORDS = {
    "reaction": 8,
    "condition": 8,
    "query": 30,
    "name": 4,
    "note_type": 3,
    "substance": 2,
    "medication_name": 2,
    "drug_name": 2,
}
"""Fields that may be answered in free words when nothing else was asked for, and in how many."""


def fill(message: str, missing: Sequence[str], entities: Entities) -> dict[str, Mention]:
    """The missing fields that this message gives. Several drugs for `drug_names` are joined by ", "."""
    text = message.strip()
    if not text or not missing or _is_request(text, entities):
        return {}
    if _names_several_substances(message, entities):
        missing = [name for name in missing if name not in {"substance", "reaction", "severity"}]
    finders: dict[str, Callable[[], Mention | None]] = {
        "patient_id": lambda: _patient_id(message, entities, alone=len(missing) == 1),
        "name": lambda: next(iter(entities.person_names), None),
        "medication_name": lambda: _only(spelled_out(entities.drugs)),
        "drug_name": lambda: _only(entities.drugs),
        "drug_names": lambda: _several(entities.drugs),
        "dosage": lambda: only_dose(entities.doses),
        "frequency": lambda: join_frequencies(entities.frequencies),
        "substance": lambda: _substance(message, entities),
        "reaction": lambda: _reaction(message, entities),
        "severity": lambda: _only(entities.severities),
        "note_type": lambda: note_fields(entities).get("note_type") or note_type(message),
        "note_text": lambda: _note_text(message, entities, alone=len(missing) == 1),
        "condition": lambda: _only(entities.conditions),
    }
    given = {name: finders[name]() for name in missing if name in finders}
    found = {name: mention for name, mention in given.items() if mention is not None}
    if not found and len(missing) == 1:
        free = _free(message, missing[0])
        return {missing[0]: free} if free else {}
    return found


def refuses(message: str) -> bool:
    """ "No", "never mind", "thanks": the question is not to be answered."""
    return bool(_REFUSAL.fullmatch(message.strip()))


def _is_request(text: str, entities: Entities) -> bool:
    """A question, a refusal, a write or a command is not an answer."""
    if "?" in text or entities.writes or entities.small_talk or refuses(text):
        return True
    first = next(sentences(text, words(text)), None)
    opening = clauses(first)[:1] if first else []
    return any(part.action is not None and part.action.low not in _GIVING for part in opening)


def _names_several_substances(message: str, entities: Entities) -> bool:
    """Then which of them is meant, and which reaction is whose, cannot be told from an answer."""
    known = known_substances(words(message), entities.drugs).values()
    return len({substance.value for _, substance in known}) > 1


def _only(mentions: Sequence[Mention]) -> Mention | None:
    return mentions[0] if len({mention.value for mention in mentions}) == 1 else None


def _several(mentions: Sequence[Mention]) -> Mention | None:
    """One is enough: the other may have been named before the question."""
    names = list(dict.fromkeys(mention.value for mention in mentions))
    if not names:
        return None
    return Mention(", ".join(names), mentions[0].start, mentions[-1].end)


def _patient_id(message: str, entities: Entities, *, alone: bool) -> Mention | None:
    if entities.patient_ids:
        return _only(entities.patient_ids)
    text = message.strip()
    return _whole(message) if alone and _ID.fullmatch(text) else None


def _substance(message: str, entities: Entities) -> Mention | None:
    if entities.substances:
        return allergy_fields(entities).get("substance")
    known = [mention for _, mention in known_substances(words(message), entities.drugs).values()]
    return _only(known)


def _reaction(message: str, entities: Entities) -> Mention | None:
    if reaction := allergy_fields(entities).get("reaction"):
        return reaction
    whole = _whole(message)
    return Mention(whole.text, whole.start, whole.end, "unknown") if _UNKNOWN.fullmatch(fold(message)) else None


def _note_text(message: str, entities: Entities, *, alone: bool) -> Mention | None:
    if text := note_fields(entities).get("note_text"):
        return text
    return _whole(message) if alone else None


def _free(message: str, name: str) -> Mention | None:
    limit = _FREE_WORDS.get(name, 0)
    whole = _whole(message)
    return whole if 0 < len(whole.text.split()) <= limit and any(letter.isalpha() for letter in whole.text) else None


def _whole(message: str) -> Mention:
    text = message.strip()
    start = message.index(text)
    return Mention(text, start, start + len(text))
