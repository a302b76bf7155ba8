"""Ask a model as it is, and keep what was asked and answered. No rule stands in: what does not fit is a miss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from docgemma.clinical import holding
from docgemma.evals.contract import Asked
from docgemma.llm.contract import LanguageModel, Prompt, T, current_usage, deciding_temperature

NO_ANSWER = "nothing that fits"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of asking one case: a choice, the values of a call, the steps of a plan, or the tools approved."""

    choice: str = ""
    suggested: str | None = None
    arguments: Mapping[str, Any] | None = None
    steps: tuple[str, ...] = ()
    approved: tuple[str, ...] | None = None


@dataclass(slots=True)
class Asker:
    """One case's questions to the model, in order."""

    model: LanguageModel
    temperature: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    again: int = 0
    """Decisions that the back end had to ask for a second time."""

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        before, said = current_usage().calls, NO_ANSWER
        try:
            with holding(deciding_temperature, self.temperature):
                answer = await self.model.decide(prompt, schema, max_tokens=max_tokens)
            said = answer.model_dump_json()
            return answer
        finally:
            self.again += current_usage().calls > before + 1
            self._keep(prompt, said)

    async def write(self, prompt: Prompt, *, max_tokens: int) -> str:
        pieces = self.model.write(prompt, temperature=self.temperature, max_tokens=max_tokens)
        text = "".join([piece async for piece in pieces])
        self._keep(prompt, text)
        return text

    def _keep(self, prompt: Prompt, answer: str) -> None:
        text = "\n\n".join(f"[{message.role}]\n{message.text}" for message in prompt.messages)
        self.asked.append(Asked(prompt=prompt.name, text=text, answer=answer))
