"""The test double: a model whose answers are written down beforehand. It takes every step a server would."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from docgemma.llm.contract import Prompt, T, current_usage
from docgemma.llm.gemma import ThinkingFilter
from docgemma.llm.parse import parse_object

Answer = BaseModel | Mapping[str, Any] | str | Sequence[str] | BaseException
"""A decision (an object, its fields, or raw model text), a text (whole or in pieces), or an error to raise."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question the script was asked. `schema` is None for a text."""

    name: str
    schema: type[BaseModel] | None
    max_tokens: int
    temperature: float


class ScriptedModel:
    """Gives its answers in order, whoever asks; `by_prompt` keeps a separate order for each prompt name."""

    name = "scripted"

    def __init__(self, *answers: Answer) -> None:
        self._shared: deque[Answer] = deque(answers)
        self._named: dict[str, deque[Answer]] | None = None
        self.prompts: list[Prompt] = []
        self.calls: list[Call] = []

    @classmethod
    def by_prompt(cls, answers: Mapping[str, Sequence[Answer]]) -> ScriptedModel:
        model = cls()
        model._named = {name: deque(script) for name, script in answers.items()}
        return model

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        answer = self._next(prompt, Call(prompt.name, schema, max_tokens, 0.0))
        if isinstance(answer, str):
            return parse_object(answer, schema)
        if isinstance(answer, BaseModel):
            return schema.model_validate(answer.model_dump())
        if isinstance(answer, Mapping):
            return schema.model_validate(answer)
        raise TypeError(f"The script answers {prompt.name!r} with pieces of text; a decision was asked for.")

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        answer = self._next(prompt, Call(prompt.name, None, max_tokens, temperature))
        if isinstance(answer, BaseModel | Mapping):
            raise TypeError(f"The script answers {prompt.name!r} with a decision; a text was asked for.")
        visible = ThinkingFilter()
        for piece in [answer] if isinstance(answer, str) else answer:
            if shown := visible.feed(piece):
                yield shown
        if shown := visible.flush():
            yield shown

    def assert_done(self) -> None:
        """Every answer was asked for."""
        left = {name: len(script) for name, script in (self._named or {"script": self._shared}).items() if script}
        assert not left, f"The script has answers left over that nobody asked for: {left}"

    def _next(self, prompt: Prompt, call: Call) -> BaseModel | Mapping[str, Any] | str | Sequence[str]:
        self.prompts.append(prompt)
        self.calls.append(call)
        current_usage().calls += 1
        script = self._shared if self._named is None else self._named.get(prompt.name, deque())
        if not script:
            raise AssertionError(f"The script has no answer left for {prompt.name!r} (question {len(self.calls)}).")
        answer = script.popleft()
        if isinstance(answer, BaseException):
            raise answer
        current_usage().answered_by = "model"
        return answer
