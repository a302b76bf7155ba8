"""FHIR dates as stretches of time: `1980` is a whole year, and comparing it means comparing its two ends.

A date that is asked for without a time zone is compared with the clock on the wall where the entry was made: a
result taken at 23:30 on the first of March stays on the first of March, wherever this server stands.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal

Prefix = Literal["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"]
PREFIXES: Final[tuple[Prefix, ...]] = ("eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap")

FOREVER: Final = 10**20
_SECOND: Final = 1_000_000
_DAY: Final = 86_400 * _SECOND
_MOMENT = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?)?)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """From `low` up to, but without, `high`, in microseconds. `zoned`: of the world's clock, not of the wall's."""

    low: int
    high: int
    zoned: bool = False


def stretch(text: str, *, wall: bool = False) -> Stretch | None:
    """What a date, dateTime or instant covers; None when it is none. `wall` leaves its time zone aside."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        first = date(int(year), int(month or 1), int(day or 1)).toordinal()
    except ValueError:
        return None
    if hour is None:
        return Stretch(first * _DAY, (first + _days(int(year), month, day)) * _DAY)
    if int(hour) > 23 or int(minute) > 59 or int(second or 0) > 60:
        return None
    low = first * _DAY + (int(hour) * 3600 + int(minute) * 60 + int(second or 0)) * _SECOND
    low += int((fraction or "").ljust(6, "0")[:6])
    low -= 0 if wall else _offset(zone)
    return Stretch(low, low + _grain(second, fraction), zoned=zone is not None and not wall)


def stretches(value: Any, *, wall: bool) -> list[Stretch]:
    """What an element covers: a date of any precision, a Period with open ends, or the dates of a Timing."""
    if isinstance(value, str):
        one = stretch(value, wall=wall)
        return [] if one is None else [one]
    if not isinstance(value, dict):
        return []
    if "event" in value or "repeat" in value:
        repeat = value.get("repeat")
        bounds = repeat.get("boundsPeriod") if isinstance(repeat, dict) else None
        events = value.get("event")
        parts = [*(events if isinstance(events, list) else []), bounds]
        return [one for part in parts for one in stretches(part, wall=wall)]
    start, end = (_end(value.get(name), wall) for name in ("start", "end"))
    if start is None and end is None:
        return []
    return [Stretch(start.low if start else -FOREVER, end.high if end else FOREVER)]


def compare(prefix: Prefix, target: Stretch, asked: Stretch, *, now: int = 0) -> bool:
    """Whether a recorded stretch answers to an asked one, by FHIR's rules for each prefix."""
    inside = asked.low <= target.low and target.high <= asked.high
    match prefix:
        case "eq":
            return inside
        case "ne":
            return not inside
        case "gt":
            return target.high > asked.high
        case "lt":
            return target.low < asked.low
        case "ge":
            return inside or target.high > asked.high
        case "le":
            return inside or target.low < asked.low
        case "sa":
            return target.low >= asked.high
        case "eb":
            return target.high <= asked.low
        case "ap":
            near = abs(now - asked.low) // 10
            return target.low < asked.high + near and target.high > asked.low - near


def moment(at: datetime) -> int:
    """A point in time on the scale of a Stretch."""
    return at.toordinal() * _DAY + (at.hour * 3600 + at.minute * 60 + at.second) * _SECOND + at.microsecond


def _end(value: Any, wall: bool) -> Stretch | None:
    return stretch(value, wall=wall) if isinstance(value, str) else None


def _days(year: int, month: str | None, day: str | None) -> int:
    if day is not None:
        return 1
    return monthrange(year, int(month))[1] if month is not None else date(year, 12, 31).timetuple().tm_yday


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    amount = (int(zone[1:3]) * 3600 + int(zone[4:6]) * 60) * _SECOND
    return -amount if zone[0] == "-" else amount


def _grain(second: str | None, fraction: str | None) -> int:
    if second is None:
        return 60 * _SECOND
    return _SECOND if fraction is None else 10 ** max(0, 6 - len(fraction))
