"""Dates in a text as ISO, as precise as they are certain: "1955", "1955-03" or "1955-03-02".

"03/02/1955" may be March or February: only its year is certain, so only the year is given.
"""

from __future__ import annotations

import re

from docgemma.entities.model import Mention

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
DATE = re.compile(
    r"(?<![\w-])(?:"
    r"(?P<iso>(?:19|20)\d\d(?:-\d\d){1,2})"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]{{1,2}}(?:of\s)?(?P<month>{_MONTH})\.?,?[\s-]{{1,2}}(?P<year>(?:19|20)\d\d)"
    rf"|(?P<month2>{_MONTH})\.?\s{{1,2}}(?:(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,2}})?(?P<year2>(?:19|20)\d\d)"
    r"|(?P<one>\d{1,2})[/.](?P<two>\d{1,2})[/.](?P<year3>(?:19|20)\d\d)"
    r"|(?P<only>(?:19|20)\d\d)"
    r")(?![\w-])",
    re.IGNORECASE,
)
_BORN = re.compile(
    r"(?<!\w)(?:born(?:\s(?:in|on))?|d\.?o\.?b\.?|date\sof\sbirth|birth\s?date|birthday)[\s:]{0,3}(?:is\s|was\s|the\s)?$",
    re.IGNORECASE,
)
_CUE = 24
"""How far before a date the word that makes it a birth date may begin."""


def find_dates(text: str) -> tuple[Mention, ...]:
    """Every date, a lone year included."""
    found = (Mention(m.group(), m.start(), m.end(), _iso(m)) for m in DATE.finditer(text))
    return tuple(mention for mention in found if mention.value != "-")


def find_birth_dates(text: str, names: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Dates after "born" or "DOB", and full dates right after a person's name."""
    name_ends = {name.end for name in names}

    def of_birth(date: Mention) -> bool:
        if _BORN.search(text[max(0, date.start - _CUE) : date.start]):
            return True
        before = len(text[max(0, date.start - 4) : date.start].rstrip(" ,("))
        return len(date.text) > 4 and max(0, date.start - 4) + before in name_ends

    return tuple(date for date in find_dates(text) if of_birth(date))


def _iso(match: re.Match[str]) -> str:
    """ISO as far as certain; "-" when it is no date at all."""
    part = match.groupdict()
    if part["iso"]:
        return part["iso"] if _real(*part["iso"].split("-")[1:]) else "-"
    if part["only"]:
        return part["only"]
    if part["year3"]:
        return _numeric(int(part["one"]), int(part["two"]), part["year3"])
    month = _MONTHS.index((part["month"] or part["month2"])[:3].lower()) + 1
    year, day = part["year"] or part["year2"], part["day"] or part["day2"]
    if day is None:
        return f"{year}-{month:02}"
    return f"{year}-{month:02}-{int(day):02}" if _real(str(month), day) else "-"


def _numeric(one: int, two: int, year: str) -> str:
    if one > 12 and _real(str(two), str(one)):
        return f"{year}-{two:02}-{one:02}"
    if two > 12 and _real(str(one), str(two)):
        return f"{year}-{one:02}-{two:02}"
    if one == two and _real(str(one), str(two)):
        return f"{year}-{one:02}-{two:02}"
    return year if _real(str(one), str(two)) else "-"


def _real(month: str, day: str = "1") -> bool:
    return 1 <= int(month) <= 12 and 1 <= int(day) <= 31
