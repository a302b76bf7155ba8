"""Whether the message can be answered directly, or needs something from outside. An image always does."""

from __future__ import annotations

from docgemma.agent.asking import Live, Variables, decide, intent_update, is_continued, known_intent
from docgemma.agent.progress import parts_after_answer, start_parts
from docgemma.agent.schemas import Complexity, ComplexityClassification
from docgemma.agent.state import State
from docgemma.clinical import By

MAX_TOKENS = 128


async def complexity_router(state: State, runtime: Live) -> State:
    """One binary decision. What an answer to a question goes on with is known, and is asked of nobody."""
    known = known_intent(state, runtime)
    if known is not None and is_continued(state):
        return _sorted("complex", known[1]) | start_parts(parts_after_answer(state))
    if known is not None:
        return _sorted("direct" if known[0] == "DIRECT" else "complex", known[1])
    if state["entities"].undoable and not state["needs"]:
        return _sorted("direct", "no tool does what was asked")
    if state.get("image") is not None:
        return _sorted("complex", "an image is attached")
    own = {"history": state.get("history", ()), "image": "no"}
    answer, by = await decide(state, runtime, "complexity_router", ComplexityClassification, MAX_TOKENS, **own)
    return _sorted(answer.complexity, by=by)


def rule(variables: Variables) -> ComplexityClassification:
    """Without a model: complex is what a pattern asks a look-up for, or what names a patient."""
    return ComplexityClassification(complexity="complex" if variables["needs"] else "direct", reasoning="")


def _sorted(complexity: Complexity, why: str = "", by: By = "code") -> State:
    taken = intent_update("complexity_router", "DIRECT" if complexity == "direct" else "TOOL_NEEDED", why, by)
    return taken | start_parts(()) | {"complexity": complexity}
