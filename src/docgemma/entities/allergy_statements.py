"""A plain statement of an allergy ("She's allergic to sulfa, abc-123") asks for it to be recorded.

It does so only when nothing else is asked and nothing in the sentence takes it back: a negation, a relative, the past,
a condition, a question, a document that says so, or talk of people in general.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.allergies import CUES, known_substances
from docgemma.entities.model import Entities
from docgemma.entities.speech import clauses
from docgemma.entities.spelling import heard
from docgemma.entities.verbs import RECORDING
from docgemma.entities.words import Sentence, Word, sentences, word_set, words

_LONGEST = 40
"""Words. A longer text that mentions an allergy is a case description, not a request."""

_RELATIVES = (
    r"mother|father|mum|mummy|mam|mom|mama|dad|daddy|papa|brother|sister|son|daughter|wife|husband|hubby|partner|spouse"
    r"|aunt|auntie|uncle|cousin|nephew|niece|nan|nana|gran|granny|grand\w{3,8}|family|familial|parents?|siblings?|relatives?"
    r"|(?:her|his|their|my)\s(?:[a-z]{2,10}\s)?(?:boy|girl|baby|child|kid)|twin|fianc[eé]e?|boyfriend|girlfriend|in-law"
    r"|neighbou?r|friend|carer|kids|colleague|nurse|fh|fhx"
)
_TAKEN_BACK = re.compile(
    r"(?<![\w-])(?:not(?!\sonly)|no(?!\s(?:known\s|other\s)?(?:drug\s)?allerg\w{1,3}\s(?:except|other\sthan|apart\sfrom|but|bar|aside\sfrom))|never|none|nil"
    r"|denies|denied|deny|denying|negative|without|\w{1,8}n['’]t|cant|ruled\sout|rule\sout|r/o|de-?label\w{0,4}|outgrew|outgrown"
    r"|grew\sout|resolved|removed|disproved|refuted|excluded|previously|formerly|used\sto|was|once|unlikely|doubt\w{0,4}"
    r"|if|were|would|could|might\sbe|may\sbe|hypothetical\w{0,2}|suppose|unless|whether|in\scase|wonder\w{0,3}|query|queried|\?"
    r"|remember|in\smind|mindful|suggest\w{0,4}|recommend\w{0,4}|probably|likely|thought|think|thinks|believes?|letter|summary|(?:notes?|charts?|records?|kardex|system|bracelet|band|form|card|computer|screen)\s(?:say|state|show|read|mention|list)s?|documented|listed|according|reportedly|in\serror|since\s(?:she|he|they|the)|because|given\s(?:that|her|his|the)|as\s(?:she|he|they)"
    r"|testing|tests?|tested|skin-?prick|challenge|nkda|nka|nkfa|cross-?\s?reactiv\w{1,4}|lol|haha|joke|jokes|joking"
    rf"|{_RELATIVES})(?![\w-])",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"(?<![\w-])(?:patients|people|persons|someone|somebody|anyone|those|individuals|children|adults|who(?:ever)?|any\spatient"
    r"|a\s(?:patient|person|child|woman|man)|i'?m|i\sam|allergic\s(?:rhinitis|conjunctivitis|asthma|dermatitis|reactions?\sare)"
    r"|(?:in|of|for|about|regarding|with|vs|versus|from)\s(?:(?:a|an|the|known|suspected|severe|confirmed|reported|true|possible)\s)?"
    r"(?:[a-z-]{3,24}\s){0,2}allerg(?:y|ies)"
    r"|allergy\s(?:precautions?|clinics?|alerts?|symptoms?|signs|management|guidelines?|treatment|bands?|history|protocol|risk"
    r"|prevalence|workup|labels?|labelling|season|shots?|desensiti[sz]ation)"
    r"|treat(?:ing|ment)?|manag(?:e|ing|ement)|prevent(?:ing|ion)?|diagnos(?:e|ing|is)|approach|workup)(?![\w-])",
    re.IGNORECASE,
)
"""Talk of people in general, of a topic ("alternatives in penicillin allergy"), or of the speaker."""

_SAYING = word_set(
    "is are 's she's he's they're has have had gets got develops developed reports reported told says tolerates "
    "reacts reacted comes came breaks broke makes made gave gives causes caused pt's patient's"
)
_FRAGMENT = word_set(
    "pt patient pts id mrn mr mrs ms dr new known severe mild moderate drug food possible confirmed unconfirmed also "
    "to of and or & but only not no except other than apart from bar aside please fyi too with reaction reactions "
    "causing causes unknown since childhood past noted the a an her his their update list entry record for on in add "
    "it chart file down put as document allergies"
)
"""Words that may stand beside an allergy that is named and nothing more."""

_ASKING = word_set("what which how why")
_QUESTIONS = word_set("is are was does did do has have can could should would what which who how why when where")


def states_allergy(text: str, tokens: Sequence[Word], found: Entities) -> tuple[int, int] | None:
    """Where the statement stands, or None."""
    if not found.substances or len(tokens) > _LONGEST or "?" in text:
        return None
    listed = {mention.start for _, mention in known_substances(tokens, (*found.drugs, *found.unlisted_drugs)).values()}
    known = [mention for mention in found.substances if mention.start in listed]
    said = list(sentences(text, tokens))
    if any(_asks_for_something_else(sentence) for sentence in said):
        return None
    for sentence in said:
        inside = [mention for mention in known if sentence.start <= mention.start < sentence.end]
        if inside and _cued(sentence) and not _is_taken_back(text, sentence) and _says_something(sentence, found, said):
            return sentence.start, sentence.end
    return None


def _says_something(sentence: Sentence, found: Entities, said: Sequence[Sentence]) -> bool:
    """A verb, or nothing beside the allergy and its details: "egg allergy and flu vaccine" is a topic."""
    low = {word.low for word in sentence.words}
    if low & _SAYING or any(part.action is not None for each in said for part in clauses(each)):
        return True
    details = (*found.substances, *found.reactions, *found.severities, *found.patient_ids, *found.person_names)
    spans = [(item.start, item.end) for item in details]
    rest = [word for word in sentence.words if not any(start <= word.start < end for start, end in spans)]
    return all(word.low in _FRAGMENT or word.low in CUES or not word.low[0].isalpha() for word in rest)


def affirms_allergy(text: str) -> bool:
    """Whether the first sentence of what is to be written down, which names a substance, leaves it standing."""
    first = next(sentences(text, heard(words(text))), None)
    return first is not None and not _is_taken_back(text, first)


def _cued(sentence: Sentence) -> bool:
    return any(word.low in CUES and not word.low.startswith("intoleran") for word in sentence.words)


def _is_taken_back(text: str, sentence: Sentence) -> bool:
    taken = _TAKEN_BACK.search(text, sentence.start, sentence.end)
    return taken is not None or _GENERAL.search(text, sentence.start, sentence.end) is not None


def _asks_for_something_else(sentence: Sentence) -> bool:
    """Another request or a question: then the allergy is its background."""
    if sentence.words[0].low in _QUESTIONS:
        return True
    parts = clauses(sentence)
    if any(part.words[0].low in _QUESTIONS for part in parts) or any(word.low in _ASKING for word in sentence.words):
        return True
    return any(part.action is not None and part.action.low not in RECORDING for part in parts)
