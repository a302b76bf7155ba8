"""Where one request ends and the next begins."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.entities.grammar.parts import parts


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("check warfarin warnings and find studies on statins", ["check warfarin warnings", "find studies on statins"]),
        ("check warfarin warnings find studies on statins", ["check warfarin warnings", "find studies on statins"]),
        ("is X safe in CKD and are there trials for it?", ["is X safe in CKD", "are there trials for it"]),
        ("she's on warfarin, ok to give aspirin?", ["she's on warfarin", "ok to give aspirin"]),
        ("my pt is pregnant can she take doxycycline", ["my pt is pregnant", "can she take doxycycline"]),
        ("1. chart for abc-123 2. trials for gout", ["chart for abc-123", "trials for gout"]),
        (
            "studies on metformin in PCOS, trials for PCOS, and metformin side effects",
            ["studies on metformin in PCOS", "trials for PCOS", "metformin side effects"],
        ),
        ("find trials for melanoma and her labs", ["find trials for melanoma", "her labs"]),
    ],
)
def test_a_new_request_begins_a_new_part(text: str, pieces: list[str]) -> None:
    assert [part.text for part in parts(text)] == pieces


@pytest.mark.parametrize(
    "text",
    [
        "interactions of warfarin and aspirin",
        "warnings and interactions of warfarin",
        "check warfarin, digoxin and lithium",
        "trials for head and neck cancer",
        "studies on efficacy and safety of apixaban in CKD",
        "studies and trials on gout",
        "labs and meds for abc-123",
        "what did the CT report show for abc-123",
        "what should i start first",
        "charts of abc-123 and John Smith",
    ],
)
def test_a_list_stays_one_request(text: str) -> None:
    assert [part.text for part in parts(text)] == [text]


@given(st.text(alphabet=st.sampled_from("abc ,.?;:-()\n123and find is her labs"), max_size=200))
@settings(max_examples=150, deadline=None)
def test_parts_are_places_of_the_text_in_order(text: str) -> None:
    found = parts(text)
    assert all(text[part.start : part.end] == part.text for part in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
