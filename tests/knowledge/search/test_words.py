"""Words as they are compared and weighted."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.knowledge.search import english, vietnamese
from docgemma.knowledge.search.words import entry_words, number, question_words
from tests.knowledge.search.memory import entry

ONE_FORM = [
    ("tumour", "tumors"),
    ("anaemia", "anemia"),
    ("oesophagus", "esophagus"),
    ("hospitalised", "hospitalized"),
    ("fibre", "fibers"),
    ("diagnoses", "diagnosis"),
    ("diagnosing", "diagnose"),
    ("allergies", "allergy"),
    ("treated", "treating"),
    ("causes", "causing"),
    ("analyse", "analyze"),
    ("diarrhoea", "diarrhea"),
]
TWO_FORMS = [
    ("hypoglycemia", "hyperglycemia"),
    ("hypothyroidism", "hyperthyroidism"),
    ("prednisone", "prednisolone"),
    ("hydroxyzine", "hydralazine"),
    ("metformin", "metronidazole"),
    ("arthritis", "arthrosis"),
    ("clonidine", "clonazepam"),
]


@pytest.mark.parametrize(("one", "other"), ONE_FORM)
def test_forms_of_one_word_are_one(one: str, other: str) -> None:
    assert english.stem(one) == english.stem(other)


@pytest.mark.parametrize(("one", "other"), TWO_FORMS)
def test_drugs_and_diseases_that_look_alike_stay_two(one: str, other: str) -> None:
    assert english.stem(one) != english.stem(other)
    assert english.skeleton(english.stem(one)) != english.skeleton(english.stem(other))


@pytest.mark.parametrize(
    ("typed", "meant"), [("alzhiemers", "Alzheimer's"), ("wiplash", "whiplash"), ("galstone", "gallstones")]
)
def test_a_misspelt_name_still_meets_its_entry(typed: str, meant: str) -> None:
    assert set(question_words(typed, "en")) & set(entry_words(entry("a", f"What is {meant}?")))


@pytest.mark.parametrize(
    ("text", "form"),
    [("type II diabetes", "type2"), ("Type 2 diabetes", "type2"), ("vitamin D", "vitamind"), ("an X-ray", "xrai")],
)
def test_what_hangs_together_is_one_word(text: str, form: str) -> None:
    assert form in english.words(text)


def test_types_of_one_disease_are_two() -> None:
    assert "type1" not in english.words("type 2 diabetes")


def test_a_word_has_the_same_number_in_every_process() -> None:
    code = "from docgemma.knowledge.search.words import number; print(number('diabet'))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) == number("diabet")
    assert 0 <= number("diabet") < 2**32


def test_a_word_of_the_question_weighs_more_than_one_of_the_answer() -> None:
    asked = entry_words(entry("a", "What is gout?", "A painful joint."))
    told = entry_words(entry("b", "What is this?", "Gout is a painful joint."))
    assert asked[number("gout")] > told[number("gout")]


def test_a_long_answer_makes_each_of_its_words_weigh_less() -> None:
    short = entry_words(entry("a", "What is this?", "Gout hurts."))
    long = entry_words(entry("b", "What is this?", "Gout hurts. " + "Other words follow here at length. " * 200))
    assert short[number("gout")] > long[number("gout")]


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("what is high blood pressure", "hypertension"),
        ("htn", "hypertension"),
        ("my blood sugar", "blood glucose"),
        ("bleeding nose", "epistaxis"),
        ("heart attack", "myocardial infarction"),
        ("sx of mi", "myocardial infarction"),
    ],
)
def test_what_patients_say_finds_what_clinicians_write(typed: str, written: str) -> None:
    assert {number(word) for word in english.words(written)} <= set(question_words(typed, "en"))


def test_another_name_weighs_less_than_what_was_typed() -> None:
    words = question_words("hypertension", "en")
    assert words[number("hypertension")] > words[number("pressur")] > 0


def test_vietnamese_without_marks_meets_vietnamese_with_marks() -> None:
    written = set(entry_words(entry("a", "Tiểu đường là gì?", language="vi")))
    assert number("~tieu duong") in written
    assert number("~tieu duong") in question_words("tieu duong la gi", "vi")


def test_vietnamese_with_marks_is_not_taken_for_another_word() -> None:
    """ "chưa" asks whether, "chữa" is to treat: only typed plain they are one."""
    assert number("điều trị") not in question_words("bạn ăn cơm chưa", "vi")
    assert number("điều trị") in question_words("chữa sâu răng", "vi")


def test_composed_and_decomposed_letters_are_one() -> None:
    assert question_words("tiểu đường", "vi") == question_words("tiểu đường", "vi")


def test_vietnamese_names_of_one_disease_meet() -> None:
    assert number("tiểu đường") in question_words("đái tháo đường", "vi")
    assert number("~tieu duong") in question_words("dai thao duong", "vi")


@given(st.text(max_size=200), st.sampled_from(["en", "vi"]))
def test_any_text_has_weights_that_an_index_takes(text: str, language: str) -> None:
    words = question_words(text, "vi" if language == "vi" else "en")
    assert all(0 <= word < 2**32 and 0 < weight < 100 for word, weight in words.items())


@given(st.text(alphabet="aeiouydhbcnstr'-", min_size=1, max_size=30))
def test_any_word_is_stemmed_to_something(word: str) -> None:
    assert all(english.words(word)) or english.words(word) == []


@given(st.text(max_size=50))
def test_plain_syllables_are_plain_whatever_was_typed(text: str) -> None:
    for syllable in vietnamese.syllables(text):
        assert vietnamese.plain(vietnamese.plain(syllable)) == vietnamese.plain(syllable)
