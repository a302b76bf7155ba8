"""Asking a chat model, whatever carries the question: a server elsewhere, or an engine in this process.

What a decision and a text are, when they are asked for again, and what is counted is the same for all of them.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from docgemma.errors import ModelCannotSee, ModelError, ModelOutputInvalid, ModelUnreachable
from docgemma.llm import wire
from docgemma.llm.contract import STOPPED_EARLY, Message, Prompt, T, current_usage
from docgemma.llm.gemma import ThinkingFilter
from docgemma.llm.parse import parse_object

SHORT_PAUSE_S = 0.1
UNCONSTRAINED = "The model is not held to the schema it is given; answers that do not fit fall back to rules."
_KEPT_S = 7 * 24 * 3600
_LONGEST_PAUSE_S = 3.0
_CHARACTERS_PER_TOKEN = 8


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


class Busy(ModelUnreachable):
    """Down for the moment: one more try after `pause_s` may succeed."""

    def __init__(self, message: str, pause_s: float = SHORT_PAUSE_S) -> None:
        super().__init__(message)
        self.pause_s = pause_s


class ChatModel(ABC):
    """Decides with `response_format: json_schema`, writes as a stream. At most two requests for either.

    Whatever was promised, each decision is validated here. `timeout_s` covers a whole call, retry included.
    """

    def __init__(self, model: str, *, proof: Proof, fast_model: str | None = None, timeout_s: float = 60.0) -> None:
        self._model = model
        self._deciding_model = fast_model or model
        self._proof = proof
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        return self._model

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        await self._ready(prompt)
        ends_at = now() + self._timeout_s
        if not await self._proof.constrained(lambda: self._try_constraint(ends_at)):
            current_usage().notice(UNCONSTRAINED)
        # The faster model decides on words; an image is for the one that was chosen for its eyes.
        model = self._model if prompt.images else self._deciding_model
        body = wire.decision_body(model, prompt, schema, max_tokens)
        try:
            return parse_object(await self._complete(body, ends_at), schema)
        except ModelError as failure:
            await _pause_before_retry(failure, ends_at)
        return parse_object(await self._complete({**body, "max_tokens": 2 * max_tokens}, ends_at), schema)

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        await self._ready(prompt)
        ends_at = now() + self._timeout_s
        for budget, is_last in ((max_tokens, False), (2 * max_tokens, True)):
            body = wire.text_body(self._model, prompt, temperature, budget)
            written = False
            try:
                async with aclosing(self._pieces(body, ends_at, budget * _CHARACTERS_PER_TOKEN)) as pieces:
                    async for piece in pieces:
                        written = True
                        yield piece
                if written:
                    return
                raise ModelOutputInvalid("The model wrote nothing that can be shown.")
            except ModelError as failure:
                if written or is_last:
                    raise
                await _pause_before_retry(failure, ends_at)

    async def self_test(self) -> bool:
        """Is the model held to a schema? Asked anew each time, for `doctor`."""
        await self._ready()
        return await self._try_constraint(now() + self._timeout_s)

    async def _ready(self, prompt: Prompt | None = None) -> None:
        """What has to be done before the clock of a call starts; ModelError when this question cannot be asked."""
        return

    @abstractmethod
    async def _answer(self, body: wire.Json, ends_at: float) -> wire.Completion:
        """One request, one whole answer."""

    @abstractmethod
    def _events(self, body: wire.Json, ends_at: float, most_characters: int) -> AsyncGenerator[wire.Completion, None]:
        """One request, its answer as it arrives."""

    async def _try_constraint(self, ends_at: float) -> bool:
        body, fits = question(self._deciding_model)
        try:
            return fits((await self._answer(body, ends_at)).text)
        except ModelOutputInvalid:
            return False

    async def _complete(self, body: wire.Json, ends_at: float) -> str:
        current_usage().calls += 1
        completion = await self._answer(body, ends_at)
        _count(completion)
        return completion.text

    async def _pieces(self, body: wire.Json, ends_at: float, most_characters: int) -> AsyncGenerator[str, None]:
        """One request, its visible text as it arrives."""
        visible = ThinkingFilter()
        received = 0
        cut = False
        current_usage().calls += 1
        async with aclosing(self._events(body, ends_at, most_characters)) as events:
            async for event in events:
                _count(event)
                if shown := visible.feed(event.text[: most_characters - received]):
                    yield shown
                received += len(event.text)
                cut = cut or event.finish == "length" or received > most_characters
                if received > most_characters or visible.ended:
                    break
        if shown := visible.flush():
            yield shown
        if cut and visible.started:
            current_usage().notice(STOPPED_EARLY)


def now() -> float:
    return asyncio.get_running_loop().time()


async def _pause_before_retry(failure: ModelError, ends_at: float) -> None:
    """Returns when a second request makes sense; else the failure stands."""
    pause_s = failure.pause_s if isinstance(failure, Busy) else 0.0
    down = isinstance(failure, ModelUnreachable) and not isinstance(failure, Busy)
    hopeless = down or isinstance(failure, ModelCannotSee)
    if hopeless or pause_s > _LONGEST_PAUSE_S or now() + pause_s >= ends_at:
        raise failure
    await asyncio.sleep(pause_s)


def _count(completion: wire.Completion) -> None:
    usage = current_usage()
    usage.prompt_tokens += completion.prompt_tokens
    usage.completion_tokens += completion.completion_tokens
