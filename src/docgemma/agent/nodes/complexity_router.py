"""Whether the message can be answered directly, or needs something from outside. An image always does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.aliases import old_name
from docgemma.agent.decomposition import Complexity, ComplexityClassification, Part
from docgemma.agent.prompts import render
from docgemma.agent.shortcuts import used
from docgemma.agent.state import Services, State, step
from docgemma.agent.subtasks import after_answer
from docgemma.clinical import By
from docgemma.llm.contract import current_usage

MAX_TOKENS = 128
LABEL = "Understanding the request"


async def complexity_router(state: State, runtime: Runtime[Services]) -> State:
    """One binary decision. What an answer to a question goes on with is known, and is asked of nobody."""
    entities = state["entities"]
    if state.get("resumed") or state.get("picked"):
        return _sorted("complex", "answered question: the request goes on") | {"parts": _going_on(state)}
    if state.get("clarification"):
        return _sorted("complex", "the question to the user is still open")
    if state.get("said"):
        return _sorted("direct", "the offer was declined")
    if entities.undoable and not state["needs"]:
        return _sorted("direct", "no tool does what was asked")
    if "greeting" in runtime.context.shortcuts and entities.small_talk:
        return _sorted("direct", used("greeting"))
    if state.get("image") is not None:
        return _sorted("complex", "an image is attached")
    prompt = render(
        "complexity_router",
        history=state.get("history", ()),
        message=state["request"],
        image="no",
        entities=entities,
        needs=state["needs"],
    )
    answer = await runtime.context.llm.decide(prompt, ComplexityClassification, max_tokens=MAX_TOKENS)
    return _sorted(answer.complexity, by=current_usage().answered_by)


def rule(variables: Mapping[str, Any]) -> ComplexityClassification:
    """Without a model: complex is what a pattern asks a look-up for, or what names a patient."""
    return ComplexityClassification(complexity="complex" if variables["needs"] else "direct", reasoning="")


def _going_on(state: State) -> tuple[Part, ...]:
    """The interrupted call and what else the request asks for, as code plans them."""
    return tuple(
        Part("", old_name(task.need.tool), need=task.need, settled=True)
        for task in after_answer(state)
        if task.need is not None
    )


def _sorted(complexity: Complexity, why: str = "", by: By = "code") -> State:
    words = "can be answered directly" if complexity == "direct" else "needs a look-up"
    return {
        "complexity": complexity,
        "intent": "DIRECT" if complexity == "direct" else "TOOL_NEEDED",
        "parts": (),
        "subtask": 0,
        "iterations": 0,
        "timeline": step("complexity_router", LABEL, f"{words} ({why})" if why else words, by=by),
    }
