"""Between the agent and its model: look-ups are chosen by rule, so that every model writes from the same findings."""

from __future__ import annotations

from collections.abc import AsyncIterator

from docgemma.agent.rules import RULES
from docgemma.agent.schemas import IntentClassification
from docgemma.agent.vision.schemas import MOST_FINDINGS, ImageFindings
from docgemma.evals.answers.cases import Case
from docgemma.evals.answers.desk import running
from docgemma.evals.answers.ways import Way
from docgemma.llm.contract import LanguageModel, Prompt, T, current_usage
from docgemma.llm.rules import RulesModel

SYNTHESIS = "synthesize"


class Writer:
    """The model of an eval of answers: it writes, in one of the ways; everything else is fixed by the case."""

    def __init__(self, model: LanguageModel, way: Way) -> None:
        self._model = model
        self._way = way
        self._rules = RulesModel(RULES)

    @property
    def name(self) -> str:
        return self._model.name

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        answer = await self._rules.decide(prompt, schema, max_tokens=max_tokens)
        case = running.get().case
        given = _given(case, answer) if case is not None else None
        return answer if given is None else schema.model_validate(given)

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        """What comes is kept as it comes, before the agent reads it."""
        if prompt.name == SYNTHESIS:
            prompt, temperature, max_tokens = self._way.vary(prompt), self._way.temperature, self._way.tokens
        take, spent = running.get(), current_usage()
        take.raw, take.prompt, before = "", prompt, spent.completion_tokens
        async for piece in self._model.write(prompt, temperature=temperature, max_tokens=max_tokens):
            take.raw += piece
            yield piece
        take.cut = spent.completion_tokens - before >= max_tokens


def _given(case: Case, answer: object) -> dict[str, object] | None:
    """What the case says in the place of a model: the context of the task, and what is seen in the image."""
    if isinstance(answer, IntentClassification) and case.context:
        return answer.model_dump() | {"task_summary": case.context}
    seen = case.image
    if isinstance(answer, ImageFindings) and seen is not None and seen.findings:
        return {
            "image_type": seen.image_type,
            "findings": [finding[:160] for finding in seen.findings[:MOST_FINDINGS]],
            "impression": seen.impression[:300],
            "confidence": seen.confidence,
        }
    return None
