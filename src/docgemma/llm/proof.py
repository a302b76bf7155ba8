"""Proof that a server or an engine holds the model to a schema. Some accept the request and silently ignore it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from docgemma.errors import ModelOutputInvalid, ModelUnreachable
from docgemma.llm import wire
from docgemma.llm.contract import Message, Prompt
from docgemma.llm.parse import parse_object

UNCONSTRAINED = "The model is not held to the schema it is given; answers that do not fit fall back to rules."
_KEPT_S = 7 * 24 * 3600


class Facts(Protocol):
    """Where a proof is remembered between processes."""

    async def get_fact(self, key: str) -> dict[str, Any] | None: ...

    async def put_fact(self, key: str, value: dict[str, Any], ttl_seconds: float) -> object: ...


class SelfTest(BaseModel):
    """Two words no model would choose by itself."""

    model_config = ConfigDict(extra="forbid")

    word: Literal["qzvexal", "mirnupho"]


def question(model: str) -> tuple[wire.Json, Callable[[str], bool]]:
    """A request that asks for something else than its schema allows, and the test of the answer."""
    prompt = Prompt("self_test", messages=(Message("user", "Name one colour of the rainbow, in one word."),))
    body = wire.decision_body(model, prompt, SelfTest, max_tokens=64)
    body["response_format"]["json_schema"]["name"] = "self_test"

    def fits(text: str) -> bool:
        try:
            parse_object(text, SelfTest)
        except ModelOutputInvalid:
            return False
        return True

    return body, fits


class Proof:
    """Asks once per server and model. Only success is remembered beyond this process: a server may be mended."""

    def __init__(self, facts: Facts, key: str) -> None:
        self._facts = facts
        self._key = key
        self._known: bool | None = None
        self._asking = asyncio.Lock()

    async def constrained(self, ask: Callable[[], Awaitable[bool]]) -> bool:
        """True also while nothing is known because the server could not be asked."""
        if self._known is None:
            async with self._asking:
                if self._known is None:
                    self._known = await self._find_out(ask)
        return self._known is not False

    async def _find_out(self, ask: Callable[[], Awaitable[bool]]) -> bool | None:
        if await self._facts.get_fact(self._key):
            return True
        try:
            constrained = await ask()
        except ModelUnreachable:
            return None
        if constrained:
            await self._facts.put_fact(self._key, {"constrained": True}, _KEPT_S)
        return constrained
