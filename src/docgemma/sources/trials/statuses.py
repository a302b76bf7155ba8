"""How people say in which state a trial should be, as the register's own words.

Decisions where people and register differ: "recruiting", "open" and "enrolling" mean trials that anybody may ask to
join. "Active" and "ongoing" mean all that run at present, recruiting or not; what has not begun is not running.
"Closed" and "no longer recruiting" mean all that anybody could join once and cannot now. A denial is never read as
what it denies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from docgemma.entities.searches.topics import find_trial_statuses
from docgemma.entities.words import word_set
from docgemma.sources.trials.contract import STATUSES, TrialStatus

_RUNNING: tuple[TrialStatus, ...] = ("RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING")
_CLOSED: tuple[TrialStatus, ...] = ("ACTIVE_NOT_RECRUITING", "COMPLETED", "SUSPENDED", "TERMINATED", "WITHDRAWN")
_NOT_OPEN: tuple[TrialStatus, ...] = ("NOT_YET_RECRUITING", *_CLOSED)
_JOINING = r"(?:recruit(?:ing|ment|s)?|enroll?(?:ing|ment|s)?|accru(?:ing|al)|open|accepting|taking)"
_NOT = r"(?:not|are\s?n['’]?t|is\s?n['’]?t|non)[\s-](?:(?:currently|actively|still|now|any\s?more|presently)\s)?"

_PHRASES: tuple[tuple[str, tuple[TrialStatus, ...]], ...] = (
    (r"active\W{1,3}(?:but\s)?not\srecruiting|(?:ongoing|running)\W{1,3}(?:but\s)?(?:not|no\slonger)\srecruiting"
     r"|active\W{1,3}no\slonger\srecruiting", ("ACTIVE_NOT_RECRUITING",)),
    (rf"(?:not|n['’]t|have|has)\s?yet\s(?:to\s)?{_JOINING}|{_NOT}(?:yet\s)?{_JOINING}\syet"
     r"|yet\sto\s(?:start|begin|open|recruit|enroll?)|(?:have|has)(?:\snot|n['’]?t)\s(?:yet\s)?(?:started|begun|opened)"
     r"|about\sto\s(?:start|open|begin|recruit)|(?:starting|opening|recruiting|coming)\s(?:soon|shortly)"
     r"|upcoming|planned|in\splanning|not\s(?:yet\s)?(?:started|begun)", ("NOT_YET_RECRUITING",)),
    (rf"no\slonger\s{_JOINING}|(?:stopped|finished|ceased)\s(?:recruiting|enroll?ing|recruitment)"
     rf"|closed(?:\s(?:to|for)\s(?:new\s)?(?:recruitment|enroll?ment|accrual|patients|participants))?", _CLOSED),
    (r"(?:no\slonger|not)\s(?:active|running|ongoing)|inactive", ("COMPLETED", "SUSPENDED", "TERMINATED", "WITHDRAWN")),
    (rf"{_NOT}(?:recruiting|enroll?ing|open|accruing|accepting|taking)", _NOT_OPEN),
    (r"(?:not|un|in)[\s-]?(?:completed?|finished)", ("NOT_YET_RECRUITING", *_RUNNING)),
    (r"(?:enroll?ing|recruiting|enroll?ment)?\s?by\sinvitation(?:\sonly)?", ("ENROLLING_BY_INVITATION",)),
    (r"(?:stopped|ended|closed|terminated|discontinued)\s(?:early|prematurely)|terminated|stopped|discontinued"
     r"|abandoned|aborted", ("TERMINATED",)),
    (r"halted", ("SUSPENDED", "TERMINATED")),
    (r"cancell?ed", ("TERMINATED", "WITHDRAWN")),
    (r"suspended|paused|on\shold|interrupted", ("SUSPENDED",)),
    (r"withdrawn", ("WITHDRAWN",)),
    (r"no\slonger\savailable", ("NO_LONGER_AVAILABLE",)),
    (r"temporarily\s(?:not\s|un)available", ("TEMPORARILY_NOT_AVAILABLE",)),
    (r"approved(?:\sfor\smarketing)?", ("APPROVED_FOR_MARKETING",)),
    (r"withheld", ("WITHHELD",)),
    (r"unknown(?:\sstatus)?|status\sunknown", ("UNKNOWN",)),
    (r"expanded[\s-]access|compassionate[\s-]use", ("AVAILABLE",)),
    (r"available", ("RECRUITING", "AVAILABLE")),
    (r"ended|over", ("COMPLETED", "TERMINATED")),
    (r"completed?|finish(?:ed)?|concluded|done", ("COMPLETED",)),
    (r"active|ongoing|on[\s-]going|running|under\s?way|in\sprogress|current|live", _RUNNING),
    (r"(?:actively\s|currently\s|still\s)?(?:recruiting|enroll?ing|accruing)|recruit(?:ment|s)?|enroll?(?:ment)?"
     r"|(?:open|opened)(?:\s(?:to|for)\s(?:new\s)?(?:recruitment|enroll?ment|accrual|patients|participants))?"
     r"|(?:taking|accepting)(?:\son)?\s(?:new\s)?(?:patients|people|participants|volunteers)|joinable",
     ("RECRUITING",)),
)  # fmt: skip
_RULES = tuple((re.compile(rf"(?<!\w)(?:{body})(?!\w)", re.IGNORECASE), statuses) for body, statuses in _PHRASES)
_CERTAIN = re.compile(
    rf"(?<!\w)(?:no\slonger\s{_JOINING}|closed\s(?:to|for)\s(?:new\s)?(?:recruitment|enroll?ment|accrual)|by\sinvitation"
    r"|recruiting|enroll?ing"
    r"|expanded[\s-]access|compassionate[\s-]use|(?:stopped|terminated|ended)\s(?:early|prematurely))(?!\w)",
    re.IGNORECASE,
)
"""Said of nothing but trials, wherever it stands in a question."""

_EVERY = re.compile(
    r"\W*(?:any|all|every|each|whatever|either|no\sfilter|not\sspecified|none|n/?a|null)?\W*(?:status(?:es)?)?\W*"
)
_FILLING = re.compile(
    r"(?<!\w)(?:trials?|stud(?:y|ies)|only|currently|actively|still|now|status|that|which|are|is|the|or|and|to|for|new"
    r"|patients?|participants?|please|be|just|right|at|present|moment|clinical|ones?|either|also|already)(?!\w)",
    re.IGNORECASE,
)
_SPELLED = word_set(
    "recruiting enrolling completed terminated suspended withdrawn ongoing upcoming finished available active stopped "
    "invitation recruitment cancelled discontinued underway planned"
)
_LEAST_LETTERS = 6
_ALIKE = 0.82
_OR = re.compile(r"\s*(?:[,/]|(?:,\s*)?(?:or|and)(?!\w))\s*", re.IGNORECASE)
"""What joins one status to another: "recruiting or completed"."""


Match = tuple[int, int, tuple[TrialStatus, ...]]
"""Where a phrase begins and ends, and what it stands for."""


@dataclass(frozen=True, slots=True)
class Read:
    """The statuses that words stand for; none: all are meant. `known` is False where a word is none of ours."""

    statuses: tuple[TrialStatus, ...] = ()
    known: bool = True


def statuses_of(words: str) -> Read:
    """A status as an argument gives it: one or several, in the register's spelling or in people's."""
    text = " ".join(re.sub(r"[_|;,]+", " ", words).split())
    if _EVERY.fullmatch(text.lower()):
        return Read()
    exact = _exact(words)
    if exact:
        return Read(exact)
    found, rest = _scanned(_corrected(text))
    left = re.sub(r"[\W_]+", "", _FILLING.sub(" ", rest))
    return Read(found, known=not left) if found and not left else Read((), known=False)


def statuses_in(question: str) -> tuple[TrialStatus, ...]:
    """What a whole question says of the state of the trials it asks for; empty where it says nothing.

    Words that may as well belong to the disease ("active tuberculosis") count only where the trials are spoken of.
    """
    spans = [(found.start, found.end) for found in find_trial_statuses(question)]
    spans += [found.span() for found in _CERTAIN.finditer(question)]
    told: dict[TrialStatus, None] = {}
    for run in _joined(question, _matches(question)):
        if any(at < end and start < until for start, end, _ in run for at, until in spans):
            told |= dict.fromkeys(status for _, _, statuses in run for status in statuses)
    return _in_order(told)


def meant(argument: str | None, question: str) -> Read:
    """The argument's statuses, unless the question itself denies them or says more exactly what is sought.

    Who fills in the argument from "trials no longer recruiting" may write "recruiting".
    """
    told = statuses_in(question)
    if argument is None or not argument.strip():
        return Read(told)
    given = statuses_of(argument)
    if not given.known:
        return Read(told, known=False)
    sought, said = set(given.statuses), set(told)
    denied = "RECRUITING" in sought - said
    return Read(told) if said and sought and (said < sought or denied) else given


def _exact(words: str) -> tuple[TrialStatus, ...]:
    """The register's own words, alone or joined; "available" in small letters is said of any trial."""
    parts = [re.sub(r"[\s_-]+", "_", part.strip()) for part in re.split(r"[|,;]", words) if part.strip()]
    by_name: Mapping[str, TrialStatus] = {status: status for status in STATUSES}
    found = [by_name.get(part if part.isupper() else "") for part in parts]
    return _in_order(dict.fromkeys(status for status in found if status)) if parts and all(found) else ()


def _corrected(text: str) -> str:
    def right(word: re.Match[str]) -> str:
        if _FILLING.fullmatch(word.group()) or any(rule.fullmatch(word.group()) for rule, _ in _RULES):
            return word.group()
        close = get_close_matches(word.group().lower(), _SPELLED, n=1, cutoff=_ALIKE)
        return close[0] if close else word.group()

    return re.sub(rf"[^\W\d_]{{{_LEAST_LETTERS},}}", right, text)


def _scanned(text: str) -> tuple[tuple[TrialStatus, ...], str]:
    """The statuses of all phrases, and the text without them."""
    found: dict[TrialStatus, None] = {}
    rest = text
    for at, until, statuses in _matches(text):
        found |= dict.fromkeys(statuses)
        rest = rest[:at] + " " * (until - at) + rest[until:]
    return _in_order(found), rest


def _matches(text: str) -> list[Match]:
    """Phrases in order, without overlaps: a rule before another in the list is the more exact one."""
    taken: list[Match] = []
    for rule, statuses in _RULES:
        for found in rule.finditer(text):
            if all(found.end() <= start or end <= found.start() for start, end, _ in taken):
                taken.append((*found.span(), statuses))
    return sorted(taken, key=lambda match: match[0])


def _joined(text: str, matches: Sequence[Match]) -> Iterator[list[Match]]:
    """Runs of phrases with nothing but "or", "and" or a comma between them."""
    run: list[Match] = []
    for match in matches:
        if run and not _OR.fullmatch(text, run[-1][1], match[0]):
            yield run
            run = []
        run.append(match)
    if run:
        yield run


def _in_order(found: Mapping[TrialStatus, None]) -> tuple[TrialStatus, ...]:
    return tuple(status for status in STATUSES if status in found)
