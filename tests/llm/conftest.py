"""What the model tests share: a door to the network, a place for proofs, and a prompt."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from docgemma.fetch.door import Door
from docgemma.llm.contract import Message, Prompt, Usage, usage
from docgemma.llm.openai import OpenAiModel
from tests.support.model_server import ModelServer


class Memory:
    """Facts that last as long as the test."""

    def __init__(self) -> None:
        self.facts: dict[str, dict[str, Any]] = {}
        self.kept_s: list[float] = []

    async def get_fact(self, key: str) -> dict[str, Any] | None:
        return self.facts.get(key)

    async def put_fact(self, key: str, value: dict[str, Any], ttl_seconds: float) -> None:
        self.facts[key] = value
        self.kept_s.append(ttl_seconds)


PROMPT = Prompt("sort", {"message": "hello"}, (Message("system", "Sort the message."), Message("user", "hello")))


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    async with Door() as opened:
        yield opened


@pytest.fixture
def turn() -> Iterator[Usage]:
    fresh = Usage()
    token = usage.set(fresh)
    yield fresh
    usage.reset(token)


def model_at(server: ModelServer, door: Door, **options: Any) -> OpenAiModel:
    options.setdefault("facts", Memory())
    options.setdefault("timeout_s", 5.0)
    return OpenAiModel(door, server.url, "medgemma", **options)
