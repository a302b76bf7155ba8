"""What holds for adults is no answer for a child, nor the usual target in pregnancy."""

from __future__ import annotations

import pytest

from docgemma.knowledge.search.people import for_others, groups


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hypertension in pregnancy target", {"pregnancy"}),
        ("Asthma treatment in a 3 year old", {"children"}),
        ("Fever in a 2 month old", {"children"}),
        ("mach binh thuong cua tre em", {"children"}),
        ("đang cho con bú nhổ răng được không", {"breastfeeding"}),
        ("còn người lớn thì sao?", {"adults"}),
        ("HbA1c target in a frail 85 year old", set()),
        ("what is hypertension", set()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whom_a_text_speaks_of(text: str, expected: set[str]) -> None:
    assert groups(text) == expected


@pytest.mark.parametrize(
    ("question", "title", "answer", "other"),
    [
        ("BP target in pregnancy", "What blood pressure target?", "Below 140/90 mmHg.", True),
        (
            "BP target in pregnancy",
            "What blood pressure target?",
            "Below 140/90; in pregnancy ask others.",
            False,
        ),
        ("toothpaste for adults", "How much toothpaste for a child?", "A pea-sized amount.", True),
        ("toothpaste for adults", "How much toothpaste?", "A pea-sized amount.", False),
        ("BP target", "Blood pressure in pregnancy", "…", False),
    ],
    ids=["silent", "spoken of", "a child's for an adult", "for anybody", "nobody in particular"],
)
def test_an_entry_for_others_is_noticed(question: str, title: str, answer: str, other: bool) -> None:
    assert for_others(groups(question), title, answer) is other
