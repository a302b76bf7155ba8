"""Ids, names and birth dates in the sentences of clinicians."""

from __future__ import annotations

import pytest

from docgemma.entities import extract

_UUID = "f47ac10b-58cc-4372-a567-0e02b2c3d479"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Prescribe metformin for abc-123", ["abc-123"]),
        ("She's allergic to sulfa, abc-123", ["abc-123"]),
        (f"chart of {_UUID}", [_UUID]),
        (_UUID.upper(), [_UUID]),
        ("open f47ac10b", ["f47ac10b"]),
        ("open F47AC10B", ["f47ac10b"]),
        ("patient 402", ["402"]),
        ("pt #402", ["402"]),
        ("patient id: demo-0007", ["demo-0007"]),
        ("MRN 0012345", ["0012345"]),
        ("MRN: A-12345", ["A-12345"]),
        ("chart for cox-200", ["cox-200"]),
        ("compare abc-123 and abd-124", ["abc-123", "abd-124"]),
        ("cox-200 inhibitors", []),
        ("mmr-111 vaccine", []),
        ("trials for covid-19", []),
        ("patient covid-19 positive", []),
        ("patient 65 years old", []),
        ("pt 65yo", []),
        ("patient with 20 pack-years", []),
        ("patient 120/80", []),
        ("call 12345678 or deadbeef", []),
    ],
)
def test_ids(text: str, ids: list[str]) -> None:
    assert [mention.value for mention in extract(text).patient_ids] == ids


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Find patient John Smith, check his chart", ["John Smith"]),
        ("find patient john smith and check his meds", ["John Smith"]),
        ("Find patient Garcia", ["Garcia"]),
        ("Search for Smith, John", ["John Smith"]),
        ("Mrs. O'Brien is here", ["O'Brien"]),
        ("Grazyna Considine's labs", ["Grazyna Considine"]),
        ("open the chart of Grazyna Considine", ["Grazyna Considine"]),
        ("John Q. Public needs a refill", ["John Q. Public"]),
        ("patient Ludwig van der Berg", ["Ludwig van der Berg"]),
        ("patient José García-López", ["José García-López"]),
        ("patient JOHN SMITH", ["John Smith"]),
        ("Give John Smith his usual", ["John Smith"]),
        ("What did Dr. John Lee prescribe", []),
        ("Studies on Atrial Fibrillation", []),
        ("trials for Multiple Sclerosis", []),
        ("is aspirin good for Type 2 Diabetes", []),
        ("Check Metformin Safety", []),
        ("find patient records", []),
        ("Find Recent Studies", []),
        ("What is hypertension?", []),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert [mention.value for mention in extract(text).person_names] == names


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("born 1955", ["1955"]),
        ("DOB 1955-03-02", ["1955-03-02"]),
        ("John Smith, 3 Feb 1955", ["1955-02-03"]),
        ("born on March 2nd, 1955", ["1955-03-02"]),
        ("DOB: 25/12/1955", ["1955-12-25"]),
        ("DOB: 03/02/1955", ["1955"]),
        ("labs since 2024-03-02", []),
        ("DOB 1955-13-40", []),
    ],
)
def test_birth_dates_are_as_precise_as_they_are_certain(text: str, dates: list[str]) -> None:
    assert [mention.value for mention in extract(text).birth_dates] == dates


def test_a_mention_says_where_it_stands() -> None:
    text = "Open the chart of Maria Garcia's son, abc-123"
    found = extract(text)
    for mention in (*found.patient_ids, *found.person_names):
        assert text[mention.start : mention.end] == mention.text
