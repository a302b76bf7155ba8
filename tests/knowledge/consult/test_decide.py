"""Small talk is answered by code; everything else is looked up, whatever a model says."""

from __future__ import annotations

import pytest

from docgemma.knowledge.consult.chat import is_chat, kind_of, may_be_chat
from docgemma.knowledge.consult.nodes.decide import decide
from docgemma.knowledge.entry import Language
from tests.knowledge.consult.library import Model, runtime, state, turns

DIRECT = {"action": "direct_response", "context_summary": ""}
CHAT = [
    ("Hello", "greeting"),
    ("hi there!", "greeting"),
    ("How are you?", "greeting"),
    ("thanks a lot", "thanks"),
    ("bye", "farewell"),
    ("who are you?", "about"),
    ("What can you do?", "about"),
    ("xin chào", "greeting"),
    ("Chào bác sĩ ạ", "greeting"),
    ("cảm ơn bạn nhiều", "thanks"),
    ("cam on ban", "thanks"),
    ("tạm biệt", "farewell"),
    ("bạn là ai?", "about"),
    ("Bạn có thể giúp gì cho tôi?", "about"),
]
MEDICAL = [
    "Hello, my tooth hurts",
    "thanks, and what about ibuprofen?",
    "I am not well",
    "I can't go on",
    "I want to die",
    "my gums",
    "metformin",
    "is it bad?",
    "chào bác sĩ, tôi bị đau răng",
    "tôi mệt quá",
    "cảm ơn, còn thuốc thì sao?",
    "500",
]


@pytest.mark.parametrize(("text", "kind"), CHAT)
def test_small_talk_is_known(text: str, kind: str) -> None:
    assert is_chat(text)
    assert kind_of(text) == kind


@pytest.mark.parametrize("text", MEDICAL)
def test_what_may_be_medical_is_no_small_talk(text: str) -> None:
    assert not is_chat(text)
    assert not may_be_chat(text)


@pytest.mark.parametrize("text", MEDICAL)
@pytest.mark.parametrize("shortcuts", [True, False])
async def test_a_model_cannot_keep_a_medical_question_from_the_base(text: str, shortcuts: bool) -> None:
    update = await decide(state(text), runtime(llm=Model(decide=DIRECT), shortcuts=shortcuts))
    assert update["answering"] == "retrieve_kb"
    assert "explain" not in update


@pytest.mark.parametrize("text", ["Tell me a joke", "what languages do you speak?"])
async def test_a_model_may_call_harmless_talk_small_talk(text: str) -> None:
    model = Model(decide=DIRECT)
    update = await decide(state(text), runtime(llm=model))
    assert (update["answering"], model.asked) == ("direct_response", ["decide"])


@pytest.mark.parametrize(
    ("language", "text", "said"), [("en", "Hello", "Dental patient"), ("vi", "Xin chào", "Người bệnh nha khoa")]
)
async def test_the_greeting_is_in_the_users_language(language: Language, text: str, said: str) -> None:
    update = await decide(state(text, language=language), runtime())
    assert said in update["explain"]


async def test_an_emergency_is_never_small_talk() -> None:
    update = await decide(state("help me", urgent="Call 115."), runtime())
    assert update["answering"] == "retrieve_kb"


async def test_a_question_that_leans_on_the_conversation_gets_its_context() -> None:
    before = turns("Why do my gums bleed?", "Plaque.")
    update = await decide(state("And in children?", conversation_history=before), runtime())
    assert update["context_summary"] == "Why do my gums bleed?"
