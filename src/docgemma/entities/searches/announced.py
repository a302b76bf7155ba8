"""What a search is about when it is said before the request: "croup and heliox - pull me the studies".

Three ways: a heading, which is a clause without a verb before the mark; a claim that somebody makes ("my boss swears by
vitamin C in sepsis"); and a question whether something was ever shown, which is a request for published work itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docgemma.entities.grammar.parts import SEARCHED
from docgemma.entities.model import Mention
from docgemma.entities.searches.phrases import clean
from docgemma.entities.words import word_set

_SENTENCE = re.compile(r"[.?!;\n]\s")
_MARK = re.compile(r"[,:]\s|\s?[–—]\s?|\s-{1,2}\s")
_PLACED = re.compile(
    r"\W{0,3}(?:(?:ok|okay|so|right|hi|hey|hello|and|now|also)\W{1,3}){0,3}(?:for|in|re|regarding|about|on)\s(?P<what>[^,:;.?!\n]{2,80}?)\s"
    r"(?=(?:tell|show|find|which|what|whats|any|are|is|can|could|give|list|pull|please|pls|look|search)(?!\w))",
    re.IGNORECASE,
)
""" "For glioblastoma tell me which …": what follows is about that."""

_ABOUT = re.compile(r"\s{0,3}(?:for|re|regarding|about|on|in|concerning)\s", re.IGNORECASE)
_APART = re.compile(r",?\s(?:and|then|also|plus)\s(?:also\s)?(?:separately|another\son)\s|;\s", re.IGNORECASE)
_NO_HEADING = word_set(
    "i i'm i've i'd im ive she she's he he's we we're they you u it it's its that that's this there there's my our her "
    "his your is are was were am be been being has have had do does did can could will would should may might must got "
    "need needs want wants what which who why how when where if whether because please pls find show check search look "
    "pull give get list tell see any anything some something somebody someone anyone anybody patient patients pt pts "
    "lady gentleman man woman chap lad guy mum mother father dad son daughter husband wife family kid baby nurse "
    "doctor doc dr registrar consultant boss senior student students teaching talk club clinic ward round meeting exam "
    "tomorrow today tonight yesterday friday monday tuesday wednesday thursday saturday sunday here morning afternoon "
    "evening thanks thank hi hello hey ok okay quick question shift shot only ones just not no yes trial trials study "
    "studies paper papers article articles evidence literature research says said asked asks asking wondering keen "
    "mr mrs ms search searches"
)
"""A clause with one of these tells, asks or greets."""

_OPENERS = word_set("please pls plz hi hello hey ok okay quick question thanks morning doc")
"""A clause with one of these may stand before a heading; after any other the message tells a story."""

_CLAIM = re.compile(
    r"(?<!\w)(?:insists?|insisted|reckons?|swears?\sby|claims?|claimed|believes?|is\sconvinced|keeps?\s(?:saying|pushing|using)"
    r"|(?:told|tells|telling)\s(?:me|us)|argues|arguing|says|thinks|is\sa\s(?:big\s)?fan\sof|suggested)\s(?:that\s|about\s)?"
    r"(?P<what>[^.;?!\n]{3,120}?)"
    r"(?=[.;?!\n]|,\s(?:so|and|but|find|show|search|look|can|could|please|pls|any|is|are|what|which)(?!\w)|$)",
    re.IGNORECASE,
)
_CLAIMED_OF = word_set(
    "i we she she's he he's her his him they you me my it it's its that that's this there pt patient i'm"
)
_SHOWN = re.compile(
    r"(?<![\w-])(?:has|have)\s(?P<what>[^.;?!\n]{2,100}?)\s(?:(?:ever|actually|really|yet|even)\s){0,2}been\s(?:(?:ever|actually|properly)\s)?"
    r"(?:(?:shown|proven|proved|demonstrated)\sto\s(?!(?:the|a|an|her|him|me|us|them|you|my|our)\s)(?P<effect>[^,.;?!\n]{3,80})|studied(?!\w)(?P<where>[^,.;?!\n]{0,80}))",
    re.IGNORECASE,
)
_POINTERS = word_set("it that this these those them they")
_OUTCOMES = word_set(
    "a an any the mortality survival benefit benefits difference effect effects improvement harm harms outcome "
    "outcomes advantage to in of or and real actual significant clear reduction it that this"
)
_CLAUSE_END = re.compile(r"[?!;:,\n]|\.(?!\d)|\s[-–—]\s")
_ASKED_AFTER = re.compile(
    r"\s(?:(?:is|are)\sthere(?:\sany)?|any|what(?:s|['’]s)?|find|show|give|need|pull|got|have\syou)(?!\w)[^,;?!\n]{0,40}$",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\s{0,3}(?:(?:any|some|the|all|new|recent|latest|current|good|more|other|relevant|please|pls|list|also|and)\s){1,5}",
    re.IGNORECASE,
)
_LEAST_CLAUSE = 3
_QUESTION = re.compile(
    r"(?:^|(?<=[.;:!?\n,]\s)|(?<!\w)(?:so|hi|hey|ok|quick\sone|and)[\s,:-]{1,3})"
    r"(?:does|do|did|is|are|can|could|should|will|would)\s(?!there(?!\w))(?P<what>[^.;?!\n]{5,140}?)(?=\s?[?;–—-]\s|,\s(?!or\s|and\s)|\s?[?]$)",
    re.IGNORECASE,
)
_OF_SOMEBODY = word_set(
    "i we she she's he he's her his him they them you me my our your it it's its that this these those pt patient "
    "patients mr mrs ms lady gentleman mum dad someone somebody anyone anybody interact interacts interaction"
)
_ASKING_MARKS = " ,:;?!-–—"
_LONGEST = 300
_LONGEST_CLAUSE = 14


def announced(text: str, end: int, *, trials: bool) -> list[Mention]:
    """What is named before this place as the subject of the request, else nothing. Reads a bounded stretch."""
    start = max(
        [max(0, end - _LONGEST), *(mark.end() for mark in _SENTENCE.finditer(text, max(0, end - _LONGEST), end))]
    )
    found = _heading(text, start, end, trials=trials)
    if found or trials:
        return found
    claim = _claim(text, max(0, end - _LONGEST), end) or _questioned(text, max(0, end - _LONGEST), end)
    return [claim] if claim else []


def clause_before(text: str, end: int) -> Mention | None:
    """The whole clause before the noun, of a message without verbs: "liberal transfusion in MI papers".

    Nothing where a word of it tells or asks; then the words right before the noun have to do.
    """
    start = max([max(0, end - _LONGEST), *(mark.end() for mark in _CLAUSE_END.finditer(text, 0, end))])
    asking = _ASKED_AFTER.search(text, start, end)
    close = asking.start() if asking else end
    opening = _OPENING.match(text, start, close)
    clause = text[opening.end() if opening else start : close]
    if not _is_fragment(clause) or len(clause.split()) < _LEAST_CLAUSE:
        return None
    return clean(text, close - len(clause), close)


def _questioned(text: str, start: int, end: int) -> Mention | None:
    """ "Does X help in Y? Studies": what is asked right before is what the studies are about."""
    for asked in reversed([*_QUESTION.finditer(text, start, end)]):
        words = asked["what"].lower().replace("’", "'").split()
        if _OF_SOMEBODY.isdisjoint(words) and not text[asked.end() : end].strip(_ASKING_MARKS).count(","):
            return clean(text, *asked.span("what"))
        return None
    return None


def only_an_outcome(topic: Mention) -> bool:
    """ "A mortality benefit" says what was looked for, not of what."""
    return all(word in _OUTCOMES for word in topic.text.lower().split())


def shown(text: str, start: int, end: int) -> Mention | None:
    """ "Has tube feeding been shown to prolong survival?": the claim, without the words that ask."""
    asked = _SHOWN.search(text, start, end)
    if asked is None:
        return None
    effect = asked["effect"] or asked["where"] or ""
    words = asked["what"].lower().split()
    if words[-1] in _POINTERS and len(words) == 1:
        told = announced(text, asked.start(), trials=False)
        return told[0] if told else None
    what = clean(text, asked.start("what"), asked.end("what"))
    if what is None or not _CLAIMED_OF.isdisjoint(words):
        return None
    value = " ".join(f"{what.value} {effect}".split())
    return Mention(text[what.start : asked.end()], what.start, asked.end(), value)


def _heading(text: str, start: int, end: int, *, trials: bool) -> list[Mention]:
    placed = _PLACED.match(text, start, end)
    if placed and _is_fragment(placed["what"]):
        found = clean(text, *placed.span("what"))
        return [found] if found else []
    first = last = -1
    for begin, close in _clauses(text, start, end):
        clause = text[begin:close]
        if not _is_fragment(clause):
            said = set(clause.lower().split())
            if first >= 0 and SEARCHED.isdisjoint(said):  # "X and Y, do they interact, and any studies on it"
                return []
            if first < 0 and _OPENERS.isdisjoint(said):
                return []
        elif first < 0:
            opening = _ABOUT.match(text, begin, close)
            first, last = opening.end() if opening else begin, close
        elif not trials:  # a condition is named first; a topic may go on: "dengue, platelet transfusion: what does …"
            last = close
    return [*_apart(text, first, last)] if first >= 0 else []


def _apart(text: str, start: int, end: int) -> Iterator[Mention]:
    """ "Zinc for sepsis, and separately caffeine for apnoea": each is a subject of its own."""
    place = start
    for joint in [*_APART.finditer(text, start, end), None]:
        if found := clean(text, place, joint.start() if joint else end):
            yield found
        place = joint.end() if joint else end


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Each clause that a mark closes; the last words before the request belong to it."""
    for mark in _MARK.finditer(text, start, end):
        yield start, mark.start()
        start = mark.end()


def _is_fragment(clause: str) -> bool:
    words = clause.lower().replace("’", "'").split()
    return 0 < len(words) <= _LONGEST_CLAUSE and _NO_HEADING.isdisjoint(words) and not words[0][0].isdigit()


def _claim(text: str, start: int, end: int) -> Mention | None:
    for said in reversed([*_CLAIM.finditer(text, start, end)]):
        if said["what"].lower().split()[0] not in _CLAIMED_OF:
            return clean(text, *said.span("what"))
    return None
