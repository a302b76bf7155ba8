"""Take a request apart: at most five subtasks, in the order in which they are worked on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from langgraph.runtime import Runtime

from docgemma.agent.plans import MOST_SUBTASKS, IntentDecomposition, subtasks_of
from docgemma.agent.prompts import render
from docgemma.agent.state import Services, State, patient_context, step
from docgemma.agent.subtasks import begun
from docgemma.agent.understanding.needs import Need
from docgemma.llm.contract import current_usage
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 384


async def decompose_intent(state: State, runtime: Runtime[Services]) -> State:
    """The model's own list, as it is: whether a small model can make one is what this graph measures."""
    findings = state.get("image_findings")
    prompt = render(
        "decompose_intent",
        history=state.get("history", ()),
        message=state["request"],
        patient=patient_context(state),
        image_findings=findings.text() if findings else "",
        needs=state["needs"],
    )
    answer = await runtime.context.llm.decide(prompt, IntentDecomposition, max_tokens=MAX_TOKENS)
    subtasks = subtasks_of(answer, state["request"])
    detail = f"{len(subtasks)} part{'s' if len(subtasks) > 1 else ''}"
    return begun(subtasks) | {
        "timeline": step("decompose_intent", "Taking the request apart", detail, by=current_usage().answered_by)
    }


def rule(variables: Mapping[str, Any]) -> IntentDecomposition:
    """Without a model: one part for each look-up that the words of the request ask for."""
    parts = [_part(need) for need in variables["needs"][:MOST_SUBTASKS]] or [str(variables["message"])[:160]]
    return IntentDecomposition(count=cast(Literal[1, 2, 3, 4, 5], len(parts)), subtasks=parts)


def _part(need: Need) -> str:
    label = REGISTRY[need.tool].label
    return (f"{label}: {need.subject}" if need.subject else label)[:160]
