"""The back end without a model, and the one that falls back on it: each prompt has its node's own rule.

Nothing here knows medicine.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any

from pydantic import BaseModel

from docgemma.errors import ModelCannotSee, ModelError, ModelOutputInvalid, ModelUnreachable
from docgemma.llm.contract import STOPPED_EARLY, LanguageModel, Prompt, T, current_usage

Rule = Callable[[Mapping[str, Any]], BaseModel | str]

INSTEAD = "Rules answered instead."
DID_NOT_FIT = "The model's answer did not fit; a rule decided instead."
WROTE_NOTHING = "The model wrote no answer; this one was put together by rules."


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


class GuardedModel:
    """A model that never fails a turn: `model` while it can be used, else `rules`, with a notice.

    After one failed contact the rest of the turn does not ask again.
    """

    def __init__(self, model: LanguageModel, rules: LanguageModel) -> None:
        self._model = model
        self._rules = rules

    @property
    def name(self) -> str:
        return self._model.name

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        if not current_usage().unreachable:
            try:
                answer = await self._model.decide(prompt, schema, max_tokens=max_tokens)
                current_usage().answered_by = "model"
                return answer
            except ModelError as failure:
                _note(failure, DID_NOT_FIT)
        return await self._rules.decide(prompt, schema, max_tokens=max_tokens)

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        """What was shown is never taken back: a text that breaks off ends there, with a notice."""
        begun = False
        if not current_usage().unreachable:
            pieces = self._model.write(prompt, temperature=temperature, max_tokens=max_tokens)
            try:
                async for piece in _from_first_word(pieces):
                    begun = True
                    current_usage().answered_by = "model"
                    yield piece
                if begun:
                    return
                raise ModelOutputInvalid("The model wrote nothing.")
            except ModelError as failure:
                _note(failure, STOPPED_EARLY if begun else WROTE_NOTHING, begun)
            finally:
                if isinstance(pieces, AsyncGenerator):
                    await pieces.aclose()
        if not begun:
            async for piece in self._rules.write(prompt, temperature=temperature, max_tokens=max_tokens):
                yield piece


async def _from_first_word(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """Blank pieces wait for a word: a text that is only white space counts as none."""
    waiting = ""
    async for piece in pieces:
        waiting += piece
        if waiting.strip():
            yield waiting
            waiting = ""


def _note(failure: ModelError, otherwise: str, begun: bool = False) -> None:
    if isinstance(failure, ModelCannotSee):  # who shows an image says what became of it
        return
    usage = current_usage()
    unreachable = isinstance(failure, ModelUnreachable)
    usage.unreachable = usage.unreachable or unreachable
    usage.notice(f"{failure} {INSTEAD}" if unreachable and not begun else otherwise)
