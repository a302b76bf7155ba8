"""From a question to entries that fit."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.search.searching import LONGEST
from tests.knowledge.search.memory import ROLE, entry, searcher

EN, VI = Scope((ROLE,), "en"), Scope((ROLE,), "vi")

BASE = [
    entry("gout-what", "What is gout?", "Gout is a painful joint disease from uric acid crystals."),
    entry("gout-treat", "How is gout treated?", "Gout is treated with medicines against pain and uric acid."),
    entry("gout-cause", "What causes gout?", "Uric acid builds up in the blood and forms crystals in a joint."),
    entry("hyper", "What is hypertension?", "High blood pressure that stays above the usual limit."),
    entry("t1", "How is type 1 diabetes treated?", "With insulin, every day."),
    entry("t2", "How is type 2 diabetes treated?", "With diet, exercise and often tablets."),
    entry("low", "What are the signs of low blood sugar?", "Shaking, sweating, hunger and confusion."),
    entry("high", "What are the signs of high blood sugar?", "Thirst, passing much urine and tiredness."),
    entry("warfarin", "What should I know about warfarin?", "Warfarin thins the blood. Keep your blood test visits."),
    entry("tieu-duong", "Tiểu đường là gì?", "Bệnh làm đường trong máu tăng cao kéo dài.", "vi"),
    entry("sau-rang", "Vì sao răng bị sâu?", "Vi khuẩn biến đường thành axit làm hỏng răng.", "vi"),
    entry("huyet-ap", "Cao huyết áp có nguy hiểm không?", "Có, nó làm tăng nguy cơ đột quỵ.", "vi"),
]


async def best(question: str, scope: Scope = EN) -> str:
    fitting = (await searcher(BASE).search(question, scope, limit=5)).fitting
    return fitting[0].entry.id if fitting else ""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what is gout", "gout-what"),
        ("how do you treat gout", "gout-treat"),
        ("why do people get gout?", "gout-cause"),
        ("what is high blood pressure", "hyper"),
        ("treatment of type II diabetes", "t2"),
        ("treatment of type 1 diabetes", "t1"),
        ("signs of hypoglycaemia", "low"),
        ("signs of high blood glucose", "high"),
        ("tell me about warfarin", "warfarin"),
    ],
)
async def test_finds_the_entry_that_answers(question: str, expected: str) -> None:
    assert await best(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Tiểu đường là gì?", "tieu-duong"),
        ("tieu duong la gi", "tieu-duong"),
        ("bệnh đái tháo đường là gì", "tieu-duong"),
        ("tăng huyết áp nguy hiểm thế nào", "huyet-ap"),
        ("vi sao rang bi sau", "sau-rang"),
    ],
)
async def test_finds_it_in_vietnamese_with_and_without_marks(question: str, expected: str) -> None:
    assert await best(question, VI) == expected


@pytest.mark.parametrize(
    "question",
    [
        "what is scleroderma",
        "how is Addison disease treated",
        "what causes malaria",
        "what should I know about apixaban",
        "how do I repot a rubber plant",
        "asdf qwer zxcv",
    ],
)
async def test_another_disease_or_drug_does_not_fit_because_the_rest_agrees(question: str) -> None:
    assert await best(question) == ""


@pytest.mark.parametrize("question", ["", "   ", "?!", "the of and", "\n\t"])
async def test_a_question_that_says_nothing_finds_nothing(question: str) -> None:
    assert (await searcher(BASE).search(question, EN, limit=5)).found == ()


async def test_what_fits_comes_first_and_relevance_is_a_share() -> None:
    found = (await searcher(BASE).search("how is gout treated", EN, limit=10)).found
    assert [each.fits for each in found] == sorted((each.fits for each in found), reverse=True)
    assert all(0 <= each.relevance <= 1 for each in found)


async def test_the_same_answer_is_given_once() -> None:
    twice = [
        *BASE,
        entry("gout-again", "Gout: what is it?", "Gout is a  painful joint disease from uric acid crystals."),
    ]
    found = (await searcher(twice).search("what is gout", EN, limit=10)).found
    assert len({each.entry.id for each in found} & {"gout-what", "gout-again"}) == 1


async def test_an_entry_that_was_withdrawn_is_not_shown() -> None:
    found = (await searcher(BASE, gone=frozenset({"gout-what"})).search("what is gout", EN, limit=10)).found
    assert "gout-what" not in {each.entry.id for each in found}


async def test_an_entry_that_moved_to_another_topic_is_not_shown_in_the_old_one() -> None:
    narrow = Scope((ROLE,), "en", topic="Joints")
    assert (await searcher(BASE).search("what is gout", narrow, limit=10)).found == ()


async def test_only_the_beginning_of_a_long_question_is_searched() -> None:
    long = "what is gout " + "x" * (LONGEST - 13) + " warfarin " * 100
    assert {each.entry.id for each in (await searcher(BASE).search(long, EN, limit=10)).found} & {"gout-what"}


async def test_says_that_it_searched_by_words_alone() -> None:
    assert (await searcher(BASE).search("what is gout", EN, limit=1)).by == "words"


async def test_no_question_reaches_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await searcher(BASE).search("what is gout in Mrs Miller", EN, limit=1)
    assert "Miller" not in caplog.text


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120))
async def test_any_question_is_answered_with_entries_of_its_scope(question: str) -> None:
    for scope in (EN, VI):
        for each in (await searcher(BASE).search(question, scope, limit=5)).found:
            assert (each.entry.role, each.entry.language) == (ROLE, scope.language)
            assert 0 <= each.relevance <= 1
