"""Take a request apart: at most five parts, in the order in which they are worked on."""

from __future__ import annotations

from typing import Literal, cast

from docgemma.agent.asking import Live, Variables, decide
from docgemma.agent.progress import start_parts
from docgemma.agent.schemas import MOST_PARTS, IntentDecomposition
from docgemma.agent.state import Part, State, step
from docgemma.agent.understanding.needs import Need
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 384


async def decompose_intent(state: State, runtime: Live) -> State:
    """The model's own list: as many parts as it announced, each once; without any the request is one part."""
    history = state.get("history", ())
    answer, by = await decide(state, runtime, "decompose_intent", IntentDecomposition, MAX_TOKENS, history=history)
    told = dict.fromkeys(" ".join(words.split()) for words in answer.subtasks[: answer.count])
    parts = tuple(Part(words) for words in told if words) or (Part(state["request"]),)
    detail = f"{len(parts)} part{'s' if len(parts) > 1 else ''}"
    return start_parts(parts) | {"timeline": step("decompose_intent", "Taking the request apart", detail, by=by)}


def rule(variables: Variables) -> IntentDecomposition:
    """Without a model: one part for each look-up that the words of the request ask for."""
    parts = [_part(need) for need in variables["needs"][:MOST_PARTS]] or [str(variables["message"])[:160]]
    return IntentDecomposition(count=cast(Literal[1, 2, 3, 4, 5], len(parts)), subtasks=parts)


def _part(need: Need) -> str:
    label = REGISTRY[need.tool].label
    return (f"{label}: {need.subject}" if need.subject else label)[:160]
