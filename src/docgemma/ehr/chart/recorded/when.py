"""Dates as they were recorded, with as much precision as they have, and the order among them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from docgemma.ehr.chart.recorded.fields import Node, counted, node, plain
from docgemma.ehr.chart.recorded.numbers import amount

_DATE = re.compile(
    r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,12})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
)
_DAY = 10
_SECOND = 19


def instant(value: object) -> str:
    """What orders two dates: the time in UTC as text, cut to the precision it has. Empty for what is no date.

    A year alone stands before every day in it: a value with a full date is taken for the newer one.
    """
    if not isinstance(value, str):
        return ""
    found = _DATE.fullmatch(value)
    if not found:
        return ""
    if found[1] in (None, "Z", "+00:00", "-00:00"):
        return value[:_SECOND]
    try:
        return datetime.fromisoformat(value).astimezone(UTC).isoformat()[:_SECOND]
    except (ValueError, OverflowError):
        return value[:_SECOND]


def day(value: object) -> str:
    """The day, month or year as it was written, in the place where it was written."""
    return value[:_DAY] if isinstance(value, str) and _DATE.fullmatch(value) else ""


def moment(value: object) -> str:
    """The day with hours and minutes, for values of one day that must be told apart."""
    return value[:16].replace("T", " ") if isinstance(value, str) and _DATE.fullmatch(value) else ""


def whole_date(value: object) -> date | None:
    """A full date to count with; a year or a month is not one."""
    try:
        return date.fromisoformat(day(value))
    except ValueError:
        return None


def when(resource: Node, stem: str) -> str:
    """The date under `stem`: a dateTime, an instant, or the end (else the beginning) of a period."""
    for kind in ("DateTime", "Instant", "Date"):
        value = resource.get(stem + kind)
        if value:
            return value if instant(value) else ""
    period = resource.get(stem + "Period")
    return ended(period) or begun(period)


def begun(period: object) -> str:
    start = node(period).get("start")
    return start if isinstance(start, str) and instant(start) else ""


def ended(period: object) -> str:
    end = node(period).get("end")
    return end if isinstance(end, str) and instant(end) else ""


def span(period: object) -> str:
    """ "2026-01-01 to 2026-01-07", or the half that is known."""
    start, end = day(begun(period)), day(ended(period))
    if start and end:
        return start if start == end else f"{start} to {end}"
    return f"since {start}" if start else f"until {end}" if end else ""


def in_words(resource: Node, stem: str) -> str:
    """The date under `stem` for a reader: also an age, a range or the words that stand in its place."""
    dated = span(resource.get(stem + "Period")) or day(when(resource, stem))
    if dated:
        return dated
    age = amount(resource.get(stem + "Age"))
    if age:
        return f"at age {age}"
    return plain(resource.get(stem + "String"), 60)


def is_past(value: object, today: date) -> bool:
    """Whether this date is over. One of which only the year is known is over when the year is."""
    text = day(value)
    return bool(text) and text < today.isoformat()[: len(text)]


def is_future(value: object, today: date) -> bool:
    """Later than today by every time zone: a day of grace, since the sun sets late elsewhere."""
    known = whole_date(value)
    return known is not None and (known - today).days > 1


def shown(value: object, today: date) -> str:
    """The day, and a word where it cannot be right."""
    text = day(value) or "undated"
    return f"{text}, a date in the future" if is_future(value, today) else text


def years(born: date, at: date) -> int:
    """Completed years of life."""
    return at.year - born.year - ((at.month, at.day) < (born.month, born.day))


def age_in_words(born: date, at: date) -> str:
    """As a clinician says it: days, then months, then years and months, then years."""
    if at < born:
        return ""
    whole = years(born, at)
    months = (at.year - born.year) * 12 + at.month - born.month - (at.day < born.day)
    if whole >= 18:
        return f"{whole} years"
    if whole >= 2:
        return f"{whole} years {counted(months % 12, 'month')}"
    return counted(months, "month") if months else counted((at - born).days, "day")


def days_between(one: object, other: object) -> int | None:
    """Whole days from one to the other, whichever is first; None when either is not fully known."""
    first, second = whole_date(one), whole_date(other)
    return abs((first - second).days) if first and second else None
