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
    r"active\W{0,2}\s?not\srecruiting|not\s(?:yet\s)?(?:recruiting|enrolling|open)|enrolling\sby\sinvitation"
    r"|recruiting|enroll?ing"
    r"|recruitment|accruing|open|ongoing|on-?\s?going|active|running|underway|completed|finished|terminated|suspended"
    r"|paused"
    r"|withdrawn"
)
STATUS_VALUE = {
    **dict.fromkeys(("open", "enrolling", "enroling", "recruitment", "accruing"), "recruiting"),
    **dict.fromkeys(("ongoing", "on going", "on-going", "running", "underway", "not recruiting"), "active"),
    **dict.fromkeys(("active not recruiting", "not enrolling"), "active"),
    **dict.fromkeys(("not yet open", "not yet enrolling", "not open"), "not yet recruiting"),
    "finished": "completed",
    "paused": "suspended",
}

_TRIED = r"(?:of|off|without|run|runs|period|basis|dose|lawyer|by|and\serror)"
"""After "trial" these make it a try or a court case: "a trial of steroids", "trial off oxygen"."""

TRIALS = _pattern(
    r"(?:clinicaltrials|clinical\strials)\.gov|ct\.gov|(?:(?:clinical|drug|treatment|cancer)\s)?trials(?!\s(?:evidence"
    r"|data|results|of\svoid))"
    rf"|trial\s(?:options?|availability|slots?)|clinical\strial(?!\s(?:evidence|data|results))|(?:{_MANY}|a|another"
    rf"|which|what|suitable)\strial(?!\s(?:{_TRIED}|evidence|data|results))"
    r"|(?:recruiting|enroll?ing|ongoing|open|active)\s(?:clinical\s)?stud(?:y|ies)"
    r"|(?:withdrawn|terminated|suspended)\sstud(?:y|ies)"
    r"|stud(?:y|ies)\s(?:(?:that|which|are|is|currently|actively|still|now|open|and)\s){0,3}(?:recruiting|enroll?ing"
    r"|accruing)"
    r"|(?:experimental|investigational)\s(?:treatments?|therap(?:y|ies)|drugs?|options?|agents?|medicines?)"
    r"|(?:new|novel)\s(?:treatments?|therap(?:y|ies)|drugs?|agents?)\s(?:being|under|in|currently)\s"
    r"(?:studied|tested|trialled|investigated|investigation|development|trials?)"
    r"|(?:what(?:['’]?s|\sis)|anything|anyone|anybody|who(?:['’]?s|\sis))\s(?:currently\s|still\s|actively\s)?(?:recruiting|enroll?ing)"
    r"|(?:recruiting|enroll?ing|accruing)(?=\s(?:for|in|patients|people|adults|children|kids|anyone))"
)
_RANDOMISED = re.compile(r"(?:randomi[sz]ed|controlled|rand)\s$", re.IGNORECASE)

_TESTS = re.compile(
    r"(?<!\w)(?:iron|sleep|imaging|conduction|coagulation|coag|clotting|urodynamic|swallow|thyroid|motility|lab"
    r"|laboratory|blood"
    r"|radiology|contrast|barium|emptying|echo|pressure[\s-]flow|nerve|ep|that|she|he|who|sister|brother|wife|husband"
    r"|son|daughter)\s$",
    re.IGNORECASE,
)
"""Before "studies" these make it a test or a verb."""

LITERATURE = _pattern(
    r"studies|(?:a|an|any|the|that|this|recent|new|good|landmark|cohort|one)\sstudy(?=\s(?:on|about|of|in|for|looking"
    r"|comparing|showing"
    r"|that|which))"
    r"|research(?=\s(?:on|into|about|regarding|for|in|around|behind|papers?|articles?|evidence|say|says|show))"
    r"|(?:any|recent|latest|new|current|more|the|published)\sresearch"
    r"|(?<!no\s)(?<!without\s)evidence(?!\sof|-based|\sbased)|(?:trial|clinical\strial|trials)\s(?:evidence|data"
    r"|results)"
    r"|literature|(?:recent|latest|the|any|new)\slit|lit\s(?:search|review)|lit(?=\son\s)"
    r"|(?:research\s|journal\s|recent\s|new\s)?papers|(?:a|any|recent|the|good|new)\spaper(?=\s(?:on|about|in|of|that))"
    r"|articles?|publications?|references(?=\s(?:on|for|about|to))|citations"
    r"|(?:anything|something|much|stuff|what|been|was|work)\s(?:is\s|has\sbeen\s|been\s|recently\s){0,2}(?:published"
    r"|written|out\sthere)(?=\s(?:on|about|in|for))"
    r"|published(?=\s(?:on|about))"
    r"|meta-?\s?analys[ei]s|(?:systematic|cochrane|literature|narrative|scoping|umbrella)\sreviews?|reviews(?=\s(?:on"
    r"|of|about))|cochrane"
    r"|rcts?|randomi[sz]ed(?:\scontrolled)?\s(?:trials?|stud(?:y|ies))|case\s(?:reports?|series)|pubmed|medline|embase"
    r"|europe\s?pmc"
    r"|(?:latest|recent|new|newest|any|good|outcome|clinical|published|there|what|whats|more|safety|efficacy|world"
    r"|the)\sdata"
    r"(?=\s(?:on|for|supporting|behind|about|in|that|regarding|to\ssupport))"
    r"|(?:anyone|anybody|someone|somebody|people|they)\s(?:ever\s|actually\s)?(?:studied|looked\sat|investigated"
    r"|researched)"
    r"|been\s(?:studied|investigated)(?=\s(?:for|in))"
)

TELLING = re.compile(
    r"\W{0,4}(?:(?:most|many|some|several|the|recent|new)\s){0,2}(?:studies|research|evidence|data|literature|papers"
    r"|trials)\s"
    r"(?:has\s|have\s|clearly\s|now\s)?(?:shows?|shown|suggests?|suggested|proves?|proved|proven|indicates?|found"
    r"|says?|tells?)(?!\w)"
    r"|\W{0,4}(?:i|we|she|he|they|my|our|the\spatient)\s(?:have\s|had\s|just\s|once\s|already\s)?"
    r"(?:read|saw|did|was|were|is|are|published|had|failed|tried|went|wrote|presented|attended|been|joined|completed"
    r"|teach|teaches|love|hate|like|used|worked|enjoy|remember|ran)(?!\w)",
    re.IGNORECASE,
)
"""A part that tells of studies and asks for none."""

DEFINING = re.compile(
    r"\W{0,4}(?:(?:can|could)\s(?:you|u)\s)?(?:what(?:['’]?s|\sis|\sare|\sdoes|\sdo)|define|explain|how(?:\s(?:do|does"
    r"|is|are|can|should))"
    r"|(?:the\s)?(?:phases?|types?|kinds?|definition|meaning|purpose|principles?|history|stages?)\sof|why|describe"
    r"|teach\sme)(?!\w)",
    re.IGNORECASE,
)
"""A part that asks what something is: about trials as such it asks for none."""


def heads(text: str) -> list[tuple[int, int, SearchKind]]:
    """Where the text speaks of trials or of published work, in order and without overlaps."""
    found: list[tuple[int, int, SearchKind]] = []
    for match in TRIALS.finditer(text):
        if not _RANDOMISED.search(text[max(0, match.start() - 12) : match.start()]):
            found.append((*match.span(), "trials"))
    for match in LITERATURE.finditer(text):
        test = match.group().lower() == "studies" and _TESTS.search(text[max(0, match.start() - 20) : match.start()])
        if not test:
            found.append((*match.span(), "literature"))
    kept: list[tuple[int, int, SearchKind]] = []
    for start, end, kind in sorted(found, key=lambda head: (head[0], -head[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, kind))
    return kept
