"""A call lacks something, or it makes no sense: the model reads the request once more for that tool alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel

from docgemma.agent.arguments import Found
from docgemma.agent.prompts import render
from docgemma.agent.queries import arguments_rule, checked, listed, results_so_far, subject_of
from docgemma.agent.state import Services, State, step
from docgemma.agent.subtasks import current
from docgemma.llm.contract import current_usage
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 128


async def fix_args(state: State, runtime: Runtime[Services]) -> State:
    """What was found stays; the model fills the rest, and of that only what has a source counts."""
    tool, entities, task = REGISTRY[state["tool"]], state["entities"], current(state)
    prompt = render(
        "fix_args",
        message=state["request"],
        subtask=task.words if task else "",
        tool_name=Trusted(tool.name),
        tool_description=Trusted(tool.description),
        results=results_so_far(state),
        patient_ids=[mention.value for mention in entities.patient_ids],
        person_names=[mention.value for mention in entities.person_names],
        drug_names=entities.drug_names(),
        missing=[name.replace("_", " ") for name in state["missing"]],
        found={name: sourced.value for name, sourced in state["args"].items()},
        schema=tool.args,
    )
    answer = await runtime.context.llm.decide(prompt, tool.args, max_tokens=MAX_TOKENS)
    subject = subject_of(state, tool.name, state.get("query", ""))
    args = {**checked(state, tool.name, answer.model_dump(exclude_none=True), subject), **state["args"]}
    found = Found(args=args, missing=tuple(name for name in state["missing"] if name not in args))
    return {
        "args": found.args,
        "missing": found.missing,
        "asked": state.get("asked", 0) + 1,
        "timeline": step("fix_args", "Reading the details again", listed(found), by=current_usage().answered_by),
    }


def rule(variables: Mapping[str, Any]) -> BaseModel:
    """Without a model: what the rules found before, and blanks for the rest, which code then asks for."""
    return arguments_rule(variables)
