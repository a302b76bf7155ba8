"""Models at their worst: one that invents, one that boasts, one that obeys whatever it reads."""

from __future__ import annotations

from collections.abc import AsyncIterator

from docgemma.agent.rules import RULES
from docgemma.llm.contract import Prompt, T, current_usage
from docgemma.llm.rules import RulesModel
from tests.agent.test_hazards import Inventing
from tests.support.obedient import Obedient

__all__ = ["Boasting", "Inventing", "Obedient"]


class Boasting:
    """Decides by rule and writes what it was told to say, whatever happened."""

    name = "boasting"

    def __init__(self, text: str) -> None:
        self.text = text
        self._rules = RulesModel(RULES)

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        current_usage().calls += 1
        answer = await self._rules.decide(prompt, schema, max_tokens=max_tokens)
        current_usage().answered_by = "model"
        return answer

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        current_usage().calls += 1
        current_usage().answered_by = "model"
        yield self.text
