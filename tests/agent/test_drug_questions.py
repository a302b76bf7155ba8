"""Questions about drugs wherever they stand in a message, with or without a question mark, and what is none."""

from __future__ import annotations

import pytest

from docgemma.agent.requests.question_mood import asks_within
from docgemma.entities import extract
from tests.agent.spoken import Row, calls, same, table
from tests.support.tables import each_of


@each_of("row", table("drug_questions"), ids=lambda row: row.said[-1])
def test_a_question_about_drugs_is_looked_up_and_nothing_else_is(row: Row) -> None:
    (message,) = row.said
    made = calls(message, pinned=row.pinned)
    assert same(made, row.calls), made


@each_of("row", table("drug_questions"), ids=lambda row: row.said[-1])
def test_a_question_about_drugs_never_becomes_a_write(row: Row) -> None:
    assert extract(row.said[-1]).writes == ()


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("72F, AF, is on apixaban", "72F, AF, on apixaban, am i ok giving that"),
        ("warned him about alcohol with metronidazole", "patient want tramadol, is possible"),
        ("he is on clopidogrel, fine since the stent", "on clopidogrel, ok with omeprazole"),
        ("patient asked me about her metformin", "patient asked me if metformin harms the baby"),
    ],
)
def test_mood_is_read_from_the_words_and_not_from_the_mark(told: str, asked: str) -> None:
    assert not asks_within(told, extract(told).drugs)
    assert asks_within(asked, extract(asked).drugs)
