"""What the product never asks a model: the whole plan, whether it is enough, whether to ask a person.

And what it never shows one: results as they came.
"""

from __future__ import annotations

from docgemma.agent.answer.errors import error_text
from docgemma.agent.nodes.result_classify import MAX_TOKENS as RESULT_TOKENS
from docgemma.agent.prompts import render as as_product
from docgemma.agent.queries import results_so_far
from docgemma.agent.schemas import ResultAssessment
from docgemma.agent.state import State, entity_of, patient_context
from docgemma.evals.nodes.ablations import render
from docgemma.evals.nodes.ablations.descriptions import FULL_LIST
from docgemma.evals.nodes.ablations.schemas import NextAction, Sufficiency, TaskPlan
from docgemma.evals.nodes.asking import Asker, Reply
from docgemma.evals.nodes.cases import Case

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
