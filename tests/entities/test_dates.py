"""Birth dates as people write them, and the dates and ages that are none."""

from __future__ import annotations

import pytest

from docgemma.entities import extract


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("born 1955", ["1955"]),
        ("DOB 1955-03-02", ["1955-03-02"]),
        ("John Smith, 3 Feb 1955", ["1955-02-03"]),
        ("born on March 2nd, 1955", ["1955-03-02"]),
        ("DOB: 25/12/1955", ["1955-12-25"]),
        ("DOB: 03/02/1955", ["1955"]),
        ("John Smith 3/2/1955", ["1955"]),
        ("John Smith (13/2/1955)", ["1955-02-13"]),
        ("John Smith, M, 13/02/1955", ["1955-02-13"]),
        ("Smith John dob 02-03-55", ["1955"]),
        ("dob 25-12-55", ["1955-12-25"]),
        ("dob 25.12.1955", ["1955-12-25"]),
        ("DOB 1955/03/02", ["1955-03-02"]),
        ("dob 19550302", ["1955-03-02"]),
        ("born 12 Mar 62", ["1962-03-12"]),
        ("born 12-Mar-62", ["1962-03-12"]),
        ("born 12mar1962", ["1962-03-12"]),
        ("the one born in 62", ["1962"]),
        ("born in '62", ["1962"]),
        ("date of birth 1st of May 2011", ["2011-05-01"]),
        ("dob 1/13/09", ["2009-01-13"]),
        ("john smith b. 1955", ["1955"]),
        ("labs since 2024-03-02", []),
        ("John Smith 62 yo", []),
        ("born 62 years ago", []),
        ("born at 32 weeks", []),
        ("born 3 days ago", []),
        ("seen 12/03/62 in clinic", []),
        ("DOB 1955-13-40", []),
        ("age 62", []),
        ("BP 120/80 on 3/2/24", []),
    ],
)
def test_birth_dates_are_as_precise_as_they_are_certain(text: str, dates: list[str]) -> None:
    found = extract(text).birth_dates
    assert [mention.value for mention in found] == dates
    assert all(text[mention.start : mention.end] == mention.text for mention in found)
