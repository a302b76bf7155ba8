"""How a node asks the model: within the time that is left, and with its own rule for an answer that does not fit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal

from docgemma.errors import ModelOutputInvalid, ModelUnreachable
from docgemma.knowledge.consult.contract import Services
from docgemma.knowledge.consult.phrases import phrase
from docgemma.knowledge.consult.schemas import Decision
from docgemma.knowledge.entry import Language
from docgemma.llm.contract import LanguageModel, Prompt, T, current_usage


@dataclass(slots=True)
class Live:
    """The live things of one consultation. Mutable: the time left for its model calls only shrinks."""

    services: Services
    left_s: float


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """An answer that fits the schema. Not `fitted`: the model's did not, and the rule answered in its place."""

    answer: T
    by: Literal["code", "model"]
    fitted: bool = True

    def notices(self, language: Language) -> list[str]:
        return [] if self.fitted else [phrase("did_not_fit", language)]


async def ask(
    live: Live, prompt: Prompt, schema: type[T], rule: Callable[[Mapping[str, Any]], Decision], *, max_tokens: int
) -> Reply[T]:
    """The model's decision, or the rule's. ModelError when there is a model and it cannot be used any more."""
    if live.services.llm is None:
        return Reply(_by_rule(rule, prompt, schema), "code")
    try:
        answer = await _in_time(live, live.services.llm, prompt, schema, max_tokens)
    except ModelOutputInvalid:
        return Reply(_by_rule(rule, prompt, schema), "code", fitted=False)
    return Reply(answer, current_usage().answered_by)


async def _in_time(live: Live, llm: LanguageModel, prompt: Prompt, schema: type[T], max_tokens: int) -> T:
    if live.left_s <= 0:
        raise ModelUnreachable("The time for model calls is used up.")
    clock = asyncio.get_running_loop()
    started = clock.time()
    current_usage().answered_by = "model"  # unless the back end says otherwise
    try:
        async with asyncio.timeout(live.left_s):
            return await llm.decide(prompt, schema, max_tokens=max_tokens)
    except TimeoutError:
        raise ModelUnreachable("The model took too long.") from None
    finally:
        live.left_s -= clock.time() - started


def _by_rule(rule: Callable[[Mapping[str, Any]], Decision], prompt: Prompt, schema: type[T]) -> T:
    """The rule knows the general shape; the schema that was asked for may leave fewer choices open."""
    answer = rule(prompt.variables)
    return answer if isinstance(answer, schema) else schema.model_validate(answer.model_dump())
