"""Where a text is cut for a reader."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.entities.cutting import MARK, beginning, shortened


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("Rest. Drink water. Sleep well.", 22, "Rest. Drink water. …"),
        ("Rest. Drink water.", 18, "Rest. Drink water."),
        ("Take it with food, at night, and never with milk", 40, "Take it with food, at night, …"),
        ("Take no more than 4 000 mg a day", 24, "…"),
        ("You should do not harm anybody", 16, "You …"),
        ("It is safe, not harmless, for adults", 20, "It …"),
        ("Take it daily, unless you are pregnant", 34, "Take it daily, unless you …"),
        ("Rest. Stop if you have: fever", 27, "Rest. …"),
        ("Rest. Is it safe? No, it kills.", 24, "Rest. …"),
        ("- rest\n- sleep\n- drink", 18, "- rest\n- sleep …"),
        ("Uống sau ăn, không uống quá 4 viên", 20, "Uống sau …"),
        ("x" * 50, 12, "x" * 10 + MARK),
    ],
    ids=["sentence", "whole", "clause", "number", "denial", "not", "unless", "heading", "asked", "list", "vi", "word"],
)
def test_a_cut_changes_no_meaning(text: str, most: int, shown: str) -> None:
    assert shortened(text, most) == shown


PIECES = st.lists(
    st.sampled_from(
        [
            "Take",
            "4 000 mg",
            "15 mg/kg",
            "do not",
            "stop",
            "0.5 ml",
            "a day",
            "không dùng",
            "hơn 3 viên",
            "it.",
            "food,",
            "or\n",
        ]
    ),
    min_size=1,
    max_size=60,
)


@given(PIECES, st.integers(10, 200))
def test_no_number_loses_its_unit_and_no_denial_its_verb(pieces: list[str], most: int) -> None:
    text = " ".join(pieces)
    kept = beginning(text, most)
    assert text.startswith(kept)
    assert len(shortened(text, most)) <= max(most, len(MARK))
    if kept != text.rstrip():
        assert not re.search(r"\d$|\b(?:do|not|không|hơn)$", kept)
