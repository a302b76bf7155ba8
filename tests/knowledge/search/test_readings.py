"""What a number on a meter means, and that the opposite is never found for it."""

from __future__ import annotations

import pytest

from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.search.readings import levels, readings, subject
from tests.knowledge.search.memory import ROLE, entry, searcher

HIGH, LOW = ("glucose", "high"), ("glucose", "low")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my blood sugar is 500, what should I do?", [HIGH]),
        ("my bs is 45 and im shaking", [LOW]),
        ("sugar 2.3 and I feel drunk", [LOW]),
        ("blood glucose 18 mmol/L", [HIGH]),
        ("đường huyết của tôi 25", [HIGH]),
        ("duong huyet 400", [HIGH]),
        ("đường huyết 2,1", [LOW]),
        ("meter says HI", [HIGH]),
        ("my meter shows LO", [LOW]),
        ("BP 190/120", [("pressure", "high")]),
        ("huyết áp 80/50", [("pressure", "low")]),
        ("blood sugar 110 before breakfast", []),
        ("sugar 7.2 after lunch", []),
        ("BP 128/76", []),
        ("5/6 of the tablets", []),
        ("type 2 diabetes", []),
        ("metformin 500 mg", []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_only_values_beyond_doubt_mean_something(text: str, expected: list[tuple[str, str]]) -> None:
    assert list(readings(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("high sugar at night", {"high"}),
        ("duong huyet cao phai lam gi", {"high"}),
        ("tăng đường huyết", {"high"}),
        ("hạ đường huyết", {"low"}),
        ("tut duong", {"low"}),
        ("làm sao để hạ đường huyết", {"high"}),
        ("how do I lower my sugar", {"high"}),
        ("hypoglycaemia", {"low"}),
        ("what is hypertension", set()),
        ("gum disease", set()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_to_lower_something_means_that_it_is_high(text: str, expected: set[str]) -> None:
    assert levels(text) == expected


def test_phrases_that_name_no_subject_make_no_entry_fit() -> None:
    assert "red flags" not in subject("neck pain red flags", "en")
    assert subject("red flags", "en") == "red flags"
    assert "xử trí" not in subject("tăng đường huyết xử trí", "vi")


BASE = [
    entry("feel", "Vì sao tôi hạ đường huyết mà không còn cảm thấy gì?", "Do bị hạ nhiều lần.", "vi"),
    entry("sick", "Khi bị cảm, sốt, ốm thì người tiểu đường phải làm gì?", "Đo đường thường xuyên hơn.", "vi"),
    entry("low", "What should I do when my blood sugar is low?", "Eat 15 g of sugar."),
    entry("high", "What should I do when my blood sugar is high?", "Drink water and test again."),
    entry("ha", "Khi bị hạ đường huyết tôi phải làm gì?", "Ăn 15 g đường.", "vi"),
    entry("cao", "Đường huyết cao có dấu hiệu gì và phải làm sao?", "Uống nước và đo lại.", "vi"),
]


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("my blood sugar is 500 what should I do", "en", "high"),
        ("my blood sugar is 45 what should I do", "en", "low"),
        ("duong huyet cao phai lam gi", "vi", "cao"),
        ("đường huyết 18 mmol/L phải làm gì", "vi", "cao"),
        ("tụt đường huyết phải làm gì", "vi", "ha"),
    ],
)
async def test_the_opposite_never_leads(question: str, language: str, expected: str) -> None:
    scope = Scope((ROLE,), language)  # type: ignore[arg-type]
    found = (await searcher(BASE).search(question, scope, limit=5)).found
    opposite = {"low": "high", "high": "low", "cao": "ha", "ha": "cao"}[expected]
    assert found[0].entry.id == expected
    assert not any(each.fits for each in found if each.entry.id == opposite)
