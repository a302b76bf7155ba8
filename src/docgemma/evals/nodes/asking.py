"""Ask a model as it is, and keep what was asked and answered. No rule stands in: what does not fit is a miss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from docgemma.agent.nodes.error_handler import MAX_TOKENS as RETRY_TOKENS
from docgemma.agent.nodes.error_handler import retry_prompt
from docgemma.agent.nodes.intent_classify import MAX_TOKENS as INTENT_TOKENS
from docgemma.agent.nodes.intent_classify import intent_prompt
from docgemma.agent.nodes.result_classify import MAX_TOKENS as RESULT_TOKENS
from docgemma.agent.nodes.result_classify import assessment_prompt
from docgemma.agent.nodes.tool_select import (
    STAGE_1_TOKENS,
    STAGE_2_TOKENS,
    arguments_prompt,
    left_open,
    selection_prompt,
)
from docgemma.agent.queries import by_rule
from docgemma.agent.schemas import (
    IntentClassification,
    ResultAssessment,
    RetryStrategy,
    ToolSelection,
    tool_selection,
)
from docgemma.agent.state import State
from docgemma.clinical import holding
from docgemma.evals.nodes.cases import Case, Kind
from docgemma.evals.suite import Asked
from docgemma.llm.contract import LanguageModel, Prompt, T, current_usage, deciding_temperature
from docgemma.llm.prompting import PromptFolder
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, TOOLS, Tool

PROMPTS = PromptFolder("docgemma.evals.nodes", "prompts", labels=tuple(tool.label for tool in TOOLS))
render = PROMPTS.render
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


# ----------
# The product's own questions, one at a time: its prompts and schemas, without the rules that stand around them.
#
# One thing differs from a turn: all ten tools are open. What code narrows beforehand is measured by the suite `turns`.


async def intent(asker: Asker, case: Case, state: State) -> Reply:
    answer = await asker.decide(intent_prompt(state), IntentClassification, max_tokens=INTENT_TOKENS)
    return Reply(choice=answer.intent, suggested=answer.suggested_tool)


async def selection(asker: Asker, case: Case, state: State) -> Reply:
    """Stage 1. Its worked example is for the tool that the rules find likeliest, as in a turn without a suggestion."""
    prompt = selection_prompt(state, left_open(state) or TOOL_NAMES)
    answer = await asker.decide(prompt, open_selection(state), max_tokens=STAGE_1_TOKENS)
    return Reply(choice=answer.tool_name)


async def arguments(asker: Asker, case: Case, state: State) -> Reply:
    """Stage 2, as the model answers it: before code checks each value for a source."""
    tool = tool_of(case)
    prompt = arguments_prompt(state, tool, by_rule(state, tool.name, None))
    answer = await asker.decide(prompt, tool.args, max_tokens=STAGE_2_TOKENS)
    return Reply(arguments=answer.model_dump())


async def result(asker: Asker, case: Case, state: State) -> Reply:
    prompt = assessment_prompt(state, state["runs"][-1])
    return Reply(choice=(await asker.decide(prompt, ResultAssessment, max_tokens=RESULT_TOKENS)).quality)


async def retry(asker: Asker, case: Case, state: State) -> Reply:
    prompt = retry_prompt(state, state["runs"][-1])
    return Reply(choice=(await asker.decide(prompt, RetryStrategy, max_tokens=RETRY_TOKENS)).strategy)


async def any_kind(asker: Asker, case: Case, state: State) -> Reply:
    """Each case as the product asks it."""
    return await _BY_KIND[case.kind](asker, case, state)


def open_selection(state: State) -> type[ToolSelection]:
    """All ten, and after a look-up also that no more is needed."""
    return tool_selection((*TOOL_NAMES, "none") if state["runs"] else TOOL_NAMES)


def tool_of(case: Case) -> Tool:
    assert case.tool is not None, "a case of arguments names its tool: its validator sees to that"
    return REGISTRY[case.tool]


_BY_KIND = {
    "intent": intent,
    "selection": selection,
    "step": selection,
    "arguments": arguments,
    "result": result,
    "retry": retry,
}
ASKED_BY_PRODUCT: frozenset[Kind] = frozenset({"intent", "selection", "step", "arguments", "result", "retry"})
