"""When an entry was reviewed. A date that can be read in two ways is not read at all."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ][\d:.]{4,15}(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII)
_DAY_FIRST = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})", re.ASCII)
_FIRST_YEAR = 1950
_AHEAD = timedelta(hours=14)
"""The clock of the place where the date is already the latest on earth."""


class Unclear(ValueError):
    """Says what is wrong with the date and what to do."""


def latest() -> date:
    """The last day that is not in the future anywhere."""
    return (datetime.now(UTC) + _AHEAD).date()


def reviewed(written: str | date, last: date) -> str:
    """As YYYY-MM-DD; Unclear otherwise."""
    day = (written.date() if isinstance(written, datetime) else written) if isinstance(written, date) else _day(written)
    if day > last:
        raise Unclear("The date of review lies in the future. Correct it.")
    if day.year < _FIRST_YEAR:
        raise Unclear(f"The date of review lies before {_FIRST_YEAR}. Correct it.")
    return day.isoformat()


def _day(text: str) -> date:
    numbers = None
    if match := _ISO.fullmatch(text):
        numbers = (int(match[1]), int(match[2]), int(match[3]))
    elif (match := _DAY_FIRST.fullmatch(text)) and int(match[1]) > 12:
        numbers = (int(match[4]), int(match[3]), int(match[1]))
    elif match and int(match[3]) <= 12:
        raise Unclear("The date of review can be read in two ways. Write it as YYYY-MM-DD.")
    try:
        if numbers:
            return date(*numbers)
    except ValueError:
        raise Unclear("There is no such day as the date of review. Write it as YYYY-MM-DD.") from None
    raise Unclear("The date of review is not understood. Write it as YYYY-MM-DD.")
