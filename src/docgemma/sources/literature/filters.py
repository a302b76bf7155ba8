"""What narrows a search: years and kinds of study, in the few words that say so.

Exact forms only: a year, a number of years, and the word beside it. Which words of a sentence those are, the reader
tells. "Recent" is no year: it bears on the order alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import cache
from typing import get_args

from docgemma.entities.tables import rows
from docgemma.entities.words import word_set
from docgemma.sources.literature.contract import Kind

Years = tuple[int | None, int | None]

_YEAR = re.compile(r"(?<![\d.])(?:19[4-9]|20[0-4])\d(?![\d%])")
_SPAN = re.compile(r"(?:(?P<many>\d{1,2}|[a-z]+)\s+(?:of\s+)?)?(?P<unit>years?|yrs?|months?|decades?)\b")
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_COUNTS |= {"couple": 2, "few": 5, "several": 5, "twelve": 12, "fifteen": 15, "twenty": 20}
_MONTHS = {"m": 1, "y": 12, "d": 120}
_FROM = re.compile(r"\b(?:since|from|onwards?|on|upwards|forward|later|newer|now|present|date)\b|\d\+")
_AFTER = re.compile(r"\b(?:after|post|(?:later|newer)\sthan)\b")
_BEFORE = re.compile(r"\b(?:before|prior|pre|older|earlier)\b")
_UNTIL = re.compile(r"\b(?:until|till|up\sto|through)\b")
_IN = re.compile(r"\b(?:in|of|during|dated)\b")
_LAST = re.compile(r"\b(?:last|past|previous|recent|within)\b")
_NEWEST = word_set("latest newest newer new recent recently current currently lately")
_REFUSED = word_set("not no non excluding except without")
_APART = re.compile(r"[,;/&+]|\b(?:and|or)\b")


def years_in(texts: Iterable[str], today: date) -> Years:
    """From the first to the last year that is meant, of those that are not of the future."""
    read = [years for text in texts if any(years := _years(text.lower().replace("-", " "), today))]
    since = [low for low, _ in read if low]
    until = [high for _, high in read if high]
    return min(since, default=None), max(until, default=None)


def kinds_in(texts: Iterable[str]) -> tuple[Kind, ...]:
    """The kinds of article that these words name and do not refuse; of each phrase the first that fits."""
    phrases = (part.lower().replace("-", " ").split() for text in texts for part in _APART.split(text))
    wanted = (f" {' '.join(phrase)}" for phrase in phrases if _REFUSED.isdisjoint(phrase))
    found = (next((kinds for said, kinds in _kinds() if f" {said}" in phrase), ()) for phrase in wanted)
    return tuple(dict.fromkeys(kind for kinds in found for kind in kinds))


def asks_for_newest(text: str) -> bool:
    """Whether what is new should come first."""
    return not _NEWEST.isdisjoint(re.findall(r"[a-z]+", text.lower()))


def _years(text: str, today: date) -> Years:
    """One phrase: "2018 2022", "since 2018", "before 2010", "last 5 years", "2018", which is a beginning."""
    named = sorted(year for year in map(int, _YEAR.findall(text)) if year <= today.year)
    if not named:
        counted = None if _YEAR.search(text) else _SPAN.search(text)
        if counted is None or not (_LAST.search(text) or "this" in text.split()):
            return None, None
        many = counted["many"] or ""
        months = (int(many) if many.isdecimal() else _COUNTS.get(many, many != "this")) * _MONTHS[counted["unit"][0]]
        return (today.year * 12 + today.month - 1 - months) // 12, None
    low, high = named[0], named[-1]
    if low < high:
        return low, high
    if _AFTER.search(text):
        return low + 1, None
    if _BEFORE.search(text):
        return None, low - 1
    if _UNTIL.search(text) and not _FROM.search(text):
        return None, low
    return low, low if _IN.search(text) and not _FROM.search(text) else None


@cache
def _kinds() -> tuple[tuple[str, tuple[Kind, ...]], ...]:
    by_name: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
    table = rows("docgemma.sources.literature", "kinds.tsv")
    return tuple((said, tuple(by_name[kind] for kind in kinds.split())) for said, kinds in table)
