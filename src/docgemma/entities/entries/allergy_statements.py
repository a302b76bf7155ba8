"""A plain statement of an allergy ("She's allergic to sulfa, abc-123") asks for it to be recorded.

It does so only when nothing else is asked and nothing in the sentence takes it back: a negation, a relative, the past,
a condition, a question, a document that says so, or talk of people in general.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.entries.allergen_names import known_substances
from docgemma.entities.entries.allergies import CUES
from docgemma.entities.grammar.speech import Clause, clauses
from docgemma.entities.grammar.spelling import heard
from docgemma.entities.grammar.verbs import NOTING, PLACING, RECORDING, base_form
from docgemma.entities.model import Entities
from docgemma.entities.words import Sentence, Word, sentences, word_set, words
from docgemma.entities.writes.allergy_requests import DOCUMENTS, asks_for_entry, places_entry
from docgemma.entities.writes.allergy_wishes import asks_to_update, may_be_added, wishes_entry
from docgemma.entities.writes.mood import REPORTED, is_no_request

_LONGEST = 40
"""Words. A longer text that mentions an allergy is a case description, not a request."""

_RELATIVES = (
    r"mother|father|mum|mummy|mam|mom|mama|dad|daddy|papa|brother|sister|son|daughter|wife|husband|hubby|partner|spouse"
    r"|aunt|auntie|uncle|cousin|nephew|niece|nan|nana|gran|granny|grand\w{3,8}|family|familial|parents?|siblings?|relatives?"
    r"|(?:her|his|their|my)\s(?:[a-z]{2,10}\s)?(?:boy|girl|baby|child|kid)|twin|fianc[eé]e?|boyfriend|girlfriend|in-law"
    r"|neighbou?r|friend|carer|kids|colleague|nurse|fh|fhx"
)
_TAKEN_BACK = re.compile(
    r"(?<![\w-])(?:not(?!\sonly)|no(?!\s(?:known\s|other\s)?(?:drug\s)?allerg\w{1,3}\s(?:except|other\sthan|apart\sfrom|but|bar|aside\sfrom))|never|none|nil|nothing|already"
    r"|denies|denied|deny|denying|negative|without|\w{1,8}n['’]t|(?:ca|do|does|did|is|was|wo|would|should|could|must|has|have)nt|ruled\sout|rule\sout|r/o|de-?label\w{0,4}|outgrew|outgrown"
    r"|grew\sout|resolved|removed|disproved|refuted|excluded|previously|formerly|used\sto|(?<!reaction\s)was(?!\s(?:mild|moderate|severe)(?!\w))|once|unlikely|doubt\w{0,4}"
    r"|if|were|would|could|might\sbe|may\sbe|hypothetical\w{0,2}|suppose|unless|whether|in\scase|wonder\w{0,3}|query|queried|\?"
    r"|(?:when|while)\s\w{3,15}ing|remember|in\smind|mindful|suggest\w{0,4}|recommend\w{0,4}|probably|likely|thought|think|thinks|believes?|letter|summary|(?:notes?|charts?|records?|kardex|system|bracelet|band|form|card|computer|screen)\s(?:say|state|show|read|mention|list)s?|documented|listed|according|reportedly|in\serror|since\s(?:she|he|they|the)|because|given\s(?:that|her|his|the)|as\s(?:she|he|they)"
    r"|testing|tests?|tested|skin-?prick|challenge|nkda|nka|nkfa|cross-?\s?reactiv\w{1,4}|lol|haha|joke|jokes|joking"
    rf"|{_RELATIVES})(?![\w-])",
    re.IGNORECASE,
)
_ANOTHERS = re.compile(rf"(?<![\w-])(?:{_RELATIVES})(?:['’]s?|\s(?:as|is|was|has))(?![\w-])", re.IGNORECASE)
""" "Flag her daughter as allergic", "add her son's nut allergy"; not the daughter who tells of it."""

_GENERAL = re.compile(
    r"(?:^|(?<=[.;!\n]))\s{0,3}(?:an?\s|the\s)?(?:[a-z-]{3,24}\s){0,2}allerg(?:y|ies)(?:\sto\s[a-z-]{3,24}(?:\s[a-z-]{3,24})?)?\s"
    r"(?:is|are)\s(?:\w{2,8}ly\s|very\s|quite\s|so\s|often\s)?(?:common|rare|uncommon|frequent|over\w{4,12}|under\w{4,12}|serious|dangerous|genetic"
    r"|hereditary|reported|seen|ige|lifelong|worth|important|a\s)|"
    r"(?<![\w-])(?:patients|people|persons|someone|somebody|anyone|those|individuals|children|adults|who(?:ever)?|any\spatient"
    r"|a\s(?:patient|person|child|woman|man)|i'?m|i\sam|allergic\s(?:rhinitis|conjunctivitis|asthma|dermatitis|reactions?\sare)"
    r"|(?!in\s(?:the|her|his|their)\s(?:allergies|allergy\s(?:list|section|record))(?!\w))(?:in|of|for|about|regarding|with|vs|versus|from)\s(?:(?:a|an|the|known|suspected|severe|confirmed|reported|true|possible)\s)?"
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

_NAMING = word_set("allergy allergic allergies drug the a an any known and or & , /")
"""Beside a substance alone these name an allergy and say nothing of it."""

_FILES = word_set("record records chart file list system profile notes kardex allergies history it that this")
_NOT_FILED = word_set("alternative alternatives instead band bracelet referral off from")
_REACTS = word_set("allergic intolerant reacts reacted allergy anaphylactic")
_WHOSE = word_set("the her his their my")
_INTO = word_set("in on to onto into")
_NEAR = 4
_TAG = re.compile(
    r"[,\s]{1,3}(?:would|could|can|will)\s(?:you|u|ya)(?:\s(?:please|pls|plz))?(?=[\s.!]{0,3}$)", re.IGNORECASE
)
_UNKNOWN_REACTION = re.compile(
    r"(?<![\w-])(?:reaction|rxn)\s(?:is\s|was\s)?(?:unknown|unclear|not\sknown)(?:\s(?:as|because|since)\s[^.,;?!\n]{1,40})?",
    re.IGNORECASE,
)
"""Why nobody knows the reaction ("as she was a kid") takes nothing from the allergy."""

_THIS_MOTHER = re.compile(r"(?<![\w-])this\s(?:mother|mum|mom|mama)(?=\s(?:is|has)\s)", re.IGNORECASE)
"""The patient, as on a maternity ward; "her mother" is another."""

_REPORTER = re.compile(
    r"(?<![\w-])(?:(?:her|his|the|their|patient['’]?s?)\s)?(?:mother|mum|mom|father|dad|wife|husband|daughter|son|family|carer|parents?|nurse)"
    r"\s(?:says?|said|reports?|states?|tells\s(?:me|us)|told\s(?:me|us)|mentions?|mentioned|confirms?|confirmed)\s(?:that\s)?"
    r"(?=(?:he|she|baby|child|the\s(?:baby|child)|pt|patient|the\spatient|they|[a-z]{0,12}-?[0-9]{2,10})(?:['’]s|\sis|\sare|\shas)\s)",
    re.IGNORECASE,
)
"""Who only tells of the allergy; heard only where the entry is asked for in so many words."""

_SAYS = re.compile(
    r"(?P<who>[\w'’-]{1,40})\s(?:says?|states?|shows?|reads?|mentions?|lists?|reports?|said|stated|reported|mentioned)(?!\w)",
    re.IGNORECASE,
)
_PATIENT = word_set("she he they pt patient lady gentleman man woman also just and who always still clearly now")
_OBJECTS = word_set("something anything another an a some me us")
_TOLD_OF = word_set("went felt became took with for after from and in on had get to as of not only just also like")
_ASKING = word_set("what which how why")
_QUESTIONS = word_set("is are was does did do has have can could should would what which who how why when where")


def states_allergy(text: str, tokens: Sequence[Word], found: Entities) -> tuple[int, int] | None:
    """Where the statement or the request stands, or None."""
    if len(tokens) > _LONGEST:
        return None
    text = _without_asides(text)
    said = list(sentences(text, heard(words(text))))
    if any(_refuses(part) for sentence in said for part in clauses(sentence)):
        return None
    if not found.substances:
        return (said[0].start, said[0].end) if len(said) == 1 and asks_to_update(said[0], found) else None
    if len(said) == 1 and _only_names(said[0], found):
        return None
    outright = next((sentence for sentence in said if _asks_outright(text, sentence, found)), None)
    if outright is not None:
        return outright.start, outright.end
    return None if "?" in text or not said else _stated(text, tokens, said, found)


def _stated(text: str, tokens: Sequence[Word], said: Sequence[Sentence], found: Entities) -> tuple[int, int] | None:
    """A statement that nothing takes back, or a wish for the entry of what it names."""
    listed = {mention.start for _, mention in known_substances(tokens, (*found.drugs, *found.unlisted_drugs)).values()}
    if any(_asks_for_something_else(sentence, found) for sentence in said):
        return None
    told = any(_records(part) for sentence in said for part in clauses(sentence))
    named: Sentence | None = None
    for sentence, following in zip(said, (*said[1:], None), strict=True):
        inside = [mention for mention in found.substances if sentence.start <= mention.start < sentence.end]
        own = _without_reporter(text) if told else text
        if not inside:
            if named is not None and _asks_for_named(own, sentence, found):
                return named.start, sentence.end
            continue
        if _is_taken_back(own, sentence):
            continue
        named = sentence
        if wishes_entry(sentence):
            return sentence.start, sentence.end
        if not told and _is_hearsay(text, sentence):
            continue
        sure = told or any(mention.start in listed for mention in inside) or _has_reacted(sentence, found)
        cued = _cued(sentence, told=told) or (following is not None and _enters(sentence, following, found))
        states = sure and cued and _says_something(sentence, found, said)
        if states or asks_for_entry(sentence, found):
            return sentence.start, sentence.end
    return None


def _only_names(sentence: Sentence, found: Entities) -> bool:
    """ "Morphine allergy", "latex allergic", and nothing else: what a chart is searched for, and no entry of it.

    A mark between the two ("allergy: penicillin") is the form of an entry.
    """
    spans = [(item.start, item.end) for item in found.substances]
    rest = [word for word in sentence.words if not any(start <= word.start < end for start, end in spans)]
    return bool(spans) and all(word.low in _NAMING for word in rest)


def _has_reacted(sentence: Sentence, found: Entities) -> bool:
    """Somebody with a name or an id, and what it did to them: then the substance need not be a listed one."""
    people, inside = (*found.patient_ids, *found.person_names), range(sentence.start, sentence.end)
    return any(who.start in inside for who in people) and any(sign.start in inside for sign in found.reactions)


def _refuses(part: Clause) -> bool:
    """ "Don't add it yet": then nothing else in the message asks for an entry."""
    return part.negated and any(base_form(word.low) in RECORDING for word in part.words[:_NEAR])


def _asks_outright(text: str, sentence: Sentence, found: Entities) -> bool:
    """ "Can you get the flu vaccine onto his allergies?", "… and flag that she's allergic to latex": whatever else is
    asked, one clause names the substance and its place."""
    if is_no_request(text, sentence):
        return False
    for part in clauses(sentence):
        start, end = part.words[0].start, part.words[-1].end
        named = any(start <= item.start < end for item in found.substances)
        if not named or part.action is None or part.negated or (sentence.mark == "?" and not part.polite):
            continue
        reported = REPORTED.search(text, sentence.start, start) is not None
        taken = _TAKEN_BACK.search(text, start, end) is not None or _GENERAL.search(text, start, end) is not None
        low = [word.low for word in part.words[(part.verb or 0) + 1 :]]
        told = low[2:] if part.action.low == "tell" and low[:2] == ["the", "system"] else low
        flagged = (part.action.low in RECORDING or told is not low) and told[:1] == ["that"] and bool(_REACTS & {*told})
        if (flagged or places_entry(part, found)) and not (reported or taken):
            return (_NOT_FILED | DOCUMENTS).isdisjoint(low)
    return False


def _asks_for_named(text: str, sentence: Sentence, found: Entities) -> bool:
    """ "Both need adding to her allergies", "get that on her allergies": what a sentence before has named."""
    if sentence.mark == "?" or _TAKEN_BACK.search(text, sentence.start, sentence.end):
        return False
    return wishes_entry(sentence) or any(places_entry(part, found) for part in clauses(sentence))


def _enters(sentence: Sentence, following: Sentence, found: Entities) -> bool:
    """ "Put down sulfa for him. Reaction: unknown"; not "Put aspirin on hold. Reaction: …"."""
    if [word.low for word in following.words[:2]] not in (["reaction", ":"], ["rxn", ":"]):
        return False
    rest = [word.low for word in _besides(sentence, found)]
    named = all(low in _FRAGMENT | {"him", "them"} or base_form(low) in RECORDING for low in rest if low[0].isalpha())
    return named and any(_records(part) for part in clauses(sentence))


def _is_hearsay(text: str, sentence: Sentence) -> bool:
    """ "The ambulance sheet says allergic to morphine": another says so, and nobody asks for the entry."""
    for match in _SAYS.finditer(text, sentence.start, sentence.end):
        if match["who"].lower() not in _PATIENT and not any(letter.isdigit() for letter in match["who"]):
            return True
    return False


def _without_asides(text: str) -> str:
    """Place for place without the tag of a request ("put it on her record, would you"), and a mother as the patient."""
    for aside in (_TAG, _UNKNOWN_REACTION):
        text = aside.sub(lambda match: " " * (match.end() - match.start()), text)
    return _THIS_MOTHER.sub(lambda match: "she".ljust(match.end() - match.start()), text)


def _without_reporter(text: str) -> str:
    """Without the relative who only tells of it: "mum says he is allergic to egg, please add". Not her own allergy."""
    return _REPORTER.sub(lambda match: " " * (match.end() - match.start()), text)


def _records(part: Clause) -> bool:
    """Whether a clause asks for what was said to be written down: "add it", "get it on her record"."""
    if part.action is None or part.negated:
        return False
    low = [word.low for word in part.words[(part.verb or 0) + 1 :]]
    kept = part.action.low in RECORDING or (
        part.action.low in NOTING | PLACING and bool(_FILES & {*low} or CUES & {*low})
    )
    return kept and (_NOT_FILED | DOCUMENTS - {"drugs"}).isdisjoint(low)


def _says_something(sentence: Sentence, found: Entities, said: Sequence[Sentence]) -> bool:
    """A verb, or nothing beside the allergy and its details: "egg allergy and flu vaccine" is a topic."""
    low = {word.low for word in sentence.words}
    if low & _SAYING or any(part.action is not None for each in said for part in clauses(each)):
        return True
    rest = _besides(sentence, found)
    return all(word.low in _FRAGMENT or word.low in CUES or not word.low[0].isalpha() for word in rest)


def _besides(sentence: Sentence, found: Entities) -> list[Word]:
    """The words that are neither a substance, nor said of it, nor whose it is."""
    details = (*found.substances, *found.reactions, *found.severities, *found.patient_ids, *found.person_names)
    spans = [(item.start, item.end) for item in details]
    return [word for word in sentence.words if not any(start <= word.start < end for start, end in spans)]


def affirms_allergy(text: str) -> bool:
    """Whether the first sentence of what is to be written down, which names a substance, leaves it standing."""
    first = next(sentences(text, heard(words(text))), None)
    return first is not None and not _is_taken_back(text, first)


def is_of_another(told: str) -> bool:
    """Whether what an imperative is to record is a relative's, past or denied: "flag that her daughter is allergic"."""
    own = _without_reporter(told)
    return not affirms_allergy(own) if own.lower().startswith("that ") else _ANOTHERS.search(own) is not None


def _cued(sentence: Sentence, *, told: bool) -> bool:
    """Whether an allergy is spoken of. "Codeine is in the allergies" speaks of the list and states none."""
    low = [word.low for word in sentence.words]
    for index, word in enumerate(low):
        listed = index > 1 and low[index - 1] in _WHOSE and low[index - 2] in _INTO
        if word in CUES and not word.startswith("intoleran") and (told or not listed):
            return True
    return False


def _is_taken_back(text: str, sentence: Sentence) -> bool:
    taken = _TAKEN_BACK.search(text, sentence.start, sentence.end)
    return taken is not None or _GENERAL.search(text, sentence.start, sentence.end) is not None


def _tells_to(part: Clause, found: Entities) -> bool:
    """ "Choose something safe, …": a verb no list knows, by its bare form and the object behind it."""
    first, following = part.words[0], [word.low for word in part.words[1:2]]
    bare = first.low.isalpha() and not first.low.endswith(("s", "ed", "ing")) and first.low not in _SAYING | _TOLD_OF
    signs = (*found.reactions, *found.substances, *found.drugs)
    return bare and bool(_OBJECTS & {*following}) and not any(item.start <= first.start < item.end for item in signs)


def _asks_for_something_else(sentence: Sentence, found: Entities) -> bool:
    """Another request or a question: then the allergy is its background."""
    if any(word.low in _ASKING for word in sentence.words):
        return True
    for part in clauses(sentence):
        if may_be_added([word.low for word in part.words]):
            continue
        records = _records(part) or places_entry(part, found)
        if not records and _tells_to(part, found):
            return True
        if (part.words[0].low in _QUESTIONS and not (part.polite and records)) or (
            part.action is not None and not records
        ):
            return True
    return False
