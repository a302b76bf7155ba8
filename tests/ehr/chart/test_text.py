"""Chart text, dates and numbers as they reach a reader."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr.chart.recorded.codeable import concept, full_concept
from docgemma.ehr.chart.recorded.fields import plain, quoted
from docgemma.ehr.chart.recorded.numbers import amount, exact, number
from docgemma.ehr.chart.recorded.when import age_in_words, day, instant, is_future, is_past, years

_HIDDEN = "\u200b\u202e\u2066\u00ad\ufeff\U000e0041\x00\x1b\x7f"


@given(st.text(max_size=400), st.integers(min_value=2, max_value=60))
def test_any_text_becomes_one_bounded_clean_line(text: str, most: int) -> None:
    line = plain(text, most)
    assert len(line) <= most
    assert len(line.splitlines()) <= 1
    assert line == line.strip()
    assert not set(line) & set(_HIDDEN)
    assert plain(line, most) == line


def test_invisible_characters_do_not_split_a_word() -> None:
    assert plain("peni\u200bcil\u00adlin") == "penicillin"


@given(st.text(max_size=200))
def test_quoted_text_cannot_leave_its_quotation_marks(text: str) -> None:
    said = quoted(text, 100)
    assert said == "" or (said[0] == "“" and said[-1] == "”" and not set(said[1:-1]) & set("“”"))


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1_000_000, max_value=1_000_000, places=6))
def test_a_number_keeps_its_digits(value: Decimal) -> None:
    assert Decimal(number(value)) == value
    assert "E" not in number(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("7.50"), "7.50"),
        (Decimal("1E+2"), "100"),
        (Decimal("0E-3"), "0.000"),
        (Decimal("1E+999999"), "a number that cannot be shown"),
        (10**400, "a number that cannot be shown"),
        (0.1, "0.1"),
        ("7.5", "7.5"),
        ("seven", ""),
        (True, ""),
        (None, ""),
        ([], ""),
    ],
)
def test_numbers_of_every_shape(value: object, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), float("nan"), True, None, "x", {}])
def test_what_is_no_number_is_not_counted_with(value: object) -> None:
    assert exact(value) is None


def test_an_unknown_comparator_is_no_part_of_a_value() -> None:
    assert amount({"value": 5, "comparator": "roughly", "unit": "mg"}) == "5 mg"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026", "2026-01-01"),
        ("2026-01", "2026-01-01"),
        ("2026-01-01", "2026-01-01T00:00:00Z"),
        ("2026-01-01T23:00:00+02:00", "2026-01-01T22:00:00Z"),
        ("2026-01-01T20:00:00-01:00", "2026-01-01T21:00:01Z"),
    ],
)
def test_dates_of_every_precision_have_an_order(earlier: str, later: str) -> None:
    assert instant(earlier) < instant(later)


@pytest.mark.parametrize(
    "value", ["", "yesterday", "2026-13-01", "2026-1-1", "20260101", "0001-01-01T00:00:00+14:00x", 5, None, []]
)
def test_what_is_no_date_is_none(value: object) -> None:
    assert day(value) == ""


@given(st.text(max_size=30))
def test_no_text_breaks_a_date(text: str) -> None:
    assert (instant(text) == "") == (day(text) == "")


def test_a_year_is_over_when_it_is_over() -> None:
    today = date(2026, 6, 1)
    assert is_past("2025", today)
    assert not is_past("2026", today)
    assert is_past("2026-05", today)
    assert is_past("2026-05-31", today)
    assert not is_past("2026-06-01", today)
    assert is_future("2026-06-03", today)
    assert not is_future("2026-06-02T01:00:00+14:00", today)


@pytest.mark.parametrize(
    ("at", "whole", "said"),
    [
        (date(2020, 2, 29), 0, "0 days"),
        (date(2020, 3, 28), 0, "28 days"),
        (date(2020, 3, 29), 0, "1 month"),
        (date(2021, 2, 28), 0, "11 months"),
        (date(2022, 3, 1), 2, "2 years 0 months"),
        (date(2038, 2, 28), 17, "17 years 11 months"),
        (date(2038, 3, 1), 18, "18 years"),
    ],
)
def test_age_of_one_born_on_a_leap_day(at: date, whole: int, said: str) -> None:
    born = date(2020, 2, 29)
    assert years(born, at) == whole
    assert age_in_words(born, at) == said


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"text": "Asthma", "coding": [{"display": "Bronchial asthma"}]}, "Asthma"),
        ({"coding": [{"code": "1"}, {"display": "Asthma"}]}, "Asthma"),
        ({"coding": [{"display": "A"}, {"display": "B", "userSelected": True}]}, "B"),
        ({"coding": [{"code": "195967001"}]}, "code 195967001"),
        ("Asthma", "Asthma"),
        ([{"text": "Asthma"}], "Asthma"),
        ({"text": 5, "coding": "x"}, ""),
        (None, ""),
    ],
)
def test_names_a_coded_thing(value: object, name: str) -> None:
    assert concept(value) == name


def test_shows_both_words_only_where_they_differ() -> None:
    assert full_concept({"text": "aspirin", "coding": [{"display": "Aspirin 81 MG"}]}) == "Aspirin 81 MG"
    assert full_concept({"text": "ASA", "coding": [{"display": "Aspirin"}]}) == "ASA (coded as Aspirin)"


def test_the_mark_of_a_hierarchy_is_no_part_of_a_name() -> None:
    coded = {"text": "Anemia", "coding": [{"display": "Anemia (disorder)"}]}
    assert full_concept(coded) == "Anemia"
    assert full_concept({"text": "Care plan (record artifact)"}) == "Care plan"
    assert full_concept({"text": "Pain (left knee)"}) == "Pain (left knee)"


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("mm[Hg]", "5 mmHg"),
        ("{INR}", "5"),
        ("10*3/uL", "5 ×10³/µL"),
        ("mL/min/{1.73_m2}", "5 mL/min/1.73 m²"),
        ("mg/dL", "5 mg/dL"),
        ("{cells}/uL", "5 {cells}/uL"),
    ],
)
def test_units_are_written_for_people(code: str, written: str) -> None:
    assert amount({"value": 5, "unit": code, "code": code}) == written
