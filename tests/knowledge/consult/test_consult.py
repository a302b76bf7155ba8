"""Whole consultations: every way through the graph, with and without a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from docgemma.clinical import TimelineStep
from docgemma.knowledge.consult.contract import Consultation
from docgemma.knowledge.consult.rules import RULES
from docgemma.knowledge.safety.red_flags import urgent
from docgemma.llm.contract import Message
from docgemma.llm.rules import RulesModel
from tests.knowledge.consult.library import (
    ENTRIES,
    NURSE,
    PATIENT,
    SAYS_CLOSED,
    Heard,
    Library,
    Model,
    ask,
    path,
    turns,
)

GUMS = "Why do my gums bleed when I brush?"
FOUND = ["ingest_query", "decide", "rag_agent", "topic_classify", "retrieve", "filter", "rag_agent", "compose"]
LED = [*FOUND[:3], "create_query", *FOUND[3:]]
TWICE = [*FOUND[:7], "create_query", *FOUND[3:]]
BEFORE = turns(GUMS, "Because of plaque.")
CHEST_PAIN = "I have crushing chest pain and I cannot breathe"

ROUTES: list[tuple[str, str, tuple[Message, ...], list[str], list[str], list[str]]] = [
    ("small talk", "Hello", (), FOUND[:2], [], ["decide"]),
    (
        "found among many",
        "Why do gums bleed?",
        (),
        FOUND,
        ["filter", "compose"],
        ["decide", "rag_agent", "topic_classify", "topic_classify_subtopic", "filter", "rag_agent", "compose"],
    ),
    (
        "found alone",
        "Can I take ibuprofen for toothache?",
        (),
        FOUND,
        ["compose"],
        ["decide", "rag_agent", "topic_classify", "topic_classify_subtopic", "rag_agent", "compose"],
    ),
    (
        "leans on the conversation",
        "What about children?",
        BEFORE,
        LED,
        ["create_query", "filter", "compose"],
        [
            *("decide", "rag_agent", "create_query", "topic_classify", "topic_classify_subtopic"),
            *("filter", "rag_agent", "compose"),
        ],
    ),
    (
        "nothing fits",
        "Who won the football cup in France?",
        (),
        TWICE,
        ["create_query"],
        [
            *("decide", "rag_agent", "topic_classify", "topic_classify_subtopic", "rag_agent", "create_query"),
            *("topic_classify", "rag_agent"),
        ],
    ),
]


class Sensible(Model):
    """Chooses the topic the votes speak for, so that the first search is not in vain."""

    def answer(self, prompt: object, schema: type[object]) -> dict[str, object]:
        answer = super().answer(prompt, schema)  # type: ignore[arg-type]
        votes = getattr(prompt, "variables", {}).get("votes")
        return answer | {"topic": votes[0][0]} if votes else answer


@pytest.mark.parametrize(
    ("question", "conversation", "way", "with_shortcuts", "without"),
    [route[1:] for route in ROUTES],
    ids=[route[0] for route in ROUTES],
)
async def test_the_way_and_the_model_calls(
    question: str,
    conversation: tuple[Message, ...],
    way: list[str],
    with_shortcuts: list[str],
    without: list[str],
) -> None:
    nobody = await ask(question, conversation=conversation)
    assert path(nobody) == way
    assert {step.by for step in nobody.timeline} == {"code"}
    quick, thorough = Sensible(), Sensible()
    assert path(await ask(question, conversation=conversation, llm=quick)) == way
    assert quick.asked == with_shortcuts
    assert path(await ask(question, conversation=conversation, llm=thorough, shortcuts=False)) == way
    assert thorough.asked == without


async def test_without_a_model_the_entry_is_quoted_with_its_source() -> None:
    answer = await ask(GUMS)
    assert answer.word_for_word
    assert ENTRIES[0].answer in answer.response
    assert "Source: Dental handbook, reviewed 2025-03-01" in answer.response
    assert answer.found[0].entry == ENTRIES[0]
    assert (answer.demuc, answer.chu_de_con, answer.classification_confidence) == ("Gums", "Bleeding", "high")
    assert answer.suggestions
    assert any("word for word" in notice for notice in answer.notices)


async def test_a_vietnamese_question_is_answered_in_vietnamese() -> None:
    answer = await ask("Vì sao nướu chảy máu?", language="vi")
    assert "Nguồn: Dental handbook, chưa được nhân viên y tế duyệt" in answer.response
    assert {each.entry.language for each in answer.found} == {"vi"}
    assert answer.demuc == "Nướu răng"


async def test_a_vietnamese_follow_up_takes_its_subject_along() -> None:
    before = turns("Miếng trám răng dùng được bao lâu?", "Từ 5 đến 15 năm.")
    answer = await ask("Còn trẻ em thì sao?", language="vi", conversation=before)
    assert "trám" in answer.retrieval_query
    assert path(answer)[3] == "create_query"


async def test_the_other_language_serves_last_with_a_notice() -> None:
    answer = await ask("whitening peroxide enamel", language="vi")
    assert [each.entry.id for each in answer.found] == ["whitening"]
    assert any("tiếng Anh" in notice for notice in answer.notices)


async def test_nothing_fits_says_what_there_is_and_whom_to_ask() -> None:
    answer = await ask("Who won the football cup in France?")
    assert "no entry that surely answers this" in answer.response
    assert "Gums, Treatments" in answer.response
    assert "ask your doctor" in answer.response
    assert answer.found == ()
    nurse = await ask("Who won the football cup in France?", role=NURSE)
    assert "ask your doctor" not in nurse.response


async def test_each_role_gets_its_own_entry() -> None:
    for role in (PATIENT, NURSE):
        assert {each.entry.role for each in (await ask(GUMS, role=role)).found} == {role.id}


async def test_what_is_told_on_the_way_is_the_answer_and_the_timeline() -> None:
    heard = Heard()
    answer = await ask(GUMS, llm=Model(), heard=heard)
    assert heard.text == answer.response
    assert [event for event in heard.events if isinstance(event, TimelineStep)] == list(answer.timeline)


async def test_the_rules_back_end_gives_the_same_answer_as_no_model() -> None:
    """Wiring may pass the table of rules as a model."""
    bare, ruled = await ask(GUMS), await ask(GUMS, llm=RulesModel(RULES))
    assert ruled.response == bare.response
    assert ruled.word_for_word


@pytest.mark.parametrize("method", ["search", "entries", "topics"])
@pytest.mark.parametrize("llm", [None, Model()], ids=["no model", "model"])
async def test_a_base_that_cannot_be_read_is_said(method: str, llm: Model | None) -> None:
    answer = await ask(GUMS, library=Library(closed=frozenset({method})), llm=llm)
    assert "cannot be read right now" in answer.response
    assert SAYS_CLOSED in answer.notices
    assert path(answer)[-1] == "fallback"
    assert answer.found == ()


def first_is_urgent(answer: Consultation, heard: Heard, notice: str) -> None:
    assert answer.urgent == notice
    assert answer.response.startswith(notice + "\n\n")
    first = heard.events[0]
    assert isinstance(first, str)
    assert first.strip() == notice
    assert heard.text == answer.response


@pytest.mark.parametrize(
    "library", [Library(), Library(closed=frozenset({"search", "topics", "entries"}))], ids=["open", "closed"]
)
async def test_an_emergency_comes_first_whatever_happens(library: Library) -> None:
    notice = urgent(CHEST_PAIN, "en")
    if not notice:
        pytest.skip("the red flags do not know this sentence")
    heard = Heard()
    first_is_urgent(await ask(CHEST_PAIN, library=library, heard=heard), heard, notice)
    nurse = await ask(CHEST_PAIN, library=library, role=NURSE)
    assert nurse.urgent == ""


async def test_a_model_that_calls_an_emergency_small_talk_changes_nothing() -> None:
    if not urgent(CHEST_PAIN, "en"):
        pytest.skip("the red flags do not know this sentence")
    direct = Model(decide={"action": "direct_response", "context_summary": ""})
    answer = await ask(CHEST_PAIN, llm=direct, shortcuts=False)
    assert answer.urgent
    assert not answer.direct


@pytest.mark.parametrize(
    "texts", [("",), ("   ",), ("?",), ("🦷" * 50,), ("x" * 30_000,)], ids=lambda t: str(len(t[0]))
)
async def test_odd_messages_get_an_answer(texts: Sequence[str]) -> None:
    assert (await ask(texts[0])).response


def test_a_consultation_is_all_fields_of_the_contract() -> None:
    assert {field.name for field in dataclasses.fields(Consultation)} >= {"selected_ids", "retrieval_query", "urgent"}
