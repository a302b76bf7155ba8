"""A message that leaves out what the one before said: "and with amlodipine?", "in pregnancy?", "any trials for it?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.asks import Ask, asks
from docgemma.agent.requests.drug_questions import mentioned_drugs
from docgemma.agent.requests.earlier import Earlier, names
from docgemma.agent.requests.exchange import FILLERS, OPENING, OTHER_ACT, PRONOUN, about, with_drug, words_beside
from docgemma.entities.model import Entities, Mention
from docgemma.entities.search_words import STATUS, STATUS_VALUE, heads
from docgemma.entities.words import replaced, word_set

_PLACED = re.compile(r"\W{0,3}(?:in|during|for|on|with|while|after|if|when|near|at)(?!\w)", re.IGNORECASE)
_RELATIONS = word_set(
    "husband wife mum mother dad father son daughter brother sister neighbour partner patient pt mr mrs ms room bed "
    "next"
)
_TITLE = re.compile(r"(?<!\w)(?:mr|mrs|ms|miss|mx|master|smt|shri|sri)\.?\s{1,2}$", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\W{0,3}(?:and|but|ok|so|or)?\W{0,3}(?:what\s)?if\s(?P<rest>(?:she|he|they|(?:the|my|this)\s(?:patient"
    r"|pt))(?:['’]s|['’]re|\sis|\shas|\swas|\swere|\sare|\shave)\s)",
    re.IGNORECASE,
)
_POINTED_AT = re.compile(
    r"\s(?:[\w-]{1,12}\s){0,4}?(?:for|on|of|about|in|into|behind|regarding|around|with|supporting)\s(?:it|that|this|them|these"
    r"|those)(?![\w'’-])(?!\s(?:drug|drugs|condition|one|two|lot))(?P<tail>\s(?:in|for|during|with|after|as|among|near|vs)"
    r"\s[^?.!,;\n]{2,60})?",
    re.IGNORECASE,
)
_ONES = re.compile(
    r"\W{0,3}(?:(?:and|but|only|just|any|show|me|the|which|what|are|is|that|about|how|ones?|of|those|them|these|still"
    r"|currently|now|please|pls|actively|there"
    r"|also|ok|okay|can|you|i|want|need|trials?|studies)\W{1,3}){0,7}$",
    re.IGNORECASE,
)
_OWNED = re.compile(r"(?<!\w)(?:her|his|their|she|he|you|your|my|our|we|i)(?!\w)", re.IGNORECASE)
_LONGEST_PHRASE = 7


def continued(message: str, found: Entities, before: Earlier) -> str | None:
    """The message with what it leaves out. None when it stands for itself, or when the earlier one gives nothing."""
    people = sorted((*found.patient_ids, *found.person_names), key=lambda item: item.start)
    drugs = mentioned_drugs(found)
    if people:
        return _of_person(message, people, before) if not drugs else None
    if drugs:
        return with_drug(message, drugs, before)
    return (
        _pointed_search(message, before)
        or _for_pronoun(message, before)
        or _searched(message, asks(message, found), before)
        or _with_status(message, before)
        or _in_setting(message, before)
        or _on_topic(message, before)
    )


def _of_person(message: str, people: Sequence[Mention], before: Earlier) -> str | None:
    """ "What about Mr Okafor?" after a look into a chart asks for his."""
    if not before.asked_for("get_patient_chart") or before.writes or before.about_drugs():
        return None
    rest = words_beside(message, people)
    title = _TITLE.search(message[: people[0].start])
    who = message[title.start() if title else people[0].start : people[-1].end]
    return f"Show me the chart of {who}" if rest <= FILLERS | _RELATIONS else None


def _for_pronoun(message: str, before: Earlier) -> str | None:
    """ "Is it safe in pregnancy?": "it" is what the last question was about, all of it."""
    pronoun = PRONOUN.search(message)
    drugs = before.drugs()
    question = any(
        asked.search(message) for asked in (say.SAFE, say.SAFETY, say.INTERACTION, say.CAUSES, say.MAY, say.ISSUE)
    )
    if pronoun is None or not drugs or not question or OTHER_ACT.search(message):
        return None
    return replaced(message, [(pronoun.start(), pronoun.end(), names(drugs))])


def _pointed_search(message: str, before: Earlier) -> str | None:
    """ "Papers on it in pregnancy", "trials for that pls": what is pointed at is what the last question was about."""
    found = heads(message)
    pointed = _POINTED_AT.match(message, found[-1][1]) if found else None
    subject = before.subject(placed=not (pointed and pointed["tail"]))
    if pointed is None or not subject:
        return None
    about = subject + (pointed["tail"] or "")
    if found[-1][2] == "literature":
        return f"Find studies on {about}"
    status = STATUS.search(message)
    value = STATUS_VALUE.get(status.group().lower(), status.group().lower()) if status else ""
    return f"Find {value} trials for {about}".replace("  ", " ")


def _searched(message: str, asked: Sequence[Ask], before: Earlier) -> str | None:
    """ "Any trials for that?", "what about studies?": a search without a topic has the last question's."""
    kinds = {kind for _, _, kind in heads(_phrase(message))}
    if not asked and len(kinds) == 1 and before.subject():
        return f"Find {'studies on' if 'literature' in kinds else 'trials for'} {before.subject()}"
    open_searches = [
        ask for ask in asked if ask.tool in ("find_clinical_trials", "search_medical_literature") and not ask.topic
    ]
    subject = before.subject()
    if len(open_searches) != 1 or len(asked) != 1 or not subject:
        return None
    ask = open_searches[0]
    if ask.tool == "search_medical_literature":
        return f"Find studies on {subject}"
    return f"Find {ask.status.value + ' ' if ask.status else ''}trials for {subject}"


def _with_status(message: str, before: Earlier) -> str | None:
    """ "Only recruiting ones": the same trials, of that status."""
    status = STATUS.search(message)
    search = before.search()
    if status is None or search is None or search.topic is None or search.tool != "find_clinical_trials":
        return None
    around = f"{message[: status.start()]} ones {message[status.end() :].rstrip(' ?.!')} "
    if not _ONES.match(around):
        return None
    value = STATUS_VALUE.get(status.group().lower(), status.group().lower())
    return f"Find {value} trials for {search.topic.value}"


def _in_setting(message: str, before: Earlier) -> str | None:
    """ "And in renal failure?": the safety of the same drugs there."""
    phrase = _phrase(message) or _supposed(message)
    if not phrase or before.writes or not before.about_drugs() or not before.drugs():
        return None
    setting = say.SETTING.search(phrase) or re.match(
        r"(?:in|during|for|if|while|at|after|before|post)\s", phrase, re.IGNORECASE
    )
    if not setting or say.NOT_ABOUT_SAFETY.search(phrase):
        return None
    placed = (
        phrase
        if re.match(r"(?:in|during|for|with|while|after|if|when|at|before|post)\s", phrase, re.IGNORECASE)
        else f"in {phrase}"
    )
    return f"Is {names(before.drugs())} safe {placed}?"


def _supposed(message: str) -> str:
    """ "What if she's pregnant": a setting although a person is in it."""
    supposed = _SUPPOSED.match(message)
    rest = message[supposed.start("rest") :].strip(" ?.!") if supposed else ""
    return f"if {rest}" if supposed and say.SETTING.search(rest) else ""


def _on_topic(message: str, before: Earlier) -> str | None:
    """ "And for lung cancer?", "what about pseudogout?": the same search about that."""
    search, phrase = before.search(), _phrase(message)
    if search is None or search.topic is None or not phrase:
        return None
    return about(before, search, phrase)


def _phrase(message: str) -> str:
    """What is left of a short message once its opening is gone; empty when it neither opens nor begins so."""
    opening = OPENING.match(message)
    rest = message[opening.end() if opening else 0 :].strip(" ?.!,")
    rest = re.sub(r"[\s,]{1,3}(?:then|please|pls|thanks|instead|too|as\swell|though)$", "", rest, flags=re.IGNORECASE)
    if not (opening or _PLACED.match(rest)) or not 0 < len(rest.split()) <= _LONGEST_PHRASE or _OWNED.search(rest):
        return ""
    return (
        ""
        if re.match(
            r"(?:what|why|how|when|who|where|is|are|does|do|did|can|could|should|if\snot)(?!\w)", rest, re.IGNORECASE
        )
        else rest
    )
