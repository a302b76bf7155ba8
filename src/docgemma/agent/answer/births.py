"""Birth dates in text, and the age that follows from one: a record holds the date, an answer speaks of the age."""

from __future__ import annotations

import re
from datetime import date

Birth = tuple[int, ...]
"""Year, or year, month and day: as much as the text gives without doubt."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_BORN = re.compile(
    r"\b(?:born|d\.?o\.?b\.?|dates?\s+of\s+birth|birth\s?(?:date|day|year))\b[^.;!?\n\d]{0,24}?", re.IGNORECASE
)
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<year>(?:18|19|20)\d\d)-(?P<number>\d\d)-(?P<day>\d\d)\b",
        rf"{_MONTH}\s+{_DAY},?\s+(?P<year>\d{{4}})\b",
        rf"{_DAY}\s+(?:of\s+)?{_MONTH},?\s+(?P<year>\d{{4}})\b",
        r"(?:\d{1,2}[/.-]){1,2}(?P<year>\d{4})\b",  # which of the two is the month cannot be known
        rf"(?:{_MONTH}\s+)?(?P<year>(?:18|19|20)\d\d)\b",
    )
)


def births(text: str) -> tuple[Birth, ...]:
    """Every date that is said to be somebody's birth."""
    found = []
    for born in _BORN.finditer(text):
        window = text[born.end() : born.end() + 40]
        for lead in range(min(len(window), 24)):
            match = next((match for pattern in _DATES if (match := pattern.match(window, lead))), None)
            if match:
                found.append(_birth(match))
                break
    return tuple(found)


def _birth(match: re.Match[str]) -> Birth:
    parts = match.groupdict()
    year, day = int(match["year"]), parts.get("day")
    if not day:
        return (year,)
    month = int(parts["number"]) if parts.get("number") else _MONTHS.index(match["month"].lower()[:3]) + 1
    return (year, month, int(day))


def age(birth: Birth, today: date) -> int | None:
    """Whole years on that day; None when the date of birth is not known to the day."""
    if len(birth) != 3:
        return None
    year, month, day = birth
    return today.year - year - ((today.month, today.day) < (month, day))
