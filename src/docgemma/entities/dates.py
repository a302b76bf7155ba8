"""Dates in a text as ISO, as precise as they are certain: "1955", "1955-03" or "1955-03-02".

"03/02/1955" may be March or February: only its year is certain, so only the year is given. A year of two digits is read
only where a birth date is announced or asked for.
"""

from __future__ import annotations

import re
from datetime import date as day_of

from docgemma.entities.amounts.numbers import BELOW_HUNDRED, read_number
from docgemma.entities.model import Mention

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY_NAMES = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
)
_DAYS_SPOKEN = {
    **{name: number for number, name in enumerate(_DAY_NAMES, 1)},
    **{f"twenty-{name}": 20 + number for number, name in enumerate(_DAY_NAMES[:9], 1)},
    **{"twentieth": 20, "thirtieth": 30, "thirty-first": 31},
}
"""Days as they are dictated: "first" to "thirty-first"."""

_DAY_SPOKEN = "|".join(name.replace("-", r"[\s-]") for name in sorted(_DAYS_SPOKEN, key=len, reverse=True))
_YEAR_SPOKEN = (
    rf"(?:nineteen[\s-](?:hundred[\s-](?:and[\s-])?|oh[\s-])?{BELOW_HUNDRED}"
    rf"|(?:twenty|two\sthousand)(?:[\s-](?:and[\s-])?{BELOW_HUNDRED})?)"
)
"""Years as they are dictated: "nineteen fifty nine", "two thousand and four"."""


def _dates(year: str, *, alone: str) -> re.Pattern[str]:
    """The ways to write a date with such a year; `alone` is the year without day and month."""
    return re.compile(
        r"(?:(?<![\w/.-])|(?<=dob-)|(?<=dob\.)|(?<=b\.))(?:"
        r"(?P<iso>(?:19|20)[0-9]{2}(?:[-/][0-9]{2}){1,2})"
        r"|(?P<compact>(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))"
        rf"|(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?[\s-]{{0,2}}(?:of\s)?(?P<month>{_MONTH})\.?,?[\s-]{{0,2}}'?(?P<year>{year})"
        rf"|(?P<month2>{_MONTH})\.?[\s-]{{1,2}}(?:(?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\s{{1,2}})?'?(?P<year2>{year})"
        rf"|(?P<one>[0-9]{{1,2}})(?P<mark>[/.-])(?P<two>[0-9]{{1,2}})(?P=mark)(?P<year3>{year})"
        rf"|(?:the\s)?(?P<day4>{_DAY_SPOKEN})(?:\sof)?\s(?P<month4>{_MONTH}),?\s(?P<year4>{_YEAR_SPOKEN}|{year})"
        rf"|(?P<month5>{_MONTH})\s(?:the\s)?(?P<day5>{_DAY_SPOKEN}),?\s(?P<year5>{_YEAR_SPOKEN}|{year})"
        rf"|{alone}"
        r")(?![\w/-]|\.[0-9])",
        re.IGNORECASE,
    )


DATE = _dates(r"(?:19|20)[0-9]{2}", alone=r"(?P<only>(?:19|20)[0-9]{2})")
_SHORT_DATE = _dates(r"(?:(?:19|20)[0-9]{2}|[0-9]{2})", alone=r"(?P<only>(?:19|20)[0-9]{2}|'?[0-9]{2})")
_AGO = re.compile(
    r"\s{0,2}(?:years?|yrs?|y/?o|weeks?|wks?|months?|days?|hours?|hrs?|minutes?|mins?|kg|g\b|\+|%)", re.IGNORECASE
)
_BORN = re.compile(
    r"(?<!\w)(?:born(?:\s(?:in|on))?|d\.?o\.?b\.?|date\sof\sbirth|birth\s?date|birthday|b\.)[\s:=-]{0,3}(?:is\s|was\s|the\s)?$",
    re.IGNORECASE,
)
_BESIDE_NAME = re.compile(r"[\s,(;-]{0,3}(?:(?:m|f|male|female)[\s,;]{1,2})?$", re.IGNORECASE)
_CUE = 24
"""How far before a date the word that makes it a birth date may begin."""


def find_dates(text: str, *, short_years: bool = False) -> tuple[Mention, ...]:
    """Every date, a lone year included. `short_years` for a place where only a birth date makes sense: "2/3/55"."""
    pattern = _SHORT_DATE if short_years else DATE
    found = (Mention(m.group(), m.start(), m.end(), _iso(m)) for m in pattern.finditer(text))
    return tuple(mention for mention in found if mention.value != "-" and not (short_years and _lone_number(mention)))


def find_birth_dates(text: str, names: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Dates after "born" or "DOB", there also with a short year, and full dates right after a person's name."""
    ends = {name.end for name in names}
    found: list[Mention] = []
    for match in _SHORT_DATE.finditer(text):
        announced = _BORN.search(text[max(0, match.start() - _CUE) : match.start()]) is not None
        full = DATE.fullmatch(match.group()) is not None and len(match.group()) > 4
        if not announced and not (full and _after_name(text, match.start(), ends)):
            continue
        value = _iso(match)
        if value != "-" and not (match["only"] and _AGO.match(text, match.end())):
            found.append(Mention(match.group(), match.start(), match.end(), value))
    return tuple(found)


def _lone_number(date: Mention) -> bool:
    """Two digits alone are a year only after "born"."""
    return date.text.isdigit() and len(date.text) == 2


def _after_name(text: str, start: int, ends: set[int]) -> bool:
    """Whether nothing but a mark and a sex stands between a name and this place."""
    before = text[max(0, start - 12) : start]
    gap = _BESIDE_NAME.search(before)
    return gap is not None and any(start - len(before) + place in ends for place in range(gap.start(), len(before) + 1))


def _iso(match: re.Match[str]) -> str:
    """ISO as far as certain; "-" when it is no date at all."""
    part = match.groupdict()
    if part["iso"]:
        iso = part["iso"].replace("/", "-")
        return iso if _real(*iso.split("-")[1:]) else "-"
    if part["compact"]:
        return f"{part['compact'][:4]}-{part['compact'][4:6]}-{part['compact'][6:]}"
    if part["only"]:
        return _full_year(part["only"].strip("'"))
    if part["year3"]:
        return _numeric(int(part["one"]), int(part["two"]), _full_year(part["year3"]))
    if spoken := part["day4"] or part["day5"]:
        day_number = _DAYS_SPOKEN["-".join(spoken.lower().replace("-", " ").split())]
        month_number = _MONTHS.index((part["month4"] or part["month5"])[:3].lower()) + 1
        return f"{_spoken_year(part['year4'] or part['year5'])}-{month_number:02}-{day_number:02}"
    month = _MONTHS.index((part["month"] or part["month2"])[:3].lower()) + 1
    year, day = _full_year(part["year"] or part["year2"]), part["day"] or part["day2"]
    if day is None:
        return f"{year}-{month:02}"
    return f"{year}-{month:02}-{int(day):02}" if _real(str(month), day) else "-"


def _spoken_year(year: str) -> str:
    """ "Nineteen fifty nine" is 1959, "two thousand and four" is 2004."""
    low = " ".join(year.lower().replace("-", " ").split())
    if low[:1].isdigit():
        return _full_year(low)
    century, _, rest = low.partition(" ")
    if century == "two":
        rest = rest.removeprefix("thousand").strip()
    rest = rest.removeprefix("hundred").strip().removeprefix("and ").removeprefix("oh ")
    return str((1900 if century == "nineteen" else 2000) + int(read_number(rest) or 0))


def _full_year(year: str) -> str:
    """ "55" is 1955: the latest year of that ending that has been."""
    if len(year) == 4:
        return year
    return f"20{year}" if int(year) <= day_of.today().year % 100 else f"19{year}"


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
