"""The live services of one turn, each with an ear beside it. Kept are references until the end: nothing is copied."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import Any, TypeVar, cast

from docgemma.agent.curated import CuratedAnswer
from docgemma.agent.replay.trace import fingerprint, start_to_json, trace_to_json
from docgemma.agent.state import Services, State
from docgemma.clinical import ToolResult
from docgemma.errors import DocGemmaError
from docgemma.llm.contract import Prompt, T, Usage, current_usage
from docgemma.tools.registry import RESULT_TYPES
from docgemma.tools.results import PatientSearchResult, PatientSummary

Noted = dict[str, Any]
Answer = TypeVar("Answer")

OUT_OF_TIME = "TimeoutError"
"""How an exchange is marked that the turn did not wait for."""


class Recorder:
    """Stands between one turn and its services: model, tools, record system, knowledge base.

    `services` are handed to the graph, `trace()` to the store.
    """

    def __init__(self, services: Services) -> None:
        self._real = services
        self._state: State | None = None
        self._exchanges: list[Noted] = []
        self.services = replace(
            services,
            llm=self,
            tools=self,
            charts=self if services.charts else None,
            curated=self if services.curated else None,
        )

    @property
    def name(self) -> str:
        """The model's."""
        return self._real.llm.name

    def begin(self, state: State) -> State:
        """The state that the turn starts from, noted."""
        self._state = state
        return state

    def trace(self) -> bytes | None:
        """What was heard; None for a turn that failed before it began."""
        if self._state is None:
            return None
        return trace_to_json(
            {
                "state": start_to_json(self._state),
                "shortcuts": sorted(self._real.shortcuts),
                "tools_budget_s": self._real.tools_budget_s,
                "charts": self._real.charts is not None,
                "curated": self._real.curated is not None,
                "exchanges": self._exchanges,
            }
        )

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        with self._model_exchange("decide", prompt) as noted:
            noted["output"] = answer = await self._real.llm.decide(prompt, schema, max_tokens=max_tokens)
        return answer

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        """As far as it was read. Where a sentence ends does not depend on the pieces, so they are kept as one."""
        pieces: list[str] = []
        with self._model_exchange("write", prompt) as noted:
            stream = self._real.llm.write(prompt, temperature=temperature, max_tokens=max_tokens)
            try:
                async with aclosing(cast(AsyncGenerator[str, None], stream)) as open_stream:
                    async for piece in open_stream:
                        pieces.append(piece)
                        yield piece
            finally:
                if current_usage().answered_by == "model":  # a rule's text is worked out again
                    noted["output"] = "".join(pieces)

    async def call(self, name: str, args: dict[str, Any], *, deadline_s: float | None = None) -> ToolResult:
        with self._exchange("tool", name) as noted:
            noted["args"] = args
            usage = current_usage()
            before = _spent(usage)
            noted["output"] = result = await self._real.tools.call(name, args, deadline_s=deadline_s)
            if used := _grown(usage, before):  # an image is looked at by the model, too
                noted["used"] = used
            if type(result) is not RESULT_TYPES.get(name):
                noted["type"] = type(result).__name__
        return result

    async def who(self, written: str) -> PatientSearchResult:
        assert self._real.charts is not None
        return await self._heard("who", written, self._real.charts.who(written))

    async def summary(self, patient_id: str) -> PatientSummary:
        assert self._real.charts is not None
        return await self._heard("summary", patient_id, self._real.charts.summary(patient_id))

    async def on(self, question: str) -> CuratedAnswer | None:
        assert self._real.curated is not None
        return await self._heard("curated", question, self._real.curated.on(question))

    async def _heard(self, kind: str, name: str, answer: Awaitable[Answer]) -> Answer:
        with self._exchange(kind, name) as noted:
            noted["output"] = found = await answer
        return found

    @contextmanager
    def _exchange(self, kind: str, name: str) -> Iterator[Noted]:
        """One exchange, in the order in which they began. What goes wrong in it is part of it."""
        noted: Noted = {"kind": kind, "name": name}
        self._exchanges.append(noted)
        try:
            yield noted
        except DocGemmaError as error:
            noted["error"] = (type(error).__name__, str(error))
            raise
        except asyncio.CancelledError:  # the turn went on without it, or is not kept at all
            noted["error"] = (OUT_OF_TIME, "")
            raise

    @contextmanager
    def _model_exchange(self, kind: str, prompt: Prompt) -> Iterator[Noted]:
        """With what the answer cost, and who gave it. What only a rule read needs no fingerprint."""
        usage = current_usage()
        before = _spent(usage)
        with self._exchange(kind, prompt.name) as noted:
            try:
                yield noted
            finally:
                if used := _grown(usage, before):
                    noted["used"] = used
                if usage.answered_by == "code":
                    noted["by"] = "code"
                else:
                    noted["prompt"] = fingerprint(prompt)


def _spent(usage: Usage) -> tuple[int, int, int, int]:
    return usage.calls, usage.prompt_tokens, usage.completion_tokens, len(usage.notices)


def _grown(usage: Usage, before: tuple[int, int, int, int]) -> Noted:
    calls, asked, answered, told = before
    grown = {
        "calls": usage.calls - calls,
        "prompt_tokens": usage.prompt_tokens - asked,
        "completion_tokens": usage.completion_tokens - answered,
        "notices": usage.notices[told:],
    }
    return {name: value for name, value in grown.items() if value}
