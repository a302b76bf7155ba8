"""What a question narrows a search to: years, kinds of study, the newest first. Each with the text that is left.

A filter counts only where the user asked for it. "Recent" is no year: it bears on the order alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from docgemma.entities.words import replaced
from docgemma.sources.literature.contract import Kind

_COUNTED = r"(?:patients|people|participants|subjects|cases|mg|mcg|ml|units|iu|children|women|men)"
_YEAR = rf"(?P<{{}}>(?:19[4-9]|20[0-4])\d)(?!\d|\s?{_COUNTED}(?!\w))"
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_COUNTS |= {"couple of": 2, "few": 5, "several": 5, "twenty": 20, "fifteen": 15, "twelve": 12, "eighteen": 18}
_MANY = rf"(?P<many>\d{{1,2}}|{'|'.join(_COUNTS)})"


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){body}(?![\w-])", re.IGNORECASE)


Years = tuple[int | None, int | None]
_Reading = Callable[[re.Match[str], date], Years]


def _between(match: re.Match[str], today: date) -> Years:
    one, other = int(match["one"]), int(match["other"])
    return min(one, other), max(one, other)


def _last(match: re.Match[str], today: date) -> Years:
    many = match["many"]
    count = 1 if not many else int(many) if many.isdecimal() else _COUNTS[many.lower()]
    unit = match["unit"].lower()
    if unit.startswith("decade"):
        return today.year - 10 * count, None
    if unit.startswith("month"):
        return (today.year * 12 + today.month - 1 - count) // 12, None
    return today.year - count, None


_YEARS: tuple[tuple[re.Pattern[str], _Reading], ...] = (
    (
        _pattern(
            rf"(?:(?:published\s)?(?:between|from|in|during)\s)?{_YEAR.format('one')}\s?(?:and|to|until|till|through|-|–|—)\s?{_YEAR.format('other')}"
        ),
        _between,
    ),
    (
        _pattern(
            rf"(?:published\s)?(?:since|from)\s(?:the\syear\s)?{_YEAR.format('one')}(?:\s(?:on(?:wards?)?|forward))?"
        ),
        lambda match, today: (int(match["one"]), None),
    ),
    (
        _pattern(
            rf"{_YEAR.format('one')}\s(?:onwards?|or\slater|and\slater|and\snewer|or\snewer|to\s(?:now|date|present))"
        ),
        lambda match, today: (int(match["one"]), None),
    ),
    (
        _pattern(rf"(?:published\s)?(?:after|later\sthan|newer\sthan|post)[\s-](?:the\syear\s)?{_YEAR.format('one')}"),
        lambda match, today: (int(match["one"]) + 1, None),
    ),
    (
        _pattern(
            rf"(?:published\s)?(?:before|prior\sto|older\sthan|earlier\sthan|pre)[\s-](?:the\syear\s)?{_YEAR.format('one')}"
        ),
        lambda match, today: (None, int(match["one"]) - 1),
    ),
    (
        _pattern(rf"(?:published\s)?(?:until|till|up\sto|through)\s{_YEAR.format('one')}"),
        lambda match, today: (None, int(match["one"])),
    ),
    (
        _pattern(
            rf"(?:published\s)?(?:(?:in|from|over|within|during|of)\s)?(?:the\s)?(?:last|past|previous)\s(?:{_MANY}\s)?(?P<unit>years?|months?|decades?|yrs?)"
        ),
        _last,
    ),
    (_pattern(r"(?:published\s)?(?:in\s|from\s)?this\syear(?:['’]s)?"), lambda match, today: (today.year, None)),
    (
        _pattern(rf"(?:published\s)?(?:in|from|of|dated)\s{_YEAR.format('one')}"),
        lambda match, today: (int(match["one"]), int(match["one"])),
    ),
    (
        re.compile(rf"(?<=[a-z]\s){_YEAR.format('one')}(?=\W{{0,3}}$)", re.IGNORECASE),  # "pubmed … 2024"
        lambda match, today: (int(match["one"]), int(match["one"])),
    ),
)
_PASSING = re.compile(
    r"(?:episode|symptom|bleed|fall|seizure|admission|attack|exacerbation|relapse)s?\s$"
    r"|(?:born|diagnosed|started|operated|admitted|stented|transplanted|treated|had\sit|on\sit|taking\sit)\s$",
    re.IGNORECASE,
)
"""Before "in the last year" and "in 2019" these tell of a patient, not of publications."""

_REACH = 40
_NEWEST = _pattern(
    r"(?:latest|newest|recent(?:ly)?|most\srecent|up[\s-]to[\s-]date|current|lately|new(?:er)?|what['’]?s\snew|state[\s-]of[\s-]the[\s-]art)"
)
_KINDS: tuple[tuple[re.Pattern[str], tuple[Kind, ...]], ...] = (
    (_pattern(r"(?:network\s)?meta[\s-]?analy(?:sis|ses|tic)"), ("meta_analysis",)),
    (
        _pattern(r"(?:systematic|cochrane|umbrella)\s(?:literature\s)?reviews?|cochrane(?:\sdatabase)?"),
        ("systematic_review", "meta_analysis"),
    ),
    (
        _pattern(
            r"rcts?|(?:double[\s-]blind(?:ed)?\s|placebo[\s-]controlled\s|large\s){0,2}randomi[sz]ed(?:,?\s(?:placebo[\s-])?controlled)?"
            r"(?:\s(?:clinical\s)?(?:trials?|stud(?:y|ies)|evidence|data))?|(?:placebo|sham)[\s-]controlled\s(?:trials?|stud(?:y|ies))"
        ),
        ("randomised_trial",),
    ),
    (
        _pattern(
            r"(?:(?:clinical\s)?practice\s)?guidelines?|guidance|consensus\s(?:statements?|recommendations?)|position\s(?:statements?|papers?)"
        ),
        ("guideline",),
    ),
    (_pattern(r"case\s(?:reports?|series|stud(?:y|ies))"), ("case_report",)),
    (
        _pattern(
            r"(?:observational|cohort|case[\s-]control|cross[\s-]sectional|registry|real[\s-]world)\s(?:stud(?:y|ies)|data|evidence)|cohorts"
        ),
        ("observational",),
    ),
    (
        _pattern(
            r"(?:published\s|controlled\s|clinical\s|phase\s(?:\d|i{1,3}v?)\s){1,2}trials?(?:\s(?:data|results|evidence))?|trial\s(?:data|results|evidence)|landmark\strials?"
        ),
        ("randomised_trial", "trial"),
    ),
    (
        _pattern(
            r"(?:literature|narrative|scoping|good|recent|any|some)\sreviews?|review\s(?:articles?|papers?)|reviews(?=\s(?:on|of|about|for))"
        ),
        ("review", "systematic_review", "meta_analysis"),
    ),
)
_REFUSED = re.compile(
    r"(?<!\w)(?:not|no|non|excluding|except|without|rather\sthan|instead\sof|other\sthan)\s(?:just\s|only\s|any\s)?$",
    re.IGNORECASE,
)
_OR_ANY = re.compile(
    r"\s(?:or|and/or|and)\s(?:(?:any|other|some|recent|good)\s){0,2}(?:studies|papers|articles|evidence|literature|research|data)",
    re.IGNORECASE,
)
""" "Guidelines or studies" narrows nothing."""

_ADHERED = re.compile(r"\s(?:adherence|compliance|implementation)(?!\w)", re.IGNORECASE)
""" "Guideline adherence" is a topic, and no kind of article."""


@dataclass(frozen=True, slots=True)
class Filters:
    kinds: tuple[Kind, ...] = ()
    since: int | None = None
    until: int | None = None
    newest: bool = False


def filters_in(text: str, today: date) -> tuple[str, Filters]:
    """The text without the words that narrow a search, place for place, and what they narrow it to."""
    text, (since, until) = _years(text, today)
    text, kinds = _kinds(text)
    newest = _NEWEST.search(text) is not None
    return text, Filters(kinds, since, until, newest)


def _years(text: str, today: date) -> tuple[str, Years]:
    since: int | None = None
    until: int | None = None
    for pattern, reading in _YEARS:
        found = [*pattern.finditer(text)]
        for match in (match for match in found if not _PASSING.search(_before(text, match))):
            low, high = reading(match, today)
            if (low or 0) <= today.year and since is None and until is None:
                since, until = low, high
        text = blanked(text, (match.span() for match in found))
    return text, (since, until)


def _kinds(text: str) -> tuple[str, tuple[Kind, ...]]:
    found: dict[Kind, None] = {}
    for pattern, kinds in _KINDS:
        told = [match for match in pattern.finditer(text) if not _ADHERED.match(text, match.end())]
        if any(not (_REFUSED.search(_before(text, match)) or _OR_ANY.match(text, match.end())) for match in told):
            found.update(dict.fromkeys(kinds))
        text = blanked(text, (match.span() for match in told))
    return text, tuple(found)


def _before(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - _REACH) : match.start()]


def blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """The text with commas and blanks at these places: what stood there parts what stands around it."""
    return replaced(text, sorted((start, end, ", ".ljust(end - start)[: end - start]) for start, end in places))
