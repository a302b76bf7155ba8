"""The back end without a model: each prompt is answered by its node's own rule. It knows no medicine itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from pydantic import BaseModel

from docgemma.llm.contract import Prompt, T, current_usage

Rule = Callable[[Mapping[str, Any]], BaseModel | str]


class RulesModel:
    """Prompt name → rule, filled by wiring. A prompt without a rule is a bug and fails loudly."""

    name = "rules"

    def __init__(self, table: Mapping[str, Rule]) -> None:
        self._table = dict(table)

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        """The rule's decision, held to the schema that was asked for: its choices may be narrower than the rule's."""
        current_usage().answered_by = "code"
        answer = self._table[prompt.name](prompt.variables)
        if isinstance(answer, schema):
            return answer
        if not isinstance(answer, BaseModel):
            raise TypeError(f"The rule for {prompt.name!r} wrote text where a decision was asked for.")
        return schema.model_validate(answer.model_dump())

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        current_usage().answered_by = "code"
        answer = self._table[prompt.name](prompt.variables)
        if not isinstance(answer, str):
            raise TypeError(f"The rule for {prompt.name!r} decided where text was asked for.")
        yield answer
