"""Routes and durations: found beside an amount, in standard words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.entities.amounts.durations import parse_duration
from docgemma.entities.amounts.found import find_amounts
from docgemma.entities.amounts.routes import parse_route
from docgemma.entities.drugs.names import drugs_in


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("500 mg po bd", "by mouth"),
        ("500 mg p.o. bd", "by mouth"),
        ("500 mg by mouth", "by mouth"),
        ("500 mg orally", "by mouth"),
        ("oral metformin 500 mg", "by mouth"),
        ("1 g IV", "intravenous"),
        ("40 mEq IV push", "intravenous push"),
        ("1 g im stat", "intramuscular"),
        ("10 units sc", "subcutaneous"),
        ("10 units subcut", "subcutaneous"),
        ("10 units s/c", "subcutaneous"),
        ("400 mcg sl prn", "sublingual"),
        ("5 mg neb", "nebulised"),
        ("2 puffs inhaled", "inhaled"),
        ("2 mg intrathecal", "intrathecal"),
        ("100 mg pr stat", "rectal"),
        ("25 mcg/h patch", "transdermal"),
        ("1 drop both eyes", "both eyes"),
        ("1 drop to the left eye bd", "left eye"),
        ("1 spray each nostril", "nasal"),
        ("500 mg via NG tube", "by feeding tube"),
    ],
)
def test_routes(text: str, route: str) -> None:
    assert [found.value for found in find_amounts(text, drugs_in(text)).routes] == [route]


@pytest.mark.parametrize(
    "text",
    ["im giving him 500 mg", "for oral thrush", "rectal bleeding", "nasal congestion", "PR 90", "eye patch", "1 patch"],
)
def test_everyday_words_are_no_route(text: str) -> None:
    assert find_amounts(text, drugs_in(text)).routes == ()


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("500 mg tds x 7 days", "for 7 days"),
        ("500 mg tds x5d", "for 5 days"),
        ("500 mg tds for 10 days", "for 10 days"),
        ("500 mg tds for two weeks", "for 2 weeks"),
        ("500 mg tds for a week", "for 1 week"),
        ("500 mg tds 5/7", "for 5 days"),
        ("500 mg tds 2/52", "for 2 weeks"),
        ("500 mg od for 3/12", "for 3 months"),
        ("500 mg tds 7 days", "for 7 days"),
        ("x1 wk", "for 1 week"),
        ("7d course", "for 7 days"),
        ("a 7-day course of amoxicillin", "for 7 days"),
        ("for 3-5 days", "for 3-5 days"),
        ("x 3 doses", "for 3 doses"),
        ("1 g iv over 30 min", "over 30 minutes"),
        ("500 mg bd until Friday", "until Friday"),
        ("dispense 30", "dispense 30"),
        ("disp #30", "dispense 30"),
        ("1 g qds max 4 g in 24 hours", "maximum 4 g in 24 hours"),
        ("1 g qds, maximum 4g/day", "maximum 4g in 24 hours"),
        ("2 tabs prn, no more than 8 tablets a day", "maximum 8 tablets in 24 hours"),
        ("2 refills", "2 refills"),
        ("no repeats", "no refills"),
        ("30 day supply", "supply for 30 days"),
        ("5 mg daily long term", "long term"),
    ],
)
def test_durations(text: str, duration: str) -> None:
    assert [found.value for found in find_amounts(text).durations] == [duration]


@pytest.mark.parametrize(
    "text",
    [
        "cough for the last 3 days",
        "3 day history",
        "2 weeks ago",
        "every 2 weeks",
        "seen 5/7",
        "x3 daily",
        "within 2 days",
    ],
)
def test_other_times_are_no_duration(text: str) -> None:
    assert find_amounts(text).durations == ()


@pytest.mark.parametrize(
    "text", ["for 7 days", "until Friday", "2 refills", "no refills", "dispense 30", "over 2 hours"]
)
def test_a_standard_duration_reads_as_itself(text: str) -> None:
    assert parse_duration(text) == text


@pytest.mark.parametrize(
    "text", ["by mouth", "intravenous", "intravenous push", "subcutaneous", "both eyes", "transdermal", "nebulised"]
)
def test_a_standard_route_reads_as_itself(text: str) -> None:
    assert parse_route(text) == text


_WORDS = [
    "500 mg",
    "po",
    "im",
    "bd",
    "on",
    "x 7 days",
    "5/7",
    "for",
    "and",
    ",",
    "until",
    "both eyes",
    "now",
    "od",
    "2 tabs",
]


@given(st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join) | st.text(max_size=200))
def test_amounts_lie_in_the_text_in_order_and_apart(text: str) -> None:
    found = find_amounts(text)
    for kind in (found.doses, found.frequencies, found.routes, found.durations):
        assert all(text[item.start : item.end] == item.text for item in kind)
        assert all(one.end <= other.start for one, other in pairwise(kind))
