"""Dates of any precision under every prefix, against a naive oracle that counts hours one by one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr.embedded.searches.dates import PREFIXES, Prefix, Stretch, compare, stretch, stretches

_START = datetime(1999, 11, 1, tzinfo=UTC)
_HOURS = [f"{_START + timedelta(hours=hour):%Y-%m-%dT%H}" for hour in range(24 * 500)]


@cache
def _hours(text: str) -> frozenset[int]:
    """The hours that a text such as 2000, 2000-02, 2000-02-29 or 2000-02-29T07 covers, by trying them all."""
    return frozenset(hour for hour, name in enumerate(_HOURS) if name.startswith(text))


def _oracle(prefix: Prefix, target: frozenset[int], asked: frozenset[int]) -> bool:
    above, below = max(target) > max(asked), min(target) < min(asked)
    match prefix:
        case "eq":
            return target <= asked
        case "ne":
            return not target <= asked
        case "gt":
            return above
        case "lt":
            return below
        case "ge":
            return above or target <= asked
        case "le":
            return below or target <= asked
        case "sa":
            return min(target) > max(asked)
        case "eb":
            return max(target) < min(asked)
        case "ap":
            return bool(target & asked)


_DAYS = st.dates(min_value=datetime(1999, 12, 30).date(), max_value=datetime(2000, 3, 2).date())
_TEXTS = st.one_of(
    st.sampled_from(["2000"]),
    _DAYS.map(lambda day: f"{day:%Y-%m}"),
    _DAYS.map(lambda day: f"{day:%Y-%m-%d}"),
    st.tuples(_DAYS, st.integers(0, 23)).map(lambda one: f"{one[0]:%Y-%m-%d}T{one[1]:02}"),
)


def _stretch(text: str) -> Stretch:
    """An hour is no precision of FHIR's: it is written as its first minute, and widened."""
    found = stretch(f"{text}:00" if "T" in text else text)
    assert found is not None
    return Stretch(found.low, found.low + 3600 * 10**6) if "T" in text else found


@given(st.sampled_from(PREFIXES), _TEXTS, _TEXTS)
def test_every_prefix_agrees_with_counting_hours(prefix: Prefix, target: str, asked: str) -> None:
    when, wanted = _stretch(target), _stretch(asked)
    assert compare(prefix, when, wanted, now=wanted.low) is _oracle(prefix, _hours(target), _hours(asked))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2000", 366 * 86400),
        ("1900", 365 * 86400),
        ("2000-02", 29 * 86400),
        ("2000-02-29", 86400),
        ("2000-02-29T07:30", 60),
        ("2000-02-29T07:30:15", 1),
        ("2000-02-29T07:30:15.5", 0.1),
        ("2000-02-29T07:30:15.123456", 1e-6),
        ("2016-12-31T23:59:60Z", 1),
        ("9999-12-31", 86400),
        ("0001-01-01T00:00:00+14:00", 1),
    ],
)
def test_how_much_time_a_text_covers(text: str, seconds: float) -> None:
    found = stretch(text)
    assert found is not None
    assert (found.high - found.low) / 10**6 == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    ["", "0000", "20", "2001-02-29", "2001-13", "2001-1-1", "2001-01-01T25:00", "2001-01-01T10", "2001-01-01T10:61",
     "2001-01-01 10:00", "2001-01-01Z", "２００１", "2001-01-01T10:00:00+0200"],
)  # fmt: skip
def test_what_is_no_date(text: str) -> None:
    assert stretch(text) is None


def test_time_zones_are_counted_unless_the_clock_on_the_wall_is_meant() -> None:
    assert stretch("2000-01-01T23:00:00-05:00") == stretch("2000-01-02T04:00:00Z")
    wall = stretch("2000-01-01T23:00:00-05:00", wall=True)
    bare = stretch("2000-01-01T23:00:00")
    assert wall is not None
    assert bare is not None
    assert (wall.low, wall.zoned) == (bare.low, False)


@pytest.mark.parametrize(
    ("prefix", "asked", "answers"),
    [("gt", "2030", True), ("lt", "2010", False), ("eq", "2020", False), ("sa", "2010", True), ("eb", "2030", False)],
)
def test_a_period_without_an_end_goes_on(prefix: Prefix, asked: str, answers: bool) -> None:
    [when] = stretches({"start": "2015-05"}, wall=True)
    wanted = stretch(asked)
    assert wanted is not None
    assert compare(prefix, when, wanted) is answers
