"""How often and for how long, as FHIR's Timing says it. What it cannot say exactly stays in words alone."""

from __future__ import annotations

import re

from docgemma.ehr.contract import Resource
from docgemma.entities.amounts.frequencies import Frequency
from docgemma.entities.amounts.frequency_words import UNCOUNTED
from docgemma.orders.resources.parts import UCUM

WHEN = {
    "every morning": "MORN",
    "before breakfast": "ACM",
    "with breakfast": "CM",
    "after breakfast": "PCM",
    "at noon": "NOON",
    "before lunch": "ACD",
    "with lunch": "CD",
    "after lunch": "PCD",
    "every evening": "EVE",
    "before dinner": "ACV",
    "with dinner": "CV",
    "after dinner": "PCV",
    "at bedtime": "HS",
    "before meals": "AC",
    "with meals": "C",
    "after meals": "PC",
}
"""Moments that have a code. "On an empty stomach" has none: it is an instruction beside the timing."""

_UNITS = {"minute": "min", "hour": "h", "day": "d", "week": "wk", "month": "mo", "year": "a"}
_RATE = re.compile(
    r"(?:(?P<word>once|twice|three times|four times)|(?P<n>\d{1,3}) times) (?P<per>dai|week|month|year)ly"
)
_RATES = {"once": 1, "twice": 2, "three times": 3, "four times": 4}
_PERIODS = {"dai": "d", "week": "wk", "month": "mo", "year": "a"}
_EVERY = re.compile(r"every (?P<low>\d{1,3})(?:-(?P<high>\d{1,3}))? (?P<unit>minute|hour|day|week|month)s?")
_LASTS = re.compile(
    r"for (?P<most>up to )?(?P<low>\d{1,3})(?:-(?P<high>\d{1,3}))? (?P<unit>hour|day|week|month|year|dose)s?"
)


def repeat_of(frequency: Frequency, duration: str) -> Resource | None:
    """The structured schedule; None where a part of it would be lost or made up."""
    schedule, bounds = _schedule(frequency), _bounds(duration)
    if schedule is None or bounds is None or ("count" in schedule and bounds):
        return None
    return schedule | bounds or None


def length(number: str, unit: str) -> Resource:
    """A length of time as a quantity."""
    named = unit if number == "1" else f"{unit}s"
    return {"value": int(number), "unit": named, "system": UCUM, "code": _UNITS[unit]}


def _schedule(frequency: Frequency) -> Resource | None:
    moments = [moment for moment in frequency.moments if moment in WHEN]
    when: Resource = {"when": [WHEN[moment] for moment in moments]} if moments else {}
    counted = sum(moment not in UNCOUNTED for moment in moments)
    if moments and counted not in (0, len(moments)):  # "every morning, before meals" is no list of equal moments
        return None
    if frequency.now:
        return {"count": 1} if frequency == Frequency(now=True, as_needed=frequency.as_needed) else None
    if frequency.days:
        return _on_days(frequency, when, counted)
    if not frequency.often:
        return _by_moments(when, counted)
    rate = _rate(frequency.often)
    if rate is None or not moments:
        return rate
    return rate | when if _goes_with(rate, len(moments), counted) else None


def _goes_with(rate: Resource, moments: int, counted: int) -> bool:
    """Whether the moments say when each dose of the rate is taken: as many as doses in a day, or one for all."""
    if rate.get("periodUnit") in ("h", "min"):
        return False
    if not counted:
        return moments == 1
    daily = rate.get("periodUnit") == "d" and rate.get("period") == 1
    return counted == (rate["frequency"] if daily else 1)


def _by_moments(when: Resource, counted: int) -> Resource | None:
    """Each named moment once a day. How often "before meals" is, nobody said."""
    if not when:
        return {}
    return {"frequency": counted, "period": 1, "periodUnit": "d"} | when if counted else None


def _on_days(frequency: Frequency, when: Resource, counted: int) -> Resource | None:
    """R4 has days of the week only without a frequency: once on each of them is all that can be said."""
    rate = _RATE.fullmatch(frequency.often)
    plain = not frequency.often or frequency.often == "once daily" or (rate is not None and rate["per"] == "week")
    if not plain or len(when.get("when", ())) != counted or counted > 1:
        return None
    return {"dayOfWeek": [day[:3].lower() for day in frequency.days]} | when


def _rate(often: str) -> Resource | None:
    if often == "once only":
        return {"count": 1}
    if often == "every other day":
        return {"frequency": 1, "period": 2, "periodUnit": "d"}
    if match := _RATE.fullmatch(often):
        number = _RATES.get(match["word"] or "", int(match["n"] or 0))
        return {"frequency": number, "period": 1, "periodUnit": _PERIODS[match["per"]]} if number else None
    match = _EVERY.fullmatch(often)
    if match is None or not int(match["low"]):
        return None
    low, high = int(match["low"]), int(match["high"] or 0)
    if match["high"] and high <= low:
        return None
    most: Resource = {"periodMax": high} if high else {}
    return {"frequency": 1, "period": low} | most | {"periodUnit": _UNITS[match["unit"]]}


def _bounds(duration: str) -> Resource | None:
    """The end of the course; empty where it is open, None where it stands in words alone."""
    if duration in ("", "long term"):
        return {}
    match = _LASTS.fullmatch(duration)
    if match is None or not int(match["low"]):
        return None
    low, high, unit = match["low"], match["high"], match["unit"]
    if high and (match["most"] or int(high) <= int(low)):
        return None
    if unit == "dose":
        return None if match["most"] else {"count": int(low)} | ({"countMax": int(high)} if high else {})
    if match["most"]:
        return {"boundsRange": {"high": length(low, unit)}}
    if high:
        return {"boundsRange": {"low": length(low, unit), "high": length(high, unit)}}
    return {"boundsDuration": length(low, unit)}
