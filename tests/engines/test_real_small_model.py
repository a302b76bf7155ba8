"""A real model behind a real server: each schema holds over HTTP. Validity is asserted, never quality.

SmolLM2 at 135M parameters is as poor a model as one finds. What holds for it rests on the constraint alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from copy import copy
from typing import Any, get_origin

import pytest
from annotated_types import MaxLen, MinLen
from pydantic import BaseModel, create_model

from docgemma.fetch.door import Door
from docgemma.llm import wire
from docgemma.llm.contract import Message, Prompt, Usage, usage
from docgemma.llm.openai import OpenAiModel
from tests.engines.asked import ASKED, Asked

pytestmark = pytest.mark.weights

NAME = "smollm2"
MARKERS = ("<|", "|>", "<unused", "<start_of_turn>", "<end_of_turn>", "<think>", "</think>")
LONGER_THAN_ANY_CALL_S = 120
QUESTIONS = int(os.environ.get("DOCGEMMA_QUESTIONS", "1"))
"""Of each schema, the oddest ones: which answers are possible follows from the schema, not from what is asked."""
FEWEST = 2
"""Items that show that a list goes on and that it ends; the poor model fills a list to its end, word by word."""


def asked_for(schema: type[BaseModel]) -> type[BaseModel]:
    """The same schema with short lists: an item is constrained alike wherever it stands."""
    if QUESTIONS > 1:
        return schema
    lists = {}
    for name, field in schema.model_fields.items():
        if get_origin(field.annotation) is list:
            fewer = copy(field)
            least = max((rule.min_length for rule in field.metadata if isinstance(rule, MinLen)), default=0)
            most = max(FEWEST, least)  # fewer than the least would be no schema, and makes the engine eat all memory
            fewer.metadata = [
                MaxLen(min(most, rule.max_length)) if isinstance(rule, MaxLen) else rule for rule in field.metadata
            ]
            lists[name] = (field.annotation, fewer)
    return create_model(schema.__name__, __base__=schema, **lists) if lists else schema  # type: ignore[call-overload]


class Memory:
    """Keeps what was proved about the server for the rest of the session."""

    def __init__(self) -> None:
        self.facts: dict[str, dict[str, Any]] = {}

    async def get_fact(self, key: str) -> dict[str, Any] | None:
        return self.facts.get(key)

    async def put_fact(self, key: str, value: dict[str, Any], ttl_seconds: float) -> None:
        self.facts[key] = value


@pytest.fixture(scope="module")
def memory() -> Memory:
    return Memory()


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    async with Door() as opened:
        yield opened


@pytest.fixture
def model(door: Door, llama_url: str, memory: Memory) -> OpenAiModel:
    return OpenAiModel(door, llama_url, NAME, facts=memory, timeout_s=LONGER_THAN_ANY_CALL_S)


def fresh_usage() -> Usage:
    spent = Usage()
    usage.set(spent)
    return spent


async def test_the_server_is_known_to_constrain(model: OpenAiModel) -> None:
    assert await model.self_test()
    assert len(await model.models()) == 1


@pytest.mark.parametrize(
    "asked",
    # The longest extraction does not fit into this model's context.
    [asked for asked in ASKED if asked.name != "ground-extract"],
    ids=lambda asked: asked.name,
)
async def test_the_first_answer_always_fits(asked: Asked, model: OpenAiModel) -> None:
    schema = asked_for(asked.schema)
    for prompt in asked.prompts()[-QUESTIONS:]:
        spent = fresh_usage()
        answer = await model.decide(prompt, schema, max_tokens=asked.max_tokens)

        assert isinstance(answer, asked.schema)
        assert spent.calls == 1, "the first answer did not fit and was asked for again"
        assert spent.completion_tokens > 0
        assert spent.notices == []


@pytest.mark.parametrize("name", ["intent", "assessment", "arguments-prescribe_medication"])
async def test_the_server_keeps_the_declared_order(name: str, door: Door, llama_url: str) -> None:
    asked = next(asked for asked in ASKED if asked.name == name)
    body = wire.decision_body(NAME, asked.prompts()[0], asked.schema, asked.max_tokens)
    reply = await door.json("POST", f"{llama_url}/chat/completions", json=body, deadline_s=LONGER_THAN_ANY_CALL_S)
    written = list(json.loads(wire.read_completion(reply.body).text))

    assert written == list(asked.schema.model_fields)[: len(written)]


async def test_a_conversation_is_taken_whole(model: OpenAiModel) -> None:
    asked = next(asked for asked in ASKED if asked.name == "intent")
    turns = (
        Message("system", asked.instruction),
        Message("user", "What is hypertension?"),
        Message("assistant", "Blood pressure that stays at or above 130/80 mmHg."),
        Message("user", "The patient is 54."),
        Message("user", "Is lisinopril safe for her?"),
    )
    spent = fresh_usage()
    await model.decide(Prompt("intent", messages=turns), asked.schema, max_tokens=asked.max_tokens)

    assert spent.calls == 1


async def test_text_is_streamed_without_markers(model: OpenAiModel) -> None:
    prompt = Prompt(
        "synthesize",
        messages=(
            Message("system", "You are a clinical decision-support assistant. Answer in three sentences."),
            Message("user", "Clinician's question: what is hypertension?"),
        ),
    )
    spent = fresh_usage()
    pieces = [piece async for piece in model.write(prompt, temperature=0.5, max_tokens=128)]
    text = "".join(pieces)

    assert len(pieces) > 1, "the answer came in one piece: it was not streamed"
    assert text.strip()
    assert not any(marker in text for marker in MARKERS)
    assert spent.completion_tokens > 1
