"""How many doses a day a frequency makes. None where it does not say, or says two things."""

from __future__ import annotations

import re
from decimal import Decimal

from docgemma.entities.amounts.frequencies import Frequency
from docgemma.entities.amounts.frequency_words import UNCOUNTED

_COUNTS = {"once": 1, "twice": 2, "three times": 3, "four times": 4}
_RATE = re.compile(r"(?:(once|twice|three times|four times)|(\d{1,3}) times) (daily|weekly|monthly|yearly)")
_EVERY = re.compile(r"every (?:(\d{1,3})(?:-(\d{1,3}))? )?(other day|minute|hour|day|week|month)s?")
_DAYS = {"daily": 1, "weekly": 7, "monthly": 28, "yearly": 365, "day": 1, "week": 7, "month": 28}
_PARTS = {"hour": 24, "minute": 24 * 60}
SINGLE = frozenset({"once only", "once now"})


def per_day(frequency: Frequency) -> Decimal | None:
    """Doses a day, by the shortest interval that is meant: "every 4-6 hours" is six times."""
    if frequency.often and frequency.often not in SINGLE:
        rate = _rate(frequency.often)
        if rate is None:
            return None
        if frequency.days and frequency.often.endswith("daily"):
            return rate * len(frequency.days) / 7
        return rate
    counted = [moment for moment in frequency.moments if moment not in UNCOUNTED]
    if frequency.days:
        return Decimal(len(frequency.days) * max(1, len(counted))) / 7
    return Decimal(len(counted)) if counted else None


def on_one_day(frequency: Frequency) -> Decimal | None:
    """Most doses on one day: weekly tablets are one, "twice daily on Monday" two. What is given once now counts too."""
    rate = per_day(frequency)
    if frequency.often in SINGLE or (frequency.now and rate is None and not frequency.as_needed):
        return Decimal(1)
    if rate is None:
        return None
    if frequency.days:
        daily = _rate(frequency.often) if frequency.often.endswith("daily") else None
        counted = [moment for moment in frequency.moments if moment not in UNCOUNTED]
        rate = daily or Decimal(max(1, len(counted)))
    return max(rate, Decimal(1)) + (1 if frequency.now else 0)


def is_single(frequency: Frequency) -> bool:
    """Whether it is given once and no more."""
    regular = frequency.often not in SINGLE and (frequency.often or frequency.moments or frequency.days)
    return not regular and (frequency.often in SINGLE or frequency.now)


def _rate(often: str) -> Decimal | None:
    if match := _RATE.fullmatch(often):
        return Decimal(_COUNTS.get(match[1] or "", int(match[2] or 0))) / _DAYS[match[3]]
    if match := _EVERY.fullmatch(often):
        if match[3] == "other day":
            return Decimal(1) / 2
        count = Decimal(min(int(part) for part in (match[1], match[2]) if part) if match[1] else 1)
        if not count:
            return None
        return _PARTS[match[3]] / count if match[3] in _PARTS else 1 / (count * _DAYS[match[3]])
    return None
