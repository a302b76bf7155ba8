"""Think before the request is taken apart. The thoughts serve that one step: no answer and no entry sees them."""

from __future__ import annotations

from docgemma.agent.asking import Live, Variables, decide, thoughts_step
from docgemma.agent.schemas import ThinkingOutput
from docgemma.agent.state import State

MAX_TOKENS = 512


async def thinking_mode(state: State, runtime: Live) -> State:
    """Reason about a complex request, in at most 512 characters."""
    answer, _ = await decide(state, runtime, "thinking_mode", ThinkingOutput, MAX_TOKENS)
    text = answer.reasoning.strip()
    return {"thought": text, "timeline": thoughts_step("thinking_mode", "Thinking about the case", text)}


def rule(variables: Variables) -> ThinkingOutput:
    """Without a model nobody thinks."""
    return ThinkingOutput(reasoning="")
