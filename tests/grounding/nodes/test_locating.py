"""Code finds the words that a model copied."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.grounding.locating import locate

CASES: dict[str, tuple[str, list[str], list[str | None]]] = {
    "plain": ("No gout here", ["gout"], ["gout"]),
    "case": ("Type 2 Diabetes", ["type 2 diabetes"], ["Type 2 Diabetes"]),
    "blanks": ("type 2\n  diabetes", ["type 2 diabetes"], ["type 2\n  diabetes"]),
    "dash and quote": ("Crohn’s non–small cell", ["Crohn's", "non-small cell"], ["Crohn’s", "non–small cell"]),
    "whole words": ("previous PR status", ["PR"], ["PR"]),
    "not inside a word": ("previous", ["PR"], [None]),
    "not inside a number": ("CD19 or CD195", ["CD19", "CD195"], ["CD19", "CD195"]),
    "ending": ("seizures or diabetes", ["seizure"], ["seizures"]),
    "not a longer word": ("cardiomyopathy", ["cardio"], [None]),
    "absent": ("No gout", ["asthma"], [None]),
    "empty": ("No gout", ["  "], [None]),
    "longer than the text": ("gout", ["gout gout"], [None]),
    "signs": ("HER2+ and (PD-L1)", ["HER2+", "PD-L1"], ["HER2+", "PD-L1"]),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_found_as_it_stands(case: str) -> None:
    text, wanted, expected = CASES[case]
    spans = locate(text, [(words, 0, 0) for words in wanted])
    assert [text[span[0] : span[1]] if span else None for span in spans] == expected


def test_the_same_words_twice_are_two_places() -> None:
    text = "gout, or a history of gout"
    assert locate(text, [("gout", 0, 0)] * 3) == [(0, 4), (22, 26), None]


def test_a_place_of_its_own_is_preferred_to_one_inside_another_entity() -> None:
    text = "type 2 diabetes or insipid diabetes"
    assert locate(text, [("type 2 diabetes", 0, 0), ("diabetes", 0, 0)]) == [(0, 15), (27, 35)]
    assert locate("EGFR mutation", [("EGFR mutation", 0, 0), ("EGFR", 0, 0)]) == [(0, 13), (0, 4)]


def test_a_claimed_place_counts_only_where_the_words_stand() -> None:
    text = "gout, or a history of gout"
    assert locate(text, [("gout", 22, 26)]) == [(22, 26)]
    assert locate(text, [("gout", 5, 9)]) == [(0, 4)]
    assert locate(text, [("gout", -4, 99)]) == [(0, 4)]


@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=8), st.integers(-5, 70), st.integers(-5, 70))))
def test_any_text_is_survived_and_spans_lie_within(text: str, wanted: list[tuple[str, int, int]]) -> None:
    for span in locate(text, wanted):
        assert span is None or 0 <= span[0] < span[1] <= len(text)


@given(st.text(max_size=40), st.data())
def test_words_cut_out_of_the_text_are_found_again(text: str, data: st.DataObject) -> None:
    words = text.split()
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    wanted = " ".join(words[first : last + 1])
    if all(letter.isprintable() for letter in wanted) and len(wanted.lower()) == len(wanted):
        assert locate(text, [(wanted, 0, 0)]) != [None]
