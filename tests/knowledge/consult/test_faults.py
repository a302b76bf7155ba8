"""A model that fails at each node in turn, in every way it can: an answer out of the base, and the path says why."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from docgemma.errors import ModelError, ModelOutputInvalid, ModelUnreachable
from docgemma.knowledge.consult.contract import Consultation
from docgemma.knowledge.consult.rules import RULES
from docgemma.llm.contract import Prompt, T
from tests.knowledge.consult.library import NEVER, Library, Model, ask, path, turns
from tests.support.virtual_time import run_virtually

LOST = "The language model could not be reached; these are the entries of the knowledge base, word for word."
DID_NOT_FIT = "The model's answer did not fit; a rule decided instead."
BEFORE = turns("Why do my gums bleed when I brush?", "Because of plaque.")
QUESTION = "What about children?"
NODE = {"topic_classify_subtopic": "topic_classify"}


class Overloaded(ModelError):
    """A kind of failure that nobody has heard of yet."""


@dataclass(frozen=True)
class Fault:
    name: str
    does: object
    lost: bool


FAULTS = (
    Fault("429", ModelUnreachable("The model server answered with status 429."), lost=True),
    Fault("503", ModelUnreachable("The model server answered with status 503."), lost=True),
    Fault("unheard of", Overloaded("?"), lost=True),
    Fault("never answers", NEVER, lost=True),
    Fault("invalid", ModelOutputInvalid("The model's answer is not well-formed JSON."), lost=False),
    Fault("junk", "As a language model I cannot, sorry. {{{", lost=False),
    Fault("empty", "", lost=False),
    Fault(
        "wrong enum",
        '{"action": "prescribe", "topic": "Hearts", "numbers": [99], "confidence": "sure", "reason": ""}',
        lost=False,
    ),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
@pytest.mark.parametrize("node", sorted(RULES))
def test_each_fault_at_each_node(node: str, fault: Fault) -> None:
    model = Model({node: fault.does})
    answer = run_virtually(ask(QUESTION, llm=model, conversation=BEFORE, shortcuts=False))
    assert node in model.asked
    from_the_base(answer)
    if fault.lost:
        lost_at(answer, NODE.get(node, node))
        assert model.asked[-1] == node, "a model that is gone is not asked again"
        assert "Traceback" not in str(answer)
    else:
        assert "fallback" not in path(answer)
        assert DID_NOT_FIT in answer.notices


def from_the_base(answer: Consultation) -> None:
    assert answer.found
    assert "Source: Dental handbook" in answer.response
    assert not answer.direct


def lost_at(answer: Consultation, node: str) -> None:
    assert path(answer)[-2:] == [node, "fallback"]
    assert answer.timeline[-2].detail == "the language model could not be used"
    assert LOST in answer.notices
    assert answer.word_for_word
    assert answer.found[0].entry.answer in answer.response


def test_the_time_is_for_all_calls_together() -> None:
    """Each call alone would be in time."""

    class Slow(Model):
        async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
            await asyncio.sleep(40)
            return await super().decide(prompt, schema, max_tokens=max_tokens)

    model = Slow()
    answer = run_virtually(ask(QUESTION, llm=model, conversation=BEFORE, shortcuts=False, deadline_s=60))
    lost_at(answer, "rag_agent")
    assert model.asked == ["decide"]


def test_without_time_no_model_is_asked() -> None:
    model = Model()
    answer = run_virtually(ask(QUESTION, llm=model, conversation=BEFORE, shortcuts=False, deadline_s=0))
    lost_at(answer, "decide")
    assert model.asked == []


async def test_a_model_and_a_base_that_are_both_gone() -> None:
    model = Model({"decide": ModelUnreachable("down")})
    closed = Library(closed=frozenset({"search", "entries", "topics"}))
    answer = await ask(QUESTION, llm=model, conversation=BEFORE, library=closed, shortcuts=False)
    assert "cannot be read right now" in answer.response
    assert path(answer) == ["ingest_query", "decide", "fallback"]
