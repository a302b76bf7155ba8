"""A message that takes back a word of the one before: "no, I meant hydralazine", "sorry, abc-124", "*gout"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from docgemma.agent.requests.drug_questions import mentioned_drugs
from docgemma.agent.requests.earlier import Earlier, names
from docgemma.agent.requests.narrowing import says_nothing_else, search_again
from docgemma.entities.drugs.names import same_drug
from docgemma.entities.model import Entities, Mention
from docgemma.entities.searches.words import STATUS, heads
from docgemma.entities.words import replaced

_OPENING = re.compile(
    r"\W{0,3}(?:(?:(?:no|nope|nah|sorry|oops|ops|whoops|wait|actually|correction|apologies|my\sbad|i\smean|i\smeant"
    r"|meant|mean|typo|hang\son|hold\son|oh"
    r"|make\sthat|should\s(?:be|have\sbeen|say|read)|rather|not\sthat(?:\sone)?|that\swas\swrong|(?:the\s)?wrong\s[\w'-]{2,20}"
    r"|scratch\sthat|ignore\sthat|forget\sthat|disregard(?:\sthat)?|my\smistake|mistake|slip|autocorrect|it['’]?s|its|to\ssay|i|(?:i\s)?(?:say|said|wrote|typed|put)(?:\sit)?|wrong|mistyped|misspoke)"
    r"[\s,.!:;–-]{1,4}){1,6}|\*)",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"(?<!\w)(?:i\s)?mean(?:t)?(?!\w)|(?<!\w)not(?!\w)|instead|^\W{0,3}\*|\*\W{0,3}$|(?<!\w)(?:sorry|oops|typo"
    r"|correction)(?!\w)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?<!\w)(?:not|instead\sof|rather\sthan|isn['’]t)\s(?:the\s|for\s)?$", re.IGNORECASE)
_NAMED = re.compile(
    r"\W{0,3}(?:(?:sorry|no|oh|wait|oops|actually)\W{1,3}){0,2}(?:by\s)?(?P<old>[\w'/-]{2,30}(?:\s[\w'/-]{1,30}){0,3}?)\s(?:i\s"
    r"mean(?:t)?|as\sin|meaning|was\smeant\s(?:to\sbe|as)|stands\sfor|here\sis)\s(?:the\s)?(?P<new>[^,.;?!\n]{2,60})",
    re.IGNORECASE,
)
""" "By MS I meant mitral stenosis"."""

_NOT_THAT = re.compile(
    r"\W{0,3}(?:(?:no|sorry|oh|wait|oops|actually)\W{1,3}){0,2}not\s(?:the\s)?(?P<old>[^,.;?!\n]{2,60}?)(?:\s?[,;.-]\s?(?:but\s)?|\sbut\s)"
    r"(?P<new>[^,.;?!\n]{2,60})\W{0,3}",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|(?<!\w)(?:what|why|how|is|are|does|do|can|could|should|any|find|check|show)(?!\w)", re.IGNORECASE
)
_LONGEST_TOPIC = 60
_ALIKE = 0.65
_TOPIC_END = re.compile(r"[\s,.!]{1,4}(?:sorry|please|pls|thanks|not\s[^,.]{2,40}|instead|oops)\W{0,3}$", re.IGNORECASE)


def corrected(message: str, found: Entities, before: Earlier) -> str | None:
    """The earlier request with the right drug, person or topic in it. A write is corrected by its own dialogue."""
    if renamed := _renamed(message, before) or _not_that(message, before):
        return renamed
    opening = _OPENING.match(message)
    if before.writes or not before.asked or not (opening or _MEANT.search(message)):
        return None
    people = sorted((*found.patient_ids, *found.person_names), key=lambda item: item.start)
    drugs = mentioned_drugs(found)
    rest = _without(message[opening.end() if opening else 0 :], [*people, *drugs])
    if _ASKS.search(rest) and not _denies_earlier(message, [*people, *drugs], before):
        return None
    if people:
        return _other_person(message, people, before)
    if drugs:
        return _other_drug(message, drugs, before)
    return _other_topic(message[opening.end() :], before) if opening else None


def _renamed(message: str, before: Earlier) -> str | None:
    """What an abbreviation of the earlier search stands for."""
    said, search = _NAMED.match(message), before.search()
    if said is None or search is None or search.topic is None or before.writes:
        return None
    old, topic = said["old"].lower(), search.topic
    place = topic.text.lower().find(old)
    new = _TOPIC_END.sub("", said["new"]).strip()
    if place < 0 or not new:
        return None
    start = topic.start + place
    return replaced(before.text, [(start, start + len(old), new)])


def _not_that(message: str, before: Earlier) -> str | None:
    """ "Not giant cell arteritis, Takayasu", "not studies, trials": what is denied stood in the earlier search."""
    said, search = _NOT_THAT.fullmatch(message), before.search()
    if said is None or search is None or search.topic is None or before.writes:
        return None
    topic, new = search.topic.value, said["new"].strip()
    kinds = [heads(f"any {word} on it") for word in (said["old"], new)]
    if all(kinds):
        return f"Find {'trials for' if kinds[1][0][2] == 'trials' else 'studies on'} {topic}"
    place = topic.lower().find(said["old"].lower())
    return search_again(search, topic[:place] + new + topic[place + len(said["old"]) :]) if place >= 0 else None


def _denies_earlier(message: str, mentions: Sequence[Mention], before: Earlier) -> bool:
    """ "She's on Y, not X, so check that": what is denied stood in the earlier message, so this corrects it."""
    _, denied = _split(message, mentions)
    old = {item.value for item in (*before.drugs(), *before.people())}
    return any(item.value in old for item in denied) and "?" not in message


def _other_person(message: str, people: Sequence[Mention], before: Earlier) -> str | None:
    meant, _ = _split(message, people)
    old = before.people()
    if not old or not meant:
        return None
    who = meant[0].text
    return replaced(before.text, [(old[0].start, old[-1].end if len(old) > 1 else old[0].end, who)])


def _other_drug(message: str, drugs: Sequence[Mention], before: Earlier) -> str | None:
    """The drug that was denied gives way, else the only one, else the one that looks most like the new one."""
    meant, denied = _split(message, drugs)
    old = before.drugs()
    if not meant:
        return None
    new = names(meant)
    wrong = [drug for drug in old if any(same_drug(drug.value, other.value) for other in denied)]
    if not wrong and old:
        best = max(old, key=lambda drug: _likeness(drug.text, new))
        wrong = [drug for drug in old if drug.value == best.value]
    if wrong:
        return replaced(before.text, [(drug.start, drug.end, new) for drug in wrong])
    search = before.search()
    if search and search.topic:
        return replaced(before.text, [(search.topic.start, search.topic.end, new)])
    return None


def _other_topic(phrase: str, before: Earlier) -> str | None:
    search = before.search()
    words = _TOPIC_END.sub("", phrase).strip(" ,.!*")
    if search is None or search.topic is None or not 1 < len(words) <= _LONGEST_TOPIC:
        return None
    if says_nothing_else(words, [status.span() for status in STATUS.finditer(words)]):
        return None
    return search_again(search, _respelled_word(search.topic.value, words))


def _respelled_word(topic: str, new: str) -> str:
    """One word that looks like one of the topic's takes that word's place; anything else is the whole topic."""
    old = max(topic.split(), key=lambda word: _likeness(word, new))
    return topic.replace(old, new, 1) if " " not in new and _likeness(old, new) >= _ALIKE else new


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()


def _split(message: str, mentions: Sequence[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Those that are meant and those that are denied: "metoprolol, not metformin"."""
    denied = [item for item in mentions if _DENIED.search(message[max(0, item.start - 20) : item.start])]
    return [item for item in mentions if item not in denied], denied


def _without(text: str, mentions: Sequence[Mention]) -> str:
    for item in mentions:
        text = text.replace(item.text, " ")
    return text
