"""Two spellings of one name have one key; two names do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.terminology.names.keys import key, words
from docgemma.terminology.names.stems import bag, stems


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alzheimer's disease", "Alzheimer disease"),
        ("Alzheimer’s Disease", "alzheimer disease"),
        ("β-blocker", "beta-blocker"),
        ("Sjögren syndrome", "Sjogren Syndrome"),
        ("haemophilia", "hemophilia"),
        ("oesophageal tumour", "esophageal tumor"),
        ("anaemias", "anemia"),
        ("type II diabetes", "type 2 diabetes"),
        ("non-small-cell carcinomas", "non small cell carcinoma"),
        ("stenoses", "stenosis"),
    ],
)
def test_spellings_of_one_name(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("type 1 diabetes", "type 2 diabetes"), ("hypotension", "hypertension"), ("factor V", "factor VIII")],
)
def test_names_that_differ(one: str, other: str) -> None:
    assert key(one) != key(other)
    assert bag(one) != bag(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cancer of the breast", "breast cancer"),
        ("hypertensive", "hypertension"),
        ("psychotic", "psychosis"),
        ("Anemia, Hemolytic", "haemolytic anaemia"),
        ("renal insufficiency", "insufficient renal"),
    ],
)
def test_bags_forgive_order_small_words_and_endings(one: str, other: str) -> None:
    assert bag(one) == bag(other)


@given(st.text(max_size=60))
def test_the_key_of_a_phrase_is_made_of_the_keys_of_its_words(text: str) -> None:
    assert key(text) == " ".join(words(text))
    assert key(f"{text} kidney") == f"{key(text)} kidney".strip()


@given(st.text(max_size=60))
def test_nothing_breaks_a_name(text: str) -> None:
    assert all(stem for stem in stems(text))
