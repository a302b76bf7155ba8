"""Slips in the words that ask for a look-up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.entities.grammar.cue_spelling import meant, respelled


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("waht are teh sife effcts of quetiapine", "what are the side effects of quetiapine"),
        ("any recruting clinical trails", "any recruiting clinical trials"),
        ("dose warfarin interact with aspirin", "does warfarin interact with aspirin"),
        ("contraindcations and warnngs", "contraindications and warnings"),
    ],
)
def test_a_slip_is_read_as_the_word(said: str, read: str) -> None:
    assert respelled(said).text == read


@pytest.mark.parametrize(
    "word",
    [
        "meditation",
        "creatine",
        "interest",
        "interesting",
        "patience",
        "residence",
        "warming",
        "safely",
        "studied",
        "lavatory",
        "allergic",
        "parents",
        "tonicity",
    ],
)
def test_a_word_of_its_own_stays(word: str) -> None:
    assert meant(word) == ""


@pytest.mark.parametrize(
    "said", ["we walked the trails", "the dose was too high", "size effects", "what dose of aspirin"]
)
def test_a_word_that_only_some_sentences_misspell_stays_elsewhere(said: str) -> None:
    assert not respelled(said).changed


def test_names_stay_as_they_are() -> None:
    assert respelled("labs for Effcts", [(9, 15)]).text == "labs for Effcts"


@given(st.lists(st.sampled_from(["side", "efects", "of", "intraction", "x", "warnngs", ",", "alergies"]), max_size=12))
def test_every_place_leads_back_to_the_original(said: list[str]) -> None:
    text = " ".join(said)
    spelled = respelled(text)
    assert len(spelled.places) == len(spelled.text)
    assert [*spelled.places] == sorted(spelled.places)
    for place, letter in enumerate(spelled.text):
        if letter in " ,x":
            assert text[spelled.places[place]] == letter
