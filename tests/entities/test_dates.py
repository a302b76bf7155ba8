"""Birth dates as people write them, and the dates and ages that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.entities.dates import find_birth_dates, find_dates
from docgemma.entities.model import Mention


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("born 1955", "1955"),
        ("DOB 1955-03-02", "1955-03-02"),
        ("3 Feb 1955", "1955-02-03"),
        ("born on March 2nd, 1955", "1955-03-02"),
        ("DOB: 25/12/1955", "1955-12-25"),
        ("03/02/1955", "1955"),
        ("13/2/1955", "1955-02-13"),
        ("02-03-55", "1955"),
        ("25-12-55", "1955-12-25"),
        ("25.12.1955", "1955-12-25"),
        ("1955/03/02", "1955-03-02"),
        ("dob 19550302", "1955-03-02"),
        ("12 Mar 62", "1962-03-12"),
        ("12-Mar-62", "1962-03-12"),
        ("12mar1962", "1962-03-12"),
        ("'62", "1962"),
        ("1st of May 2011", "2011-05-01"),
        ("1/13/09", "2009-01-13"),
        ("b. 1955", "1955"),
        ("seventeenth of may nineteen fifty nine", "1959-05-17"),
        ("the twenty-first of October, two thousand and four", "2004-10-21"),
        ("march third nineteen oh five", "1905-03-03"),
        ("thirty first december 1999", "1999-12-31"),
    ],
)
def test_a_birth_date_is_as_precise_as_it_is_certain(text: str, date: str) -> None:
    (found,) = find_dates(text, short_years=True)
    assert found.value == date
    assert text[found.start : found.end] == found.text


@pytest.mark.parametrize("text", ["1955-13-40", "32/12/1955", "62", "age 62", "120/80", "12 weeks"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert find_dates(text, short_years=True) == ()


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("the one born in 62", ["1962"]),
        ("date of birth 1st of May 2011", ["2011-05-01"]),
        ("John Smith, M, 13/02/1955", ["1955-02-13"]),
        ("John Smith 3/2/1955", ["1955"]),
        ("John Smith 62 yo", []),
        ("labs since 2024-03-02", []),
        ("born 62 years ago", []),
        ("born at 32 weeks", []),
        ("born 3 days ago", []),
        ("seen 12/03/62 in clinic", []),
        ("DOB 1955-13-40", []),
        ("BP 120/80 on 3/2/24", []),
    ],
)
def test_in_a_sentence_a_birth_date_is_announced_or_stands_behind_a_name(text: str, dates: list[str]) -> None:
    names = (Mention("John Smith", 0, 10),) if text.startswith("John Smith") else ()
    assert [mention.value for mention in find_birth_dates(text, names)] == dates


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["born", "3", "/", "2", "55", "Mar", "1962", "-", " "])).map("".join)
)
def test_any_text_is_read_and_each_date_stands_where_it_says(text: str) -> None:
    for found in (*find_dates(text), *find_dates(text, short_years=True), *find_birth_dates(text, ())):
        assert text[found.start : found.end] == found.text
