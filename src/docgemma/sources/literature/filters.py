"""What narrows a search: years, kinds of study, the newest first. Each with the text that is left.

"Recent" is no year: it bears on the order alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from docgemma.entities.words import replaced
from docgemma.sources.literature.contract import Kind

_COUNTED = r"(?:patients|people|participants|subjects|cases|mg|mcg|ml|units|iu|children|women|men)"
_YEAR = rf"(?:19[4-9]|20[0-4])\d(?!\d|\s?{_COUNTED}(?!\w))"
_ONE = rf"(?:the\syear\s)?(?P<one>{_YEAR})"
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_COUNTS |= {"couple of": 2, "few": 5, "several": 5, "twenty": 20, "fifteen": 15, "twelve": 12, "eighteen": 18}
_WHOLE = r"(?:(?<=;\s)|(?<!.)){}(?=\s*(?:;|$))"
"""What is a part by itself: "colchicine in gout; trials"."""

Years = tuple[int | None, int | None]


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])", re.IGNORECASE)


_BETWEEN = (
    rf"(?:(?:between|from|in|during)\s)?(?P<one>{_YEAR})\s?(?:and|to|until|till|through|-|–|—)\s?(?P<other>{_YEAR})"
)
_LAST = (
    rf"(?:(?:in|from|over|within|during|of)\s)?(?:the\s)?(?:last|past|previous)\s(?:(?P<many>\d{{1,2}}|{'|'.join(_COUNTS)})\s)?"
    r"(?P<unit>years?|months?|decades?|yrs?)"
)
_YEARS: tuple[tuple[re.Pattern[str], int | None, int | None], ...] = tuple(
    (_pattern(rf"(?:published\s)?(?:{body})"), low, high)
    for body, low, high in (
        (_BETWEEN, 0, 0),
        (rf"(?:since|from)\s{_ONE}(?:\s(?:on(?:wards?)?|upwards|forward))?", 0, None),
        (rf"{_ONE}\s(?:onwards?|upwards|(?:or|and)\s(?:later|newer)|to\s(?:now|date|present))", 0, None),
        (rf"(?:after|later\sthan|newer\sthan|post)[\s-]{_ONE}", 1, None),
        (rf"(?:before|prior\sto|older\sthan|earlier\sthan|pre)[\s-]{_ONE}", None, -1),
        (rf"(?:until|till|up\sto|through)\s{_ONE}", None, 0),
        (_LAST, 0, None),
        (r"(?:in\s|from\s)?this\syear(?:['’]s)?", 0, None),
        (rf"(?:in|of|dated)\s{_ONE}", 0, 0),
        (_WHOLE.format(_ONE), 0, None),
        (rf"(?<=[a-z]\s){_ONE}(?=\W{{0,3}}$)", 0, 0),
    )
)
"""What is said of a year, and how far from it the search begins and ends. A year alone is a beginning."""

_REACH = 40
_NEWEST = _pattern(
    r"latest|newest|recent(?:ly)?|most\srecent|up[\s-]to[\s-]date|current|lately|new(?:er)?|what['’]?s\snew|state[\s-]of[\s-]the[\s-]art"
)
_TRIALS = r"(?:\s(?:clinical\s)?(?:trials?|stud(?:y|ies)|evidence|data))"
_KIND_WORDS: tuple[tuple[str, tuple[Kind, ...]], ...] = (
    (r"(?:network\s)?meta[\s-]?analy(?:sis|ses|tic)", ("meta_analysis",)),
    (
        r"(?:systematic|cochrane|umbrella)\s(?:literature\s)?reviews?|cochrane(?:\sdatabase)?",
        ("systematic_review", "meta_analysis"),
    ),
    (
        r"rcts?|(?:double[\s-]blind(?:ed)?\s|placebo[\s-]controlled\s|large\s){0,2}randomi[sz]ed"
        rf"(?:,?\s(?:placebo[\s-])?controlled)?{_TRIALS}?|(?:placebo|sham)[\s-]controlled\s(?:trials?|stud(?:y|ies))",
        ("randomised_trial",),
    ),
    (
        r"(?:(?:clinical\s)?practice\s)?guidelines?|guidance|consensus\s(?:statements?|recommendations?)"
        r"|position\s(?:statements?|papers?)",
        ("guideline",),
    ),
    (r"case\s(?:reports?|series|stud(?:y|ies))", ("case_report",)),
    (
        r"(?:observational|cohort|case[\s-]control|cross[\s-]sectional|registry|real[\s-]world)\s(?:stud(?:y|ies)|data|evidence)"
        rf"|cohorts|{_WHOLE.format('cohort')}",
        ("observational",),
    ),
    (
        r"(?:published\s|controlled\s|clinical\s|phase\s(?:\d|i{1,3}v?)\s){1,2}trials?(?:\s(?:data|results|evidence))?"
        rf"|trial\s(?:data|results|evidence)|(?:landmark|original)\strials?|{_WHOLE.format('trials?')}",
        ("randomised_trial", "trial"),
    ),
    (
        r"(?:literature|narrative|scoping|good|recent|any|some)\sreviews?|review\s(?:articles?|papers?)"
        rf"|reviews(?=\s(?:on|of|about|for))|{_WHOLE.format('reviews?')}",
        ("review", "systematic_review", "meta_analysis"),
    ),
)
_KINDS = tuple((_pattern(words), kinds) for words, kinds in _KIND_WORDS)
_REFUSED = re.compile(
    r"(?<!\w)(?:not|no|non|excluding|except|without|rather\sthan|instead\sof|other\sthan)\s(?:just\s|only\s|any\s)?$",
    re.IGNORECASE,
)
_OR_ANY = re.compile(
    r"\s(?:or|and/or|and)\s(?:(?:any|other|some)\s)?(?:studies|papers|articles|evidence|literature|research|data)",
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
    return text, Filters(kinds, since, until, newest=_NEWEST.search(text) is not None)


def _years(text: str, today: date) -> tuple[str, Years]:
    """All years that are not of the future: from the first to the last of them."""
    read: Years | None = None
    for pattern, low, high in _YEARS:
        found = [*pattern.finditer(text)]
        for match in found:
            first, last = _meant(match, today)
            if first <= today.year:
                years = (None if low is None else first + low, None if high is None else last + high)
                read = _together(read, years) if read else years
        text = blanked(text, (match.span() for match in found))
    return text, read or (None, None)


def _together(one: Years, other: Years) -> Years:
    """ "Since 2018", "until 2020" limit each other; "2018", "2020" are both meant."""
    (since, until), (from_then, to_then) = one, other
    if (until is None and from_then is None) or (since is None and to_then is None):
        return since or from_then, until or to_then
    return min(since, from_then) if since and from_then else None, max(until, to_then) if until and to_then else None


def _meant(match: re.Match[str], today: date) -> tuple[int, int]:
    """The year that is named, twice; the two that are; or when "the last 5 years" begin."""
    named = match.groupdict()
    if "one" in named:
        one = int(named["one"])
        other = int(named.get("other") or one)
        return min(one, other), max(one, other)
    if "unit" not in named:
        return today.year, today.year
    many = (named["many"] or "1").lower()
    count = int(many) if many.isdecimal() else _COUNTS[many]
    months = count * {"m": 1, "y": 12, "d": 120}[named["unit"][0].lower()]
    first = (today.year * 12 + today.month - 1 - months) // 12
    return first, first


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
