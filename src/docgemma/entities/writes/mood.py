"""What takes the force from an imperative: a condition, somebody else's words, a wish for advice, a change of mind."""

from __future__ import annotations

import re

from docgemma.entities.grammar.speech import Clause
from docgemma.entities.words import Sentence, word_set

_SOMEBODY = (
    r"(?:she|he|they|it|we|i|you|her|his|their|its|the|this|that|pt|patient|stable|afebrile|able|well|bp|inr|k|hr|egfr)"
)
HYPOTHETICAL = re.compile(
    r"(?<![\w-])(?:hypothetical(?:ly)?|theoretical(?:ly)?|in\stheory|suppos(?:e|ing|edly)|imagine|assuming|pretend\w{0,3}|unless"
    r"|whether|for\s(?:example|instance)|e\.g\.?|let's\ssay|lets\ssay|what\sif|in\scase(?:\sof|\sthe|\sshe|\she|\sthey)|provided"
    r"|providing\sthat|as\slong\sas|so\slong\sas|depending\son|only\s(?:after|when|once)|after\s[^,.;?!\n]{2,30}\sonly|would\shave|should\shave|could\shave|had\s(?:i|we)\s"
    rf"|(?:when|whenever|once|as\ssoon\sas)\s{{1,2}}{_SOMEBODY}|in\sthe\sevent|after\s(?:she|he|they|we)"
    r"|if(?!\s(?:needed|necessary|possible|available|required|(?:you|u)(?:['’]?d|\s(?:can|could|would|cud|wud|cld|please|don['’]t\smind|wouldn['’]?t\smind))"
    r"|that['’]?s\s(?:ok|okay|fine)|tolerated|poss)))(?![\w-])",
    re.IGNORECASE,
)
REPORTED = re.compile(
    r"(?<![\w-])(?:wants|wanted|asks|asked|asking|says|said|told|tells|suggests|suggested|recommends|recommended|advises"
    r"|advised|requests|requested|insists|insisted|prefers|preferred|thinks|according|usually|typically|generally"
    r"|guidelines?|protocols?|normally|reckons|wrote|writes|states|stated|hopes|hoped|begged|demands|demanded)(?![\w-])",
    re.IGNORECASE,
)
_PATIENT_TELLS = re.compile(
    r"(?<![\w-])(?:pt|patient|she|he|mum|mom|mother|dad|father|wife|husband|daughter|son)\s(?:just\s|also\s|now\s|has\s){0,2}"
    r"(?:told\s(?:me|us)|says|said|states|stated)(?![\w-])",
    re.IGNORECASE,
)
REFERENCE = re.compile(
    r"(?<![\w-])(?:recommended\s(?:starting\s|initial\s|maximum\s|adult\s|daily\s){0,2}(?:dose|dosage)|dosage\sand\sadministration"
    r"|(?:adult|paediatric|pediatric)\s(?:dosage|dosing|patients)|were\srandomi[sz]ed|indications\sand\susage|mg/kg/day"
    r"|(?:in|for)\s(?:adults|children|patients)(?!\slike)|adverse\sreactions\sinclude|clinical\sstudies|based\son\s(?:clinical\s)?response"
    r"|package\sinsert|prescribing\sinformation|renal\simpairment:)(?![\w-])",
    re.IGNORECASE,
)
"""The language of labels, guidelines and abstracts. In such a text an imperative is for everyone and no one."""

REFUSAL = re.compile(
    r"(?<![\w-])(?:not|no|never|without|avoid|stop(?:ped)?|[a-z]{2,8}n['’]t|denies|declined|refused|already)(?![\w-])",
    re.IGNORECASE,
)
ATTRIBUTED = re.compile(
    r"(?<![\w-])(?:(?:that|this)(?:['’]?s|\sis|\swas)\swhat\s(?:the|they|it|she|he|my|our|we|i)|(?:so\s)?says\s(?:the|my|our))(?![\w-])",
    re.IGNORECASE,
)
"""Said after the words: they were another's."""

_OPINION = re.compile(
    r"(?<![\w-])(?:(?:any\s)?thoughts|what\sdo\s(?:you|u)\sthink|your\s(?:view|opinion|thoughts)|yes\sor\sno|or\snot|yay\sor\snay"
    r"|(?:is|would|does|are)\s(?:that|this|it|these|they)\s(?:be\s|sound\s|seem\s|look\s)?"
    r"(?:ok|okay|safe|fine|right|reasonable|appropriate|correct|wise|a\sgood\sidea|sensible|alright|good|too\s\w{2,8})"
    r"|(?:can|could|may)\s(?:anyone|anybody)\s[^.;?!\n]{1,120}\sor"
    r"|do\syou\sagree|agree\?|am\si\sright|what\swould\syou\sdo|good\sidea|sound(?:s)?\s(?:right|reasonable|ok|good)\?)(?![\w-])",
    re.IGNORECASE,
)
_RETRACTION = re.compile(
    r"(?<!\w)(?:never\s?mind|scratch\sthat|forget\s(?:it|that|about\sit)|cancel\s(?:it|that)|on\ssecond\sthoughts?|not\stoday"
    r"|ignore\s(?:that|me|the\slast)|(?:just\s)?(?:joking|kidding)|jk|hold\soff|wait,?\sno|no,?\swait|hang\son|disregard"
    r"|actually,?\s(?:no|don['’]?t|do\snot|wait))(?!\w)",
    re.IGNORECASE,
)
_REPORTING_VERBS = word_set(
    "said says asked asks wrote writes told tells suggested suggests advised advises recommended recommends requested "
    "states stated replied answered insisted begged demanded quote reads"
)
_LISTENERS = word_set("me us her him them that")
_LOOK_BACK = 24
_LEAST_SAID = 8
_STATING = word_set(
    "she he they i we it is are was were has have had does did will would wants who which that there since because"
)
"""A part with one of these says something; one without ("500 mg daily", "(rash)") goes on with the request."""

_LOOSE = frozenset({"", ",", ":", "-", "–", "—", "so"})
"""Joints after which a request may begin, whatever came before."""

_RELEASES = frozenset({"just", "instead", "but", "only", "rather", "please"})
_ONLY = frozenset({"just", "instead", "only", "rather"})
_NOT_THINGS = word_set("need yet now today until")
_CHANGES_SUBJECT = frozenset({",", ":", "-", "–", "—", "so"})


class Mood:
    """How a sentence speaks, carried from clause to clause: "and start" asks only when what it joins to asked."""

    def __init__(self, *, addressed: bool) -> None:
        self.negated = False
        self.polite = False
        self.imperative = False
        self._loose = _LOOSE | {")"} if addressed else _LOOSE
        self._refused_thing = False

    def read(self, part: Clause) -> None:
        released = part.words[0].low in _RELEASES or part.joiner == "but"
        released = released or (self._refused_thing and part.joiner in _CHANGES_SUBJECT and part.action is not None)
        instead = self.negated and part.words[0].low in _ONLY  # "don't prescribe anything just save a note"
        self.negated = part.negated or (self.negated and not released)
        self._refused_thing = _refuses_a_thing(part) if part.negated else self._refused_thing
        self.polite = part.polite or (self.polite and (self.imperative or part.joiner not in self._loose))
        if part.action is not None:
            self.imperative = part.joiner in self._loose or part.own or self.imperative or instead
        elif _STATING & {word.low for word in part.words}:
            self.imperative = False


def _refuses_a_thing(part: Clause) -> bool:
    """ "Not the ibuprofen, prescribe …" refuses a thing; "do not order labs, …" refuses to act."""
    low = [word.low for word in part.words]
    return low[0] in {"not", "no"} and len(low) <= 4 and _NOT_THINGS.isdisjoint(low)


def is_no_request(text: str, sentence: Sentence) -> bool:
    """Whether all of the sentence is a hypothesis, another's words or a wish for a view."""
    doubts = (HYPOTHETICAL, ATTRIBUTED)
    return any(doubt.search(text, sentence.start, sentence.end) for doubt in doubts) or asks_opinion(text, sentence)


def asks_opinion(text: str, sentence: Sentence) -> bool:
    """ "Start metformin, is that ok" asks for a view, not for an entry."""
    return _OPINION.search(text, sentence.start, sentence.end) is not None


def only_asks_opinion(text: str, sentence: Sentence) -> bool:
    """A short question after the request: "Thoughts?"."""
    return len(sentence.words) <= 6 and asks_opinion(text, sentence)


def takes_back(text: str, sentence: Sentence) -> bool:
    """ "Actually, cancel that."."""
    return _RETRACTION.search(text, sentence.start, sentence.end) is not None


def concludes(text: str, report: re.Match[str] | None, part: Clause) -> bool:
    """ "Pt told me penicillin gives her hives so add …": what follows from a patient's words is the user's own wish."""
    if report is None or part.joiner != "so":
        return False
    told = _PATIENT_TELLS.search(text, max(0, report.start() - _LOOK_BACK), part.words[0].start)
    if told is None or not told.start() <= report.start() < told.end():
        return False
    said = part.words[0].start - told.end() > _LEAST_SAID  # "he said so start …" reports an order
    return said and REPORTED.search(text, told.end(), part.words[0].start) is None


def contrasts(before: Clause) -> bool:
    """ "Dr Patel says vancomycin later but for now" leads over to the user's own request."""
    return "but" in [word.low for word in before.words[-3:]]


def is_quoted_speech(before: Clause, part: Clause) -> bool:
    """ "The GP said, please start …": right after a verb of saying the words are another's."""
    if part.joiner not in {",", " ", ":", "-", "–", "—"}:
        return False
    last = [word.low for word in before.words[-2:]]
    return last[-1] in _REPORTING_VERBS or (last[-1] in _LISTENERS and bool(_REPORTING_VERBS & {*last[:-1]}))
