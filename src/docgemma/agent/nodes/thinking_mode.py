"""Think before the request is taken apart. The thoughts serve that one step: no answer and no entry sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.decomposition import ThinkingOutput
from docgemma.agent.prompts import render
from docgemma.agent.state import Services, State, step
from docgemma.llm.contract import current_usage

MAX_TOKENS = 512


async def thinking_mode(state: State, runtime: Runtime[Services]) -> State:
    """Reason about a complex request, in at most 512 characters."""
    prompt = render("thinking_mode", message=state["request"])
    answer = await runtime.context.llm.decide(prompt, ThinkingOutput, max_tokens=MAX_TOKENS)
    thought = answer.reasoning.strip()
    told = f"{len(thought.split())} words" if thought else "nothing was written"
    return {
        "thought": thought,
        "timeline": step("thinking_mode", "Thinking about the case", told, by=current_usage().answered_by),
    }


def rule(variables: Mapping[str, Any]) -> ThinkingOutput:
    """Without a model nobody thinks."""
    return ThinkingOutput(reasoning="")
