"""A query keeps what the user asked about, whoever makes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import docgemma.knowledge
from docgemma.knowledge.consult.leaning import needs_context, with_context
from docgemma.knowledge.consult.meaning import strays
from docgemma.knowledge.consult.nodes.create_query import create_query
from docgemma.knowledge.entry import Language
from tests.knowledge.consult.library import Model, runtime, state, turns

DEMO = Path(docgemma.knowledge.__file__).parent / "demo"
BEFORE = ("How much metformin 500 mg may I take?",)
LEANS: list[tuple[Language, str, bool]] = [
    ("en", "What about children?", True),
    ("en", "And at night?", True),
    ("en", "Does it interact with ibuprofen?", True),
    ("en", "How long should I take that medicine after surgery?", True),
    ("en", "Why?", True),
    ("en", "Side effects?", True),
    ("en", "Are there any risks?", True),
    ("en", "Can pregnant women use it?", True),
    ("en", "How can I treat that at home?", True),
    ("en", "What is hypertension?", False),
    ("en", "What causes tooth decay and how can I prevent it?", False),
    ("en", "My filling fell out. Is it urgent?", False),
    ("en", "What can I do about bad breath that keeps coming back?", False),
    ("en", "How long do tooth fillings usually last?", False),
    ("en", "Is it safe to take ibuprofen for a toothache?", False),
    ("en", "Which foods raise the blood sugar of people with diabetes?", False),
    ("vi", "Còn trẻ em thì sao?", True),
    ("vi", "Thế còn phụ nữ mang thai?", True),
    ("vi", "Thuốc đó có tác dụng phụ gì không?", True),
    ("vi", "Tại sao?", True),
    ("vi", "con tre em thi sao?", True),
    ("vi", "Có nguy hiểm không?", True),
    ("vi", "Phụ nữ có thai dùng được không?", True),
    ("vi", "Suy tim là gì?", False),
    ("vi", "Trám răng được làm như thế nào?", False),
    ("vi", "Bệnh đái tháo đường có lây từ người này sang người khác qua đường ăn uống không?", False),
    ("vi", "Miếng trám răng bằng sứ dùng được bao lâu?", False),
]


@pytest.mark.parametrize(("language", "question", "leans"), LEANS)
def test_which_questions_lean_on_the_conversation(language: Language, question: str, leans: bool) -> None:
    earlier = ("Why do my gums bleed?",)
    assert needs_context(question, earlier, language) is leans
    assert not needs_context(question, (), language)


STRAYS: list[tuple[str, str, Language, str]] = [
    ("Is metformin 500 mg safe?", "Is metformin 500 mg safe to take?", "en", ""),
    ("Is Advil safe for my toothache?", "safety of ibuprofen for toothache", "en", ""),
    ("And with ibuprofen?", "Can I take metformin with ibuprofen?", "en", ""),
    ("Is metformin 500 mg safe?", "Is 500 mg safe?", "en", "a drug was lost"),
    ("Is metformin 500 mg safe?", "Is metformin safe?", "en", "a number was lost"),
    ("Is metformin safe?", "Is metformin with warfarin safe?", "en", "a drug was added"),
    ("Is metformin safe?", "Is metformin 850 mg safe?", "en", "a number was added"),
    ("What is the capital of France?", "capital of France, why do gums bleed", "en", "another subject was added"),
    ("Why does my visitor sing under the bridge?", "colour of a lemon", "en", "most words were lost"),
    ("Tôi dùng metformin 500 mg được không?", "dùng metformin 1.000 mg", "vi", "a number was lost"),
    ("Trẻ em bị sâu răng phải làm sao?", "trẻ em bị sâu răng cần làm gì", "vi", ""),
]


@pytest.mark.parametrize(("question", "query", "language", "why"), STRAYS)
def test_a_query_that_asks_something_else_is_seen(question: str, query: str, language: Language, why: str) -> None:
    assert strays(query, question, BEFORE, language) == why


async def test_a_query_of_the_model_that_strays_is_not_used() -> None:
    strayed = {"retrieval_query": "warfarin overdose", "confidence": "high", "reason": "better"}
    before = turns("Can I take ibuprofen for toothache?", "Yes.")
    given = state("What about children?", conversation_history=before, create_retrieval_query_reason="it leans")
    update = await create_query(given, runtime(llm=Model(create_query=strayed)))
    assert "warfarin" not in update["retrieval_query"]
    assert "ibuprofen" in update["retrieval_query"]
    assert "not used" in update["timeline"][0].detail
    assert update["original_query"] == "What about children?"


async def test_the_topic_is_forgotten_with_a_new_query() -> None:
    given = state("How do fillings last?", demuc="Gums", chu_de_con="Bleeding", create_retrieval_query_reason="again")
    update = await create_query(given | {"retrieve_attempts": 1}, runtime())
    assert (update["demuc"], update["chu_de_con"], update["classification_confidence"]) == ("", "", None)


def test_the_context_goes_back_to_a_question_that_stands_alone() -> None:
    earlier = ("Can I take ibuprofen for a toothache?", "And in pregnancy?")
    assert "ibuprofen" in with_context("What about children?", earlier, "en")


def test_the_questions_that_ship_stand_alone() -> None:
    """Each was written to be understood without any other."""
    shipped = [
        json.loads(line) for path in sorted(DEMO.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    assert shipped
    leaning = [row["question"] for row in shipped if needs_context(row["question"], ("Who?",), row["language"])]
    assert len(leaning) <= len(shipped) // 50, leaning
