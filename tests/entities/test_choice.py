"""Answers to a clarification, as people give them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.clinical import Option
from docgemma.entities.choice import pick
from docgemma.entities.words import word_set
from tests.support.tables import each_of


def _patient(name: str, born: str, sex: str, ident: str, tail: str) -> Option:
    facts = {"name": name, "birth_date": born, "sex": sex, "patient_id": ident, "mrn_tail": tail}
    return Option(label=f"{name}, born {born}, {sex}, MRN …{tail}", value=ident, facts=facts)


_PEOPLE = [
    _patient("James Wilson", "1955-03-02", "male", "p-1", "4432"),
    _patient("James Wilson", "1960-07-11", "male", "p-2", "9981"),
    _patient("Jamés Wilson-Lee", "1980-01-01", "female", "abc-123", "1000"),
]
_DRUGS = [Option(label=name, value=name) for name in ("hydroxyzine", "hydralazine")]


@each_of(
    ("answer", "picked"),
    [
        ("2", "p-2"),
        ("#2", "p-2"),
        ("option 2", "p-2"),
        ("it's number 2", "p-2"),
        ("two", "p-2"),
        ("the second one", "p-2"),
        ("the last one please", "abc-123"),
        ("I mean the first", "p-1"),
        ("abc-123", "abc-123"),
        ("patient abc-123", "abc-123"),
        ("p-2", "p-2"),
        ("MRN ending 9981", "p-2"),
        ("Lee", "abc-123"),
        ("james wilson-lee", "abc-123"),
        ("born 1955", "p-1"),
        ("1955-03-02", "p-1"),
        ("the one born in March 1955", "p-1"),
        ("02/03/1955", "p-1"),
        ("James Wilson born 1960", "p-2"),
        ("the woman", "abc-123"),
        ("the second one, born 1960", "p-2"),
        ("2.", "p-2"),
        ("(2)", "p-2"),
        ("no 2", "p-2"),
        ("no. 2 please", "p-2"),
        ("2 pls", "p-2"),
        ("2nd", "p-2"),
        ("2nd one thx", "p-2"),
        ("first one pls", "p-1"),
        ("go with 2", "p-2"),
        ("i'll take 2", "p-2"),
        ("b", "p-2"),
        ("B)", "p-2"),
        ("option b", "p-2"),
        ("the top one", "p-1"),
        ("the middle one", "p-2"),
        ("the bottom one", "abc-123"),
        ("the oldest", "p-1"),
        ("youngest one please", "abc-123"),
        ("the oldest James", "p-1"),
        ("the older man", "p-1"),
        ("the younger gentleman", "p-2"),
        ("the lady", "abc-123"),
        ("female", "abc-123"),
        ("dob 2/3/55", "p-1"),
        ("2/3/55", "p-1"),
        ("2 march 1955", "p-1"),
        ("march '55", "p-1"),
        ("born in 60", "p-2"),
        ("11-07-1960", "p-2"),
        ("11 Jul 60", "p-2"),
        ("4432", "p-1"),
        ("ending in 432", "p-1"),
        ("MRN 9981", "p-2"),
        ("last name wilson-lee", "abc-123"),
        ("wilson-lee please", "abc-123"),
        ("patient 3", "abc-123"),
    ],
)
def test_an_answer_picks_one(answer: str, picked: str) -> None:
    choice = pick(answer, _PEOPLE)
    assert choice is not None
    assert choice.value == picked


@pytest.mark.parametrize(
    "answer",
    [
        "James Wilson",
        "male",
        "the second one, born 1955",
        "second or third",
        "5",
        "0",
        "xyz-999",
        "none of them",
        "no",
        "yes",
        "",
        "check warfarin instead",
        "John Smith",
        "what is hypertension?",
        "prescribe 2 tablets",
        "born 1999",
        "the older one",
        "the older James",
        "the younger one, born 1955",
        "not the first one",
        "not 2",
        "neither",
        "both",
        "f or m",
        "2 or 3",
        "2 tablets",
        "g",
        "the older woman",
        "dob 2/3/56",
        "born at 2",
        "the 1955 woman",
    ],
)
def test_doubt_contradiction_and_new_requests_pick_none(answer: str) -> None:
    assert pick(answer, _PEOPLE) is None


def test_the_age_of_today_picks_whoever_has_it() -> None:
    year = date.today().year
    people = [_patient("Ann Lee", f"{year - 70}-01-01", "female", "p-1", "1111"), *_PEOPLE[1:2]]
    picked = pick("the 70 year old", people)
    assert picked is not None
    assert picked.value == "p-1"
    assert pick("the 12 yo", people) is None


def test_father_and_son_are_told_apart_by_junior_and_senior() -> None:
    people = [
        _patient("John Smith Sr", "1930-01-01", "male", "p-1", "1111"),
        _patient("John Smith Jr", "1960-01-01", "male", "p-2", "2222"),
    ]
    for answer, value in (
        ("the senior", "p-1"),
        ("jr", "p-2"),
        ("John Smith Junior", "p-2"),
        ("the younger one", "p-2"),
    ):
        picked = pick(answer, people)
        assert picked is not None
        assert picked.value == value
    assert pick("John Smith", people) is None


def test_a_year_that_is_another_ones_record_number_picks_none() -> None:
    people = [
        _patient("Ann Lee", "1960-01-01", "female", "p-1", "1111"),
        _patient("Ann Lee", "1970-01-01", "female", "p-2", "1960"),
    ]
    assert pick("1960", people) is None
    born = pick("born 1960-01-01", people)
    assert born is not None
    assert born.value == "p-1"


def test_a_drug_is_picked_by_its_name_or_by_yes_to_the_only_one() -> None:
    choice = pick("hydralazine", _DRUGS)
    assert choice is not None
    assert choice.value == "hydralazine"
    assert pick("yes", _DRUGS) is None
    assert pick("Yes.", _DRUGS[:1]) == _DRUGS[0]
    assert pick("2", []) is None


@pytest.mark.parametrize(
    "answer",
    ["yes that's her", "yep thats the one", "correct, him", "that's right go ahead", "yeah its her", "go ahead"],
)
def test_the_only_one_offered_is_confirmed_in_many_words(answer: str) -> None:
    assert pick(answer, _PEOPLE[:1]) == _PEOPLE[0]
    assert pick(answer, _PEOPLE) is None


@pytest.mark.parametrize("answer", ["no not her", "nope thats not her", "not him", "wrong patient", "thanks", "ok"])
def test_a_refusal_or_thanks_confirm_nobody(answer: str) -> None:
    assert pick(answer, _PEOPLE[:1]) is None


_WORDS = sorted(
    word_set(
        "2 second b older youngest man woman born 55 2/3/55 1955 4432 James Lee pls the one # no not 70 yo '60 mrn"
    )
)


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(_WORDS), max_size=8).map(" ".join)))
@settings(max_examples=200, deadline=None)
def test_any_answer_is_read_and_picks_one_of_the_options_or_none(answer: str) -> None:
    assert pick(answer, _PEOPLE) in (None, *_PEOPLE)
