"""How often and how long: every schedule by hand, and which ones stay in words because FHIR cannot say them exactly."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.entities.amounts.frequencies import parse_frequency
from docgemma.orders.resources.timing import repeat_of
from tests.support.tables import each_of


def per(frequency: int, period: int, unit: str, **more: Any) -> dict[str, Any]:
    return {"frequency": frequency, "period": period, "periodUnit": unit, **more}


def lasting(number: int, unit: str, code: str) -> dict[str, Any]:
    return {"value": number, "unit": unit, "system": "http://unitsofmeasure.org", "code": code}


SAID = {
    "daily": per(1, 1, "d"),
    "once a day": per(1, 1, "d"),
    "bid": per(2, 1, "d"),
    "tds": per(3, 1, "d"),
    "qid": per(4, 1, "d"),
    "5 times daily": per(5, 1, "d"),
    "every 4 hours": per(1, 4, "h"),
    "q6h": per(1, 6, "h"),
    "every 12 hours": per(1, 12, "h"),
    "every 24 hours": per(1, 1, "d"),
    "every 36 hours": per(1, 36, "h"),
    "hourly": per(1, 1, "h"),
    "every 30 minutes": per(1, 30, "min"),
    "every 4-6 hours": per(1, 4, "h", periodMax=6),
    "every 4 to 6 hours as needed": per(1, 4, "h", periodMax=6),
    "every other day": per(1, 2, "d"),
    "every 3 days": per(1, 3, "d"),
    "weekly": per(1, 1, "wk"),
    "twice a week": per(2, 1, "wk"),
    "3 times a week": per(3, 1, "wk"),
    "fortnightly": per(1, 2, "wk"),
    "monthly": per(1, 1, "mo"),
    "quarterly": per(1, 3, "mo"),
    "every 6 weeks": per(1, 6, "wk"),
    "yearly": per(1, 1, "a"),
    "every morning": per(1, 1, "d", when=["MORN"]),
    "at bedtime": per(1, 1, "d", when=["HS"]),
    "nocte": per(1, 1, "d", when=["HS"]),
    "at noon": per(1, 1, "d", when=["NOON"]),
    "every evening": per(1, 1, "d", when=["EVE"]),
    "morning and night": per(2, 1, "d", when=["MORN", "HS"]),
    "1-0-1": per(2, 1, "d"),
    "1-0-0": per(1, 1, "d", when=["MORN"]),
    "before breakfast": per(1, 1, "d", when=["ACM"]),
    "with dinner": per(1, 1, "d", when=["CV"]),
    "after lunch": per(1, 1, "d", when=["PCD"]),
    "before breakfast and before dinner": per(2, 1, "d", when=["ACM", "ACV"]),
    "three times daily before meals": per(3, 1, "d", when=["AC"]),
    "twice daily with meals": per(2, 1, "d", when=["C"]),
    "once daily at bedtime": per(1, 1, "d", when=["HS"]),
    "once daily in the morning": per(1, 1, "d", when=["MORN"]),
    "once daily on an empty stomach": per(1, 1, "d"),
    "every other day at bedtime": per(1, 2, "d", when=["HS"]),
    "once weekly in the morning": per(1, 1, "wk", when=["MORN"]),
    "on Mondays": {"dayOfWeek": ["mon"]},
    "on Monday, Wednesday and Friday": {"dayOfWeek": ["mon", "wed", "fri"]},
    "weekdays": {"dayOfWeek": ["mon", "tue", "wed", "thu", "fri"]},
    "once weekly on Mondays": {"dayOfWeek": ["mon"]},
    "twice weekly on Monday and Thursday": {"dayOfWeek": ["mon", "thu"]},
    "once daily on Saturday and Sunday": {"dayOfWeek": ["sat", "sun"]},
    "every Monday in the morning": {"dayOfWeek": ["mon"], "when": ["MORN"]},
    "stat": {"count": 1},
    "once only": {"count": 1},
    "once only at bedtime": {"count": 1, "when": ["HS"]},
}
IN_WORDS = [
    "as needed",
    "before meals",
    "with meals as needed",
    "stat then twice daily",
    "every 8 hours with meals",
    "every 6 hours at bedtime",
    "twice daily on Monday and Thursday",
    "every other day on Mondays",
    "every 2 weeks on Mondays",
    "on Monday in the morning and at bedtime",
    "once weekly in the morning and at bedtime",
]


@each_of("text", SAID)
def test_a_schedule_is_coded_exactly(text: str) -> None:
    frequency = parse_frequency(text)
    assert frequency is not None
    assert repeat_of(frequency, "") == SAID[text]
    again = parse_frequency(frequency.render())
    assert again == frequency


@pytest.mark.parametrize("text", IN_WORDS)
def test_what_cannot_be_said_exactly_stays_in_words(text: str) -> None:
    frequency = parse_frequency(text)
    assert frequency is not None
    assert repeat_of(frequency, "") is None


@pytest.mark.parametrize(
    ("duration", "bounds"),
    [
        ("", {}),
        ("long term", {}),
        ("for 7 days", {"boundsDuration": lasting(7, "days", "d")}),
        ("for 1 day", {"boundsDuration": lasting(1, "day", "d")}),
        ("for 2 weeks", {"boundsDuration": lasting(2, "weeks", "wk")}),
        ("for 3 months", {"boundsDuration": lasting(3, "months", "mo")}),
        ("for 48 hours", {"boundsDuration": lasting(48, "hours", "h")}),
        ("for 7-10 days", {"boundsRange": {"low": lasting(7, "days", "d"), "high": lasting(10, "days", "d")}}),
        ("for up to 5 days", {"boundsRange": {"high": lasting(5, "days", "d")}}),
        ("for 3 doses", {"count": 3}),
        ("for 3-5 doses", {"count": 3, "countMax": 5}),
    ],
)
def test_the_end_of_a_course_is_coded_exactly(duration: str, bounds: dict[str, Any]) -> None:
    twice = parse_frequency("twice daily")
    assert twice is not None
    assert repeat_of(twice, duration) == per(2, 1, "d") | bounds


@pytest.mark.parametrize(
    "duration", ["until Friday", "for 5 nights", "for up to 3 doses", "for 10-7 days", "for 0 days"]
)
def test_a_course_whose_end_has_no_code_has_no_coded_schedule_at_all(duration: str) -> None:
    """A schedule without its end would read as one that goes on."""
    twice = parse_frequency("twice daily")
    assert twice is not None
    assert repeat_of(twice, duration) is None


def test_one_dose_for_a_week_is_no_schedule() -> None:
    once = parse_frequency("once only")
    assert once is not None
    assert repeat_of(once, "for 7 days") is None


def test_as_needed_for_a_week_has_its_end() -> None:
    needed = parse_frequency("as needed")
    assert needed is not None
    assert repeat_of(needed, "for 7 days") == {"boundsDuration": lasting(7, "days", "d")}
