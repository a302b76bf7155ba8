"""Ways of asking that the specification measured and the product does not use: each differs in one named thing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.fields import FieldInfo

from docgemma.agent.answer.errors import error_text
from docgemma.agent.asking import results_so_far
from docgemma.agent.nodes.intent_classify import MAX_TOKENS
from docgemma.agent.nodes.result_classify import MAX_TOKENS as RESULT_TOKENS
from docgemma.agent.nodes.tool_select import (
    EXAMPLE_OF,
    STAGE_1_TOKENS,
    STAGE_2_TOKENS,
    left_open,
)
from docgemma.agent.prompts import render as as_product
from docgemma.agent.schemas import (
    Decision,
    IntentClassification,
    ResultAssessment,
)
from docgemma.agent.state import State, entity_of, patient_context
from docgemma.evals.nodes.asking import (
    Asker,
    Reply,
    open_selection,
    render,
    tool_of,
)
from docgemma.evals.nodes.cases import Case
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, TOOLS, Tool, ToolName

SHORT: dict[ToolName, str] = {
    "check_drug_safety": "drug safety information (drug_name)",
    "check_drug_interactions": "drug interactions (drug_names)",
    "search_medical_literature": "medical literature (query)",
    "find_clinical_trials": "clinical trials (condition, status)",
    "search_patient": "find a patient (name)",
    "get_patient_chart": "patient record (patient_id)",
    "prescribe_medication": "medication order (patient_id, medication_name, dosage, frequency)",
    "add_allergy": "allergy entry (patient_id, substance, reaction, severity)",
    "save_clinical_note": "clinical note (patient_id, note_type, note_text)",
    "analyze_medical_image": "image analysis (query)",
}
"""A few words and the arguments in brackets: the form that confused the model which the specification measured."""

FULL_LIST = Trusted("\n".join(tool.line() for tool in TOOLS))
SHORT_LIST = Trusted("\n".join(f"- {tool.name}: {SHORT[tool.name]}" for tool in TOOLS))
BARE_LIST = Trusted("\n".join(f"- {tool.name}" for tool in TOOLS))


# ----------
# What these questions allow as an answer. Not for the product: most of them show what a schema must not look like.


class Shape(BaseModel):
    """An answer whose fields stand in an order that is itself what is measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Suitable(Decision):
    """One tool, one yes or no."""

    suitable: Literal["yes", "no"]


class TaskPlan(Decision):
    """The whole way at once, in five slots: what is not needed is to be left null."""

    step_1: ToolName
    step_2: ToolName | None
    step_3: ToolName | None
    step_4: ToolName | None
    step_5: ToolName | None

    def tools(self) -> tuple[str, ...]:
        slots = (self.step_1, self.step_2, self.step_3, self.step_4, self.step_5)
        return tuple(slot for slot in slots if slot is not None)


class Sufficiency(Decision):
    verdict: Literal["sufficient", "insufficient"]


class NextAction(Decision):
    action: Literal["retry_same", "retry_different_args", "ask_user", "skip_and_continue"]


@cache
def joint(*, reverse: bool = False) -> type[Shape]:
    """The tool and every argument of every tool in one object. All of it must be written, as a value or as null."""
    every: dict[str, FieldInfo] = {}
    for tool in TOOLS:
        for name, info in tool.args.model_fields.items():
            every.setdefault(name, info)
    nullable = {name: _nullable(info) for name, info in every.items()}
    fields = {"tool_name": (ToolName, ...), **nullable}
    return _shape("ToolCallReversed" if reverse else "ToolCall", fields, reverse=reverse)


@cache
def nullable_arguments(tool: Tool, *, reverse: bool = False) -> type[Shape]:
    """The tool's own fields, each of which may be null; in their order, or the critical ones last."""
    fields = {name: _nullable(info) for name, info in tool.args.model_fields.items()}
    name = tool.args.__name__
    return _shape(f"Reversed{name}" if reverse else f"Nullable{name}", fields, reverse=reverse)


def _nullable(field: FieldInfo) -> tuple[Any, Any]:
    """Bounded as it is, and required: null is written down and not left out, so that one null can lead to the next."""
    bounded: Any = field.annotation
    for bound in field.metadata:
        bounded = Annotated[bounded, bound]
    return (bounded | None, ...)


def _shape(name: str, fields: dict[str, Any], *, reverse: bool) -> type[Shape]:
    ordered = dict(reversed(fields.items())) if reverse else fields
    return cast(type[Shape], create_model(name, __base__=Shape, **ordered))


# ----------
# The intent asked with worked examples: the product's own words, and six requests that were sorted before.


_DIRECT = ("Why does fever raise the pulse?", "What is a Colles fracture?", "Thank you!")
_WITH_TOOL: tuple[ToolName, ...] = ("check_drug_safety", "get_patient_chart", "prescribe_medication")
EXAMPLES = tuple(
    {"query": Trusted(query), "intent": Trusted(intent)}
    for direct, tool in zip(_DIRECT, _WITH_TOOL, strict=True)
    for query, intent in ((direct, "DIRECT"), (EXAMPLE_OF[tool], "TOOL_NEEDED"))
)
"""By turns, so that neither answer is merely the last one seen."""


async def intent_with_examples(asker: Asker, case: Case, state: State) -> Reply:
    prompt = render("intent", message=state["request"], patient=patient_context(state), examples=EXAMPLES)
    answer = await asker.decide(prompt, IntentClassification, max_tokens=MAX_TOKENS)
    return Reply(choice=answer.intent, suggested=answer.suggested_tool)


# ----------
# Tool selection asked in other ways. `selection_full` is the base: each of the others differs from it in one thing.
#
# The base has neither the worked example nor the opening words of the product's prompt: each can be added alone.


PREFIX = Trusted("Analyzing the task requirements, ")
REASONING_TOKENS = 200
JOINT_TOKENS = 400
_FAR = 5
"""So far down the list of tools the example of a misleading question is taken from."""


@dataclass(frozen=True, slots=True)
class Selection:
    """One way to ask for the tool. `shots`: worked examples, the first of them for the tool that seems likeliest."""

    tool_list: Trusted = FULL_LIST
    shots: int = 0
    prefix: bool = False
    misleading: bool = False

    async def __call__(self, asker: Asker, case: Case, state: State) -> Reply:
        prompt = render("selection", **self.variables(state))
        answer = await asker.decide(prompt, open_selection(state), max_tokens=STAGE_1_TOKENS)
        return Reply(choice=answer.tool_name)

    def variables(self, state: State, *, reasoning: str = "", together: bool = False) -> Mapping[str, Any]:
        return {
            "message": state["request"],
            "patient": patient_context(state),
            "tool_list": self.tool_list,
            "examples": [_worked(name) for name in self._shown(state)],
            "prefix": PREFIX if self.prefix else "",
            "reasoning": reasoning,
            "joint": together,
        }

    def _shown(self, state: State) -> tuple[ToolName, ...]:
        """The likeliest tool first, then those that follow it in the list; or only one that is far from it."""
        first = TOOL_NAMES.index((left_open(state) or TOOL_NAMES)[0]) + (_FAR if self.misleading else 0)
        return tuple(TOOL_NAMES[(first + place) % len(TOOL_NAMES)] for place in range(self.shots))


@dataclass(frozen=True, slots=True)
class Joint:
    """The tool and its arguments in one answer."""

    reverse: bool = False

    async def __call__(self, asker: Asker, case: Case, state: State) -> Reply:
        prompt = render("selection", **Selection().variables(state, together=True))
        answer = await asker.decide(prompt, joint(reverse=self.reverse), max_tokens=JOINT_TOKENS)
        said = answer.model_dump()
        chosen = said.pop("tool_name")
        return Reply(choice=chosen, arguments={name: said[name] for name in REGISTRY[chosen].args.model_fields})


async def reasoned(asker: Asker, case: Case, state: State) -> Reply:
    """Free reasoning first; then the selection, which reads it."""
    base = Selection().variables(state)
    text = await asker.write(
        render("reasoning", message=base["message"], patient=base["patient"], tool_list=FULL_LIST),
        max_tokens=REASONING_TOKENS,
    )
    prompt = render("selection", **Selection().variables(state, reasoning=text))
    answer = await asker.decide(prompt, open_selection(state), max_tokens=STAGE_1_TOKENS)
    return Reply(choice=answer.tool_name)


async def probed(asker: Asker, case: Case, state: State) -> Reply:
    """Ten questions, one for each tool. The choice is the first one that was called suitable."""
    approved: list[str] = []
    for tool in TOOLS:
        prompt = render(
            "suitable", message=state["request"], patient=patient_context(state), tool=Trusted(tool.line()[2:])
        )
        answer = await asker.decide(prompt, Suitable, max_tokens=STAGE_1_TOKENS)
        approved += [tool.name] if answer.suitable == "yes" else []
    return Reply(choice=approved[0] if approved else "none", approved=tuple(approved))


def _worked(name: ToolName) -> dict[str, Trusted]:
    return {"query": Trusted(EXAMPLE_OF[name]), "tool": Trusted(name)}


# ----------
# Arguments asked for in other ways: without what rules detected, with fields that may be null, in reverse order.


Fields = Literal["required", "nullable", "reversed"]

WORKED: dict[ToolName, dict[str, Any]] = {
    "check_drug_safety": {"drug_name": "flecainide"},
    "check_drug_interactions": {"drug_names": ["clarithromycin", "simvastatin", "amlodipine"]},
    "search_medical_literature": {"query": "colchicine after pericarditis"},
    "find_clinical_trials": {"condition": "cystic fibrosis", "status": "recruiting"},
    "search_patient": {"name": "Helen Brandt"},
    "get_patient_chart": {"patient_id": "kdm-204"},
    "prescribe_medication": {
        "patient_id": "kdm-204",
        "medication_name": "doxycycline",
        "dosage": "100 mg",
        "frequency": "twice daily",
    },
    "add_allergy": {"patient_id": "kdm-204", "substance": "shellfish", "reaction": "hives"},
    "save_clinical_note": {"patient_id": "kdm-204", "note_type": "procedure note"},
    "analyze_medical_image": {"query": "position of the line tip"},
}
"""The answers to the product's own worked examples."""


@dataclass(frozen=True, slots=True)
class Filling:
    """One way to ask for the arguments, always without hints. `example`: one worked request for the same tool."""

    fields: Fields = "required"
    example: bool = False

    async def __call__(self, asker: Asker, case: Case, state: State) -> Reply:
        tool = tool_of(case)
        query = EXAMPLE_OF[tool.name]
        prompt = render(
            "arguments",
            message=state["request"],
            tool_name=Trusted(tool.name),
            tool_description=Trusted(tool.description),
            results=results_so_far(state),
            example_query=Trusted(query) if self.example else "",
            example_arguments=Trusted(json.dumps(WORKED[tool.name])),
        )
        answer = await asker.decide(prompt, self._schema(tool), max_tokens=STAGE_2_TOKENS)
        return Reply(arguments=answer.model_dump())

    def _schema(self, tool: Tool) -> type[BaseModel]:
        if self.fields == "required":
            return tool.args
        return nullable_arguments(tool, reverse=self.fields == "reversed")


# ----------
# What the product never asks a model: the whole plan, whether it is enough, whether to ask a person.
#
# And what it never shows one: results as they came.


PLAN_TOKENS = 256
CHOICE_TOKENS = 64


async def plan(asker: Asker, case: Case, state: State) -> Reply:
    """All steps at once."""
    prompt = render("plan", message=state["request"], patient=patient_context(state), tool_list=FULL_LIST)
    return Reply(steps=(await asker.decide(prompt, TaskPlan, max_tokens=PLAN_TOKENS)).tools())


async def sufficiency(asker: Asker, case: Case, state: State) -> Reply:
    """Whether what was found answers the question."""
    prompt = render("sufficiency", message=state["request"], results=results_so_far(state))
    return Reply(choice=(await asker.decide(prompt, Sufficiency, max_tokens=CHOICE_TOKENS)).verdict)


async def deferral(asker: Asker, case: Case, state: State) -> Reply:
    """What to do about a problem, with asking the clinician and going on without it among the choices."""
    run = state["runs"][-1]
    prompt = render(
        "deferral",
        message=state["request"],
        label=run.label,
        args="; ".join(f"{name}: {value}" for name, value in run.args.items()),
        tries=run.attempts,
        problem=error_text(run.result, run.label, entity_of(run), final=False),
    )
    return Reply(choice=(await asker.decide(prompt, NextAction, max_tokens=CHOICE_TOKENS)).action)


async def raw_result(asker: Asker, case: Case, state: State) -> Reply:
    """The product's question about a result, with the error as a library words it and the data as they came."""
    run = state["runs"][-1]
    raw = case.raw or run.result.model_dump_json(exclude_defaults=True)
    prompt = as_product(
        "result_classify",
        message=state["request"],
        task_summary=state["task_summary"],
        label=run.tool,
        result_text=raw,
        result=run.result,
    )
    return Reply(choice=(await asker.decide(prompt, ResultAssessment, max_tokens=RESULT_TOKENS)).quality)
