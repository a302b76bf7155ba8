"""Ways to ask a model one thing: as the product does, or as the specification measured and the product does not.

No rule stands in for the model: what does not fit is a miss. One thing differs from a turn of the product: all ten
tools are open. What code narrows beforehand is measured by the suite `turns`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from docgemma.agent.answer.errors import error_text
from docgemma.agent.asking import results_so_far
from docgemma.agent.nodes import error_handler, intent_classify, result_classify
from docgemma.agent.nodes.tool_select import EXAMPLE_OF, STAGE_1_TOKENS, STAGE_2_TOKENS, left_open
from docgemma.agent.nodes.tool_select import arguments_prompt as product_arguments
from docgemma.agent.nodes.tool_select import selection_prompt as product_selection
from docgemma.agent.prompts import render as as_product
from docgemma.agent.queries import by_rule
from docgemma.agent.schemas import IntentClassification, ResultAssessment, RetryStrategy, tool_selection
from docgemma.agent.state import State, ToolRun, entity_of, patient_context
from docgemma.clinical import Frozen, holding
from docgemma.evals.casefiles import table
from docgemma.evals.question_schemas import NextAction, Sufficiency, Suitable, TaskPlan, joint, nullable_arguments
from docgemma.evals.suite import STANDARD, Asked, abouts
from docgemma.llm.contract import LanguageModel, Prompt, T, current_usage, deciding_temperature
from docgemma.llm.prompting import PromptFolder, Trusted
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, TOOLS, Tool, ToolName

if TYPE_CHECKING:
    from docgemma.evals.nodes import Case

render = PromptFolder("docgemma.evals", "prompts", labels=tuple(tool.label for tool in TOOLS)).render
PREFIX = Trusted("Analyzing the task requirements, ")
REASONING_TOKENS, JOINT_TOKENS, PLAN_TOKENS, CHOICE_TOKENS = 200, 400, 256, 64
_FAR = 5  # down the list of tools, where the example of a misleading question is taken from


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of asking one case: a choice, the values of a call, the steps of a plan, or the tools approved."""

    choice: str = ""
    suggested: str | None = None
    arguments: Mapping[str, Any] | None = None
    steps: tuple[str, ...] = ()
    approved: tuple[str, ...] | None = None


def chosen(answer: BaseModel) -> Reply:
    """What a schema decides stands in its first field."""
    return Reply(next(iter(dict(answer).values())), suggested=getattr(answer, "suggested_tool", None))


@dataclass(slots=True)
class Asker:
    """One case's questions to the model, in order."""

    model: LanguageModel
    temperature: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    again: int = 0
    """Decisions that the back end had to ask for a second time."""

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        before, said = current_usage().calls, "nothing that fits"
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


class Way(Frozen):
    """How one configuration asks cases of the kind that its name begins with; `standard` takes all the product asks.

    What is its own stands in `suites.toml` under `asks`. `shots`: worked examples, the first of them for the tool that
    seems likeliest. `few`: asked of the cases marked for it alone, because each costs ten calls. `several_fields`: only
    of tools whose fields have an order.
    """

    name: str
    question: str = ""
    tools: Literal["full", "short", "none"] = "full"
    shots: int = 0
    misleading: bool = False
    prefix: bool = False
    nullable: bool = False
    reverse: bool = False
    few: bool = False
    several_fields: bool = False
    temperature: float = 0.0

    @property
    def as_product(self) -> bool:
        """Asked with the product's own prompt and schema: then also rules can answer."""
        return not self.question

    def takes(self, case: Case) -> bool:
        kinds = PRODUCT if self.name == STANDARD else (self.name.partition("_")[0],)
        if case.kind not in kinds or (self.few and not case.probe):
            return False
        return not self.several_fields or (case.tool is not None and len(REGISTRY[case.tool].args.model_fields) > 1)

    async def ask(self, asker: Asker, case: Case, state: State) -> Reply:
        moment = Moment(self, case, state)
        if self.question == "probed":
            return await _probed(asker, moment)
        if self.question == "reasoned":  # free reasoning first; then the selection, which reads it
            prompt = render("reasoning", **moment.about, tool_list=_tool_list("full"))
            reasoning = await asker.write(prompt, max_tokens=REASONING_TOKENS)
            question = replace(VARIED["selected"], prompt=partial(_selection, reasoning=reasoning))
        else:
            question = PRODUCT[case.kind] if self.as_product else VARIED[self.question]
        schema = question.schema(moment)
        answer = await asker.decide(question.prompt(moment), schema, max_tokens=question.tokens)
        return question.reply(answer)


@dataclass(frozen=True, slots=True)
class Moment:
    """A case that is asked in one of the ways, and the state of its turn."""

    way: Way
    case: Case
    state: State

    @property
    def about(self) -> dict[str, Any]:
        return {"message": self.state["request"], "patient": patient_context(self.state)}

    @property
    def run(self) -> ToolRun:
        """The look-up that the question is about."""
        return self.state["runs"][-1]

    @property
    def tool(self) -> Tool:
        """A case of arguments names its tool: its validator sees to that."""
        assert self.case.tool is not None
        return REGISTRY[self.case.tool]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked at a moment, which answers fit, how long they may be, and what is read from one."""

    prompt: Callable[[Moment], Prompt]
    schema: Callable[[Moment], type[BaseModel]]
    tokens: int
    reply: Callable[[Any], Reply] = chosen


@cache
def ways() -> dict[str, Way]:
    """Every named way of asking."""
    return {one.name: Way(name=one.name, **one.asks) for one in abouts()["nodes"].configurations}


def tool_words() -> dict[str, Any]:
    """Of each tool a short description, and the arguments of its worked example."""
    return table("tool_words.toml")


# ----------
# The product's own questions, one at a time, without the rules that stand around them.


def _tools_open(moment: Moment) -> type[BaseModel]:
    """All ten, and after a look-up also that no more is needed."""
    return tool_selection((*TOOL_NAMES, "none") if moment.state["runs"] else TOOL_NAMES)


SELECTING = Question(
    # The worked example is for the tool that the rules find likeliest, as in a turn without a suggestion.
    lambda at: product_selection(at.state, left_open(at.state) or TOOL_NAMES),
    _tools_open,
    STAGE_1_TOKENS,
)
PRODUCT: dict[str, Question] = {
    "intent": Question(
        lambda at: intent_classify.intent_prompt(at.state), lambda _: IntentClassification, intent_classify.MAX_TOKENS
    ),
    "selection": SELECTING,
    "step": SELECTING,
    # Stage 2, as the model answers it: before code checks each value for a source.
    "arguments": Question(
        lambda at: product_arguments(at.state, at.tool, by_rule(at.state, at.tool.name, None)),
        lambda at: at.tool.args,
        STAGE_2_TOKENS,
        lambda answer: Reply(arguments=answer.model_dump()),
    ),
    "result": Question(
        lambda at: result_classify.assessment_prompt(at.state, at.run),
        lambda _: ResultAssessment,
        result_classify.MAX_TOKENS,
    ),
    "retry": Question(
        lambda at: error_handler.retry_prompt(at.state, at.run), lambda _: RetryStrategy, error_handler.MAX_TOKENS
    ),
}


# ----------
# Other ways to ask the same, each of which differs in one named thing, and what the product never asks a model.
#
# The base of a selection has neither the worked example nor the opening words of the product's prompt: each can be
# added alone. Arguments are always asked for without what rules detected.


@cache
def sorted_requests() -> tuple[dict[str, Trusted], ...]:
    """Six requests that were sorted before, by turns, so that neither answer is merely the last one seen."""
    direct = ("Why does fever raise the pulse?", "What is a Colles fracture?", "Thank you!")
    tools: tuple[ToolName, ...] = ("check_drug_safety", "get_patient_chart", "prescribe_medication")
    pairs = zip(direct, (EXAMPLE_OF[tool] for tool in tools), strict=True)
    found = [pair for one, other in pairs for pair in ((one, "DIRECT"), (other, "TOOL_NEEDED"))]
    return tuple({"query": Trusted(query), "intent": Trusted(intent)} for query, intent in found)


def _selection(at: Moment, *, reasoning: str = "", joint: bool = False) -> Prompt:
    """Its examples: the likeliest tool first, then those that follow it in the list; or one that is far from it."""
    way = at.way
    first = TOOL_NAMES.index((left_open(at.state) or TOOL_NAMES)[0]) + (_FAR if way.misleading else 0)
    named = [TOOL_NAMES[(first + place) % len(TOOL_NAMES)] for place in range(way.shots)]
    return render(
        "selection",
        **at.about,
        tool_list=_tool_list(way.tools),
        examples=[{"query": Trusted(EXAMPLE_OF[name]), "tool": Trusted(name)} for name in named],
        prefix=PREFIX if way.prefix else "",
        reasoning=reasoning,
        joint=joint,
    )


def _tool_list(form: Literal["full", "short", "none"]) -> Trusted:
    """Described in full, in a few words with the arguments in brackets, or by name alone."""
    if form == "full":
        return Trusted("\n".join(tool.line() for tool in TOOLS))
    short = {name: f": {tool_words()[name]['short']}" if form == "short" else "" for name in TOOL_NAMES}
    return Trusted("\n".join(f"- {name}{words}" for name, words in short.items()))


def _both(answer: Any) -> Reply:
    """The tool and its arguments in one answer; those of other tools do not count."""
    values = answer.model_dump()
    chosen = values.pop("tool_name")
    return Reply(chosen, arguments={name: values[name] for name in REGISTRY[chosen].args.model_fields})


def _arguments(at: Moment) -> Prompt:
    """With `shots`, one worked request for the same tool."""
    return render(
        "arguments",
        message=at.state["request"],
        tool_name=Trusted(at.tool.name),
        tool_description=Trusted(at.tool.description),
        results=results_so_far(at.state),
        example_query=Trusted(EXAMPLE_OF[at.tool.name]) if at.way.shots else "",
        example_arguments=Trusted(json.dumps(tool_words()[at.tool.name]["worked"])),
    )


def _raw_result(at: Moment) -> Prompt:
    """The product's question about a result, with the error as a library words it and the data as they came."""
    return as_product(
        "result_classify",
        message=at.state["request"],
        task_summary=at.state["task_summary"],
        label=at.run.tool,
        result_text=at.case.raw or at.run.result.model_dump_json(exclude_defaults=True),
        result=at.run.result,
    )


def _deferral(at: Moment) -> Prompt:
    """What to do about a problem, with asking the clinician and going on without it among the choices."""
    run = at.run
    return render(
        "deferral",
        message=at.state["request"],
        label=run.label,
        args="; ".join(f"{name}: {value}" for name, value in run.args.items()),
        tries=run.attempts,
        problem=error_text(run.result, run.label, entity_of(run), final=False),
    )


async def _probed(asker: Asker, at: Moment) -> Reply:
    """Ten questions, one for each tool. The choice is the first one that was called suitable."""
    approved: list[str] = []
    for tool in TOOLS:
        prompt = render("suitable", **at.about, tool=Trusted(tool.line()[2:]))
        answer = await asker.decide(prompt, Suitable, max_tokens=STAGE_1_TOKENS)
        approved += [tool.name] if answer.suitable == "yes" else []
    return Reply(approved[0] if approved else "none", approved=tuple(approved))


VARIED: dict[str, Question] = {
    "sorted_by_examples": replace(
        PRODUCT["intent"], prompt=lambda at: render("intent", **at.about, examples=sorted_requests())
    ),
    "selected": replace(SELECTING, prompt=_selection),
    "selected_with_arguments": Question(
        partial(_selection, joint=True), lambda at: joint(reverse=at.way.reverse), JOINT_TOKENS, _both
    ),
    "filled": replace(
        PRODUCT["arguments"],
        prompt=_arguments,
        schema=lambda at: nullable_arguments(at.tool, reverse=at.way.reverse) if at.way.nullable else at.tool.args,
    ),
    "raw_result": replace(PRODUCT["result"], prompt=_raw_result),
    "plan": Question(
        lambda at: render("plan", **at.about, tool_list=_tool_list("full")),
        lambda _: TaskPlan,
        PLAN_TOKENS,
        lambda answer: Reply(steps=answer.tools()),
    ),
    "sufficiency": Question(
        lambda at: render("sufficiency", message=at.state["request"], results=results_so_far(at.state)),
        lambda _: Sufficiency,
        CHOICE_TOKENS,
    ),
    "deferral": Question(_deferral, lambda _: NextAction, CHOICE_TOKENS),
}
"""What `question` names in `suites.toml`; `reasoned` and `probed` ask more than once."""
