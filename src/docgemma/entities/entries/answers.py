"""Answers to "what is missing?": only what the message states, and only when it is no new request."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from docgemma.entities.drugs.names import spelled_out
from docgemma.entities.entries.allergies import known_substances, named_around
from docgemma.entities.entries.fields import allergy_fields, fold, join_frequencies, note_fields, only_dose
from docgemma.entities.entries.notes import note_type
from docgemma.entities.entries.reactions import joined_reactions
from docgemma.entities.grammar.speech import Clause, clauses
from docgemma.entities.grammar.spelling import heard
from docgemma.entities.grammar.verbs import CHOOSING, LOOKING
from docgemma.entities.model import Entities, Mention
from docgemma.entities.words import sentences, word_set, words

_GIVING = word_set("make use give go take put enter")
"""Verbs that carry an answer: "make it twice daily"."""

_UNKNOWN = re.compile(
    r"(?:(?:it's|it\sis|its|the\sreaction\s(?:is|was)|reaction|honestly|sorry|um{1,4}|ok)[\s,:]{1,2}){0,2}"
    r"(?:(?:i|we|she|he|they|pt|patient|the\spatient|mum|family|nobody|no\sone)(?:'m|'s|\sis|\sam|\sare)?\s)?"
    r"(?:unknown|unkown|unknwn|not\ssure|unsure|don'?t\sknow|do\snot\sknow|doesn'?t\sknow|does\snot\sknow|knows|no\sidea|no\sclue"
    r"|not\sknown|unclear|unspecified|dunno|idk|n/?a|(?:can'?t|cannot|can\snot|doesn'?t|didn'?t|does\snot|won'?t)\s(?:remember|recall|say|tell)"
    r"|not\s(?:documented|recorded|stated|specified|available)|forgot|forgotten)"
    r"(?:\s(?:reaction|sorry|really|tbh|pls|please|yet|what\shappened|the\sreaction|at\sall|now|i'm\safraid)){0,2}",
    re.IGNORECASE,
)
_TEXT_IS = re.compile(
    r"(?:(?:the|its|note)\s){0,2}(?:text|note|body|content|wording)\s{0,2}(?:is|should\s(?:say|read|be)|reads|says|:|=)[\s:-]{0,4}"
    r"|(?:it\sshould\s(?:say|read)|(?:just\s)?(?:write|put|say|type|enter))(?:\sthat(?!\w)|\s{0,2}:)[\s:]{0,3}",
    re.IGNORECASE,
)
"""What may lead a note's text in an answer and is no part of it."""

_REFUSAL = re.compile(
    r"(?:(?:(?:no|nope|nah)[\s,.]{1,3})?(?:it'?s\s|that'?s\s|thats\s)?(?:not\s(?:her|him|them|the\s(?:one|right\sone|patient)|that\sone|my\spatient)"
    r"|(?:the\s)?wrong\s(?:one|patient|person|pt))|no|nope|nah|never\s?mind|nvm|cancel(?:\s(?:it|that))?|stop|forget\s(?:it|that|about\sit)|leave\sit|drop\sit|nothing"
    r"|skip(?:\s(?:it|that))?|not\snow|don'?t\s(?:bother|worry)|scrap\s(?:it|that)|ignore\sthat"
    r"|yes|yep|yeah|ok|okay|thanks|thx|ta|cheers|thank\syou)[\s.!]{0,3}",
    re.IGNORECASE,
)
_FIRST_END = re.compile(r"[.,;\n]\s{0,3}|^\s{1,3}")
_LEAD = 20
"""Letters that may stand before the verb of a request: "please", "could you"."""

_ID = re.compile(r"(?=[\w-]{0,63}\d)[a-z0-9][a-z0-9-]{1,63}", re.IGNORECASE)
_AROUND_ID = word_set(
    "its it's it is id pt patient number no sorry oh um for the sure yes yeah ok okay pls please plz thanks thx ta "
    "mate that's thats hi mrn make should be her his hers i mean meant think actually my bad oops one use"
)
"""What people say around an id that was asked for."""

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
    if not text or not missing or _is_request(text, missing, entities):
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


def _is_request(text: str, missing: Sequence[str], entities: Entities) -> bool:
    """A question, a refusal, a write or a command is not an answer."""
    if entities.small_talk or refuses(text):
        return True
    first = next(sentences(text, heard(words(text))), None)
    opening = next(iter(clauses(first)), None) if first else None
    action = opening.action if opening else None
    if "note_text" in missing:
        return not _TEXT_IS.match(text) and _leaves_note(text, opening, entities)
    noted = "note_type" in missing and all(write.kind == "note" for write in entities.writes)
    chosen = action is not None and action.low in CHOOSING and not entities.patient_ids
    if "?" in text or (entities.writes and not (noted or chosen)):
        return True
    return action is not None and not noted and action.low not in _GIVING | CHOOSING


def _leaves_note(text: str, opening: Clause | None, entities: Entities) -> bool:
    """Whether the reply to "what shall the note say?" is none. A plan is one: "Continue paracetamol" is a note."""
    if opening is None or entities.patient_ids:
        return bool(entities.writes or entities.undoable) or "?" in text
    others = [write for write in entities.writes if write.kind != "note"]
    asks = opening.action is not None and opening.action.low in LOOKING
    ordered = any(write.start <= opening.words[0].start + _LEAD for write in others)
    return asks or ordered or opening.polite or text.rstrip().endswith("?")


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
    said = [word for word in words(message) if word.low not in _AROUND_ID and word.low[0].isalnum()]
    if not alone or len(said) != 1 or not _ID.fullmatch(said[0].text):
        return None
    return Mention(said[0].text, said[0].start, said[0].end)


def _substance(message: str, entities: Entities) -> Mention | None:
    if entities.substances:
        return allergy_fields(entities).get("substance")
    known = [mention for _, mention in known_substances(words(message), entities.drugs).values()]
    only = _only(known)
    return named_around(words(message), only, entities.reactions) if only else None


def _reaction(message: str, entities: Entities) -> Mention | None:
    if reaction := allergy_fields(entities).get("reaction"):
        named = (
            *entities.patient_ids,
            *entities.person_names,
            *entities.drugs,
            *entities.substances,
            *entities.severities,
        )
        if entities.allergies or reaction.value == "unknown" or len(message.split()) > _FREE_WORDS["reaction"]:
            return reaction
        return joined_reactions(message, entities.reactions, named)
    whole = _whole(message)
    return Mention(whole.text, whole.start, whole.end, "unknown") if _UNKNOWN.fullmatch(fold(message)) else None


def _note_text(message: str, entities: Entities, *, alone: bool) -> Mention | None:
    if led := _led(message):
        return led
    if text := note_fields(entities).get("note_text"):
        return text
    return _whole(message) if alone else None


def _led(message: str) -> Mention | None:
    """ "The text is: …", at the beginning or after the kind of note."""
    for start in (0, *(end.end() for end in _FIRST_END.finditer(message, 0, 80))):
        if lead := _TEXT_IS.match(message, start):
            text = message[lead.end() :].strip()
            begin = message.index(text, lead.end())
            return Mention(text, begin, begin + len(text)) if text else None
    return None


def _free(message: str, name: str) -> Mention | None:
    limit = _FREE_WORDS.get(name, 0)
    whole = _whole(message)
    return whole if 0 < len(whole.text.split()) <= limit and any(letter.isalpha() for letter in whole.text) else None


def _whole(message: str) -> Mention:
    text = message.strip()
    start = message.index(text)
    return Mention(text, start, start + len(text))
