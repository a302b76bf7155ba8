"""The words by which a part of a message asks for published work or for trials, and those that only look like it."""

from __future__ import annotations

import re
from typing import Literal

SearchKind = Literal["literature", "trials"]


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])", re.IGNORECASE)


NCT = _pattern(r"NCT\s?\d{8}")
PMID = _pattern(r"(?:PMID|PubMed\s(?:id|number))[\s:#]{0,3}(?P<id>\d{5,9})")

_MANY = (
    r"(?:any|some|all|the|new|recent|latest|current|more|other|relevant|good|open|ongoing|active|recruiting"
    r"|phase\s\w{1,4})"
)
STATUS = _pattern(
    r"active\W{0,2}\s?not\srecruiting"
    r"|(?:not|haven['’]?t|hasn['’]?t|aren['’]?t|isn['’]?t|havent)\s(?:yet\s)?(?:begun|started|opened)(?:\s(?:to\s)?(?:recruit\w{0,4}|enroll?\w{0,4}|up))?(?:\syet)?"
    r"|(?:aren['’]?t|isn['’]?t)\s(?:yet\s)?(?:recruiting|enroll?ing|open)(?:\syet)?|yet\sto\s(?:recruit|start|open|begin|enroll?)"
    r"|not\s(?:yet\s)?(?:recruiting|enrolling|open)|enrolling\sby\sinvitation"
    r"|recruiting|enroll?ing"
    r"|recruit(?:ment|s)?|accruing|(?:taking|accepting)(?:\son)?\s(?:new\s)?(?:patients|people|participants|pts|women|men|adults"
    r"|children|kids|babies|volunteers|anyone)(?:\son)?|open(?:\sto\s(?:recruitment|enroll?ment))?"
    r"|still\s(?:join|enter|enroll?|get\s(?:in|into|on)|sign\sup|take\spart)"
    r"|ongoing|on-?\s?going|active|running|underway|completed?|finish(?:ed)?|terminated|stopped|halted|abandoned"
    r"|suspended|paused|on\shold|withdrawn|upcoming|planned|(?:starting|opening)\ssoon|about\sto\s(?:start|open)"
)
STATUS_VALUE = {
    **dict.fromkeys(("open", "enrolling", "enroling", "recruitment", "recruit", "recruits", "accruing"), "recruiting"),
    **dict.fromkeys(("ongoing", "on going", "on-going", "running", "underway", "not recruiting"), "active"),
    **dict.fromkeys(("active not recruiting", "not enrolling"), "active"),
    **dict.fromkeys(("not yet open", "not yet enrolling", "not open"), "not yet recruiting"),
    **dict.fromkeys(("complete", "finish", "finished"), "completed"),
    **dict.fromkeys(("stopped", "halted", "abandoned"), "terminated"),
    **dict.fromkeys(("paused", "on hold"), "suspended"),
    **dict.fromkeys(("upcoming", "planned", "starting soon", "opening soon"), "not yet recruiting"),
    **dict.fromkeys(("about to start", "about to open"), "not yet recruiting"),
}

_NOT_BEGUN = re.compile(r"(?<!\w)(?:begun|started|opened|yet)(?!\w)|n ?t open$")


def status_value(written: str) -> str:
    """The registry's word for a status as it was said."""
    low = " ".join(re.sub(r"[^\w\s-]", " ", written.lower()).split())
    if _NOT_BEGUN.search(low):
        return "not yet recruiting"
    if low.startswith(("aren", "isn")):
        return "active"
    return "recruiting" if low.startswith(("taking", "accepting", "open", "still")) else STATUS_VALUE.get(low, low)


def told_status(text: str) -> str:
    """The status that a short message asks for, empty without one; "running" says less than "recruiting"."""
    found = [status_value(match.group()) for match in STATUS.finditer(text)]
    return next((value for value in found if value != "active"), found[0] if found else "")


_TRIED = r"(?:of|off|without|run|runs|period|basis|dose|lawyer|by|and\serror)"
"""After "trial" these make it a try or a court case: "a trial of steroids", "trial off oxygen"."""

_SOMEBODY = r"(?:she|he|they|we|i|my|our|the|this|a|patients?|pt|people|mum|mother|family|lady|man|woman|child)"

TRIALS = _pattern(
    r"(?:clinicaltrials|clinical\strials)\.gov|ct\.gov|(?:(?:clinical|drug|treatment|cancer)\s)?trials(?!\s(?:evidence"
    r"|data|results|of\svoid))"
    r"|(?:search|check|scan|trawl|query)\s(?:the\s)?(?:trials?\s)?registry(?=\s(?:for|on)\s)"
    rf"|trial\s(?:options?|availability|slots?)|clinical\strial(?!\s(?:evidence|data|results))|(?:{_MANY}|a|another"
    rf"|which|what|suitable)\strial(?!\s(?:{_TRIED}|evidence|data|results))"
    r"|(?<=there\s)(?:any|a)\strial(?=\sof\s)"
    r"|(?:recruiting|enroll?ing|ongoing|open|active)\s(?:clinical\s)?stud(?:y|ies)"
    r"|(?:withdrawn|terminated|suspended)\sstud(?:y|ies)"
    r"|stud(?:y|ies)\s(?:(?:that|which|are|is|currently|actively|still|now|open|and|haven['’]?t|have|not|yet"
    r"|started|begun)\s){0,4}(?:recruiting|enroll?ing"
    r"|accruing)"
    r"|(?:experimental|investigational)\s(?:treatments?|therap(?:y|ies)|drugs?|options?|agents?|medicines?)"
    r"|(?:new|novel)\s(?:treatments?|therap(?:y|ies)|drugs?|agents?)\s(?:being|under|in|currently)\s"
    r"(?:studied|tested|trialled|investigated|investigation|development|trials?)"
    r"|(?:what(?:['’]?s|\sis)|anything|anyone|anybody|who(?:['’]?s|\sis))\s(?:currently\s|still\s|actively\s)?(?:recruiting|enroll?ing)"
    r"|(?:recruiting|enroll?ing|accruing)(?=\s(?:for|in|patients|people|adults|children|kids|anyone))"
    rf"|trial(?!\s(?:{_TRIED}|evidence|data|results|ward|nurse|team|drug|arm|for\s(?:a\s)?(?:\d|few|couple|week|day"
    r"|month)))"
    r"|being\s(?:trialled|trialed|tested|tried|developed|studied|investigated)(?:\sout)?(?=\s(?:for|in|on|against))"
    r"|(?:anyone|anybody|who(?:['’]?s|\sis)|somebody)\s(?:is\s|currently\s){0,2}(?:testing|trialling|trialing|trying\sout)"
    r"(?:\s(?:(?:a|any|new|novel|better|other|some)\s){0,3}(?:medicines?|drugs?|treatments?|therap(?:y|ies)|vaccines?|tablets?|cures?))?(?=\s(?:for|in|on|against)\s)"
    rf"|(?:(?:any|some|a|the|more)\s)?(?:research|stud(?:y|ies))\s(?:(?:that|which|for|where|project|projects)\s){{0,2}}(?:{_SOMEBODY}\s){{0,2}}"
    r"(?:(?:[\w-]{2,20}\s){1,3}(?:patients?|pts?|people)\s)?"
    r"(?:(?:can|could|might|may|to|would|be|able|is|are)\s){0,4}(?:join|enter|enroll?|take\spart|participate|sign\sup"
    r"|eligible)"
)
_RANDOMISED = re.compile(r"(?:randomi[sz]ed|controlled|rand)\s$", re.IGNORECASE)

_TESTS = re.compile(
    r"(?<!\w)(?:iron|sleep|imaging|conduction|coagulation|coag|clotting|urodynamic|swallow|thyroid|motility|lab"
    r"|laboratory|blood"
    r"|radiology|contrast|barium|emptying|echo|pressure[\s-]flow|nerve|ep|that|she|he|who|sister|brother|wife|husband"
    r"|son|daughter|hearing|flow|(?:had|having|awaiting|pending|repeat|booked\sfor)\s(?:[\w-]{2,12}\s)?[\w-]{2,12})\s$",
    re.IGNORECASE,
)
"""Before "studies" these make it a test or a verb; "had nerve studies" tells of a test whatever its name."""

_TEST_REACH = 44

_VERBAL = re.compile(
    r"(?<!\w)(?:i|we|you|u|they|she|he|to|will|would|should|could|can|may|might|and|then|just|let['’]?s|i['’]?ll|we['’]?ll)\s$",
    re.IGNORECASE,
)
"""After these "trial" and "study" are verbs: "can we trial her on it"."""

LITERATURE = _pattern(
    r"studies|(?:a|an|any|the|that|this|recent|new|good|landmark|cohort|one)\sstudy(?=\s(?:on|about|of|in|for|looking"
    r"|comparing|showing"
    r"|that|which))"
    r"|(?:study|paper|article|review)\sor\stwo|study(?=\s(?:(?:is|are|there|exists?|done|available|recently|published)\s){0,3}(?:on|about|of|in|for|regarding"
    r"|comparing|into)(?!\w))"
    r"|research(?=\s(?:(?:is|are)\sthere\s)?(?:on|into|about|regarding|for|in|around|behind|papers?|articles?|evidence|say|says|show))"
    r"|(?:any|recent|latest|new|current|more|the|published)\sresearch"
    r"|(?<!no\s)(?<!without\s)evidence(?!\sof|-based|\sbased)|(?:trial|clinical\strial|trials)\s(?:evidence|data"
    r"|results)"
    r"|literature|(?:recent|latest|the|any|new)\slit|lit\s(?:search|review)|lit(?=\son\s)"
    r"|(?:research\s|journal\s|recent\s|new\s)?papers|(?:a|any|some|one|recent|the|good|new)\spaper(?=\s(?:on|about|in|of|that))"
    r"|articles?|publications?|references(?=\s(?:on|for|about|to))|citations"
    r"|(?:anything|something|much|stuff|whats?|what['’]s|been|was|work)\s(?:(?:is|has|been|recently|new|out)\s){0,3}"
    r"(?:published|written(?!\sin\s)|out\sthere)(?=\s(?:(?:lately|recently|so\sfar|this\syear)\s)?(?:on|about|in|for)(?!\w))"
    r"|what(?:['’]?s|\shas)\s(?:(?:already|recently)\s)?been\s(?:published|written)|published(?=\s(?:(?:lately|recently)\s)?(?:on|about))"
    r"|(?:(?:anything|something|stuff|bit|bits|things?)\s(?:good\s|useful\s)?to\sread|to\sread(?:\sup)?|read\sup|reading|reading\smaterial)"
    r"(?=\s(?:on|about|around)(?!\w)(?!\sthe\s(?:train|plane|bus|tube|way|flight|commute|beach|ward|weekend)(?!\w)))"
    r"|(?:(?:clinical|practice|current|latest|recent|new|published|updated)\s){0,2}guidelines(?=\s(?:published\s)?(?:since|after|from)\s(?:19|20)\d\d)"
    r"|meta-?\s?anal(?:ys[ei]s)?|(?:systematic|cochrane|literature|narrative|scoping|umbrella)\sreviews?|reviews(?=\s(?:on"
    r"|of|about))|(?:recent|latest|good|any|some|me|published|only|just)\sreviews|cochrane"
    r"|rcts?(?:\s(?:evidence|data))?|published\s(?:results|data|outcomes|findings|work)|results\spublished"
    r"|refs|writings?(?=\s(?:on|about))|randomi[sz]ed(?:\scontrolled)?\s(?:trials?|stud(?:y|ies))|case\s(?:reports?(?!\sforms?)|series)|pubmed|medline|embase"
    r"|europe\s?pmc"
    r"|(?<!no\s)(?<!her\s)(?<!his\s)(?<!the\spatient\s)(?<!lab\s)data"
    r"(?=\s(?:on|for|supporting|behind|about|in|that|regarding|to\ssupport))"
    r"|(?:anyone|anybody|someone|somebody|people|they)\s(?:(?:ever|actually|really)\s){0,2}(?:studied|looked\sat|investigated"
    r"|researched|shown|proven|proved|demonstrated)"
    r"|been\s(?:studied|investigated)(?=\s(?:for|in))"
)

TELLING = re.compile(
    r"\W{0,4}(?:(?:most|many|some|several|the|recent|new)\s){0,2}(?:studies|research|evidence|data|literature|papers"
    r"|trials)\s"
    r"(?:has\s|have\s|clearly\s|now\s)?(?:shows?|shown|suggests?|suggested|proves?|proved|proven|indicates?|found"
    r"|says?|tells?)(?!\w)"
    r"|(?!\W{0,4}(?:i|we)['’]?d\s(?:like|love))\W{0,4}(?:i|we|she|he|they|my|our|(?:the\s|this\s)?(?:patient|pt))(?:['’](?:s|ve|d|re|m)\s|\s)"
    r"(?:have\s|had\s|has\s|just\s|once\s|already\s|been\s|not\s|currently\s){0,3}"
    r"(?:read|saw|did|was|were|is|are|published|had|failed|tried|went|wrote|presented|attended|been|joined|completed"
    r"|in\s(?:a|an|the|that|another)|on\s(?:a|an|the|that|another)|declined|refused|enroll?ed|finished|done"
    r"|teach|teaches|love|hate|like|used|worked|enjoy|remember|ran)(?!\w)",
    re.IGNORECASE,
)
"""A part that tells of studies and asks for none."""

DEFINING = re.compile(
    r"\W{0,4}(?:(?:can|could)\s(?:you|u)\s)?(?:what(?:['’]?s|\sis|\sare|\sdoes|\sdo)|define|explain|how(?:\s(?:do|does"
    r"|is|are|can|should))"
    r"|(?:the\s)?(?:phases?|types?|kinds?|definition|meaning|purpose|principles?|history|stages?)\sof|why|describe"
    r"|wh(?:at|o)\s(?!studies|trials|papers)[a-z]{2,12}s(?=\s(?:a|an|the|clinical|medical|for)\s)"
    r"|teach\sme)(?!\w)",
    re.IGNORECASE,
)
"""A part that asks what something is: about trials as such it asks for none."""

_STATED = re.compile(
    r"(?<!\w)(?:is|are|was|were|has|have|had|seems?|remains?|looks?|isn['’]t|aren['’]t)(?!\w)", re.IGNORECASE
)
_DETERMINED = re.compile(
    r"\W{0,4}(?:(?:the|this|that|our|some|most|all|such|current|available|recent|his|her)\s){1,3}", re.IGNORECASE
)
_LONGEST_SUBJECT = 80
_CLAUSE = re.compile(r"\s(?:that|whether|if|which|how)(?!\w)", re.IGNORECASE)


def states(text: str, start: int, end: int) -> bool:
    """ "The evidence in this area is weak": the noun is the subject of a statement. A clause of its own says what is
    sought ("evidence that X is better"), and so does whatever asks before it.
    """
    subject = _DETERMINED.fullmatch(text, 0, start) and not _CLAUSE.match(text, end)
    return bool(subject and _STATED.search(text, end, end + _LONGEST_SUBJECT))


def is_weak(head: str) -> bool:
    """A single "trial" or "study" is as often a try, a court case or an examination: it needs a question around it."""
    return head.lower() in {"trial", "study"}


def heads(text: str) -> list[tuple[int, int, SearchKind]]:
    """Where the text speaks of trials or of published work, in order and without overlaps."""
    found: list[tuple[int, int, SearchKind]] = []
    for match in TRIALS.finditer(text):
        before = text[max(0, match.start() - 12) : match.start()]
        if not (_RANDOMISED.search(before) or (is_weak(match.group()) and _VERBAL.search(before))):
            found.append((*match.span(), "trials"))
    for match in LITERATURE.finditer(text):
        before = text[max(0, match.start() - _TEST_REACH) : match.start()]
        verb = is_weak(match.group()) and _VERBAL.search(before)
        if not (verb or (match.group().lower() == "studies" and _TESTS.search(before))):
            found.append((*match.span(), "literature"))
    kept: list[tuple[int, int, SearchKind]] = []
    for start, end, kind in sorted(found, key=lambda head: (head[0], -head[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, kind))
    return kept
