"""Think about the case before anything is looked up. The text is context for later nodes, never the answer itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.asking import think
from docgemma.agent.state import Services, State


async def thinking(state: State, runtime: Runtime[Services]) -> State:
    """A chain of clinical reasoning, without tools and without results."""
    history = state.get("history", ())
    text, told = await think(state, runtime, "thinking", "Thinking about the case", history=history)
    return {"reasoning": text, "timeline": told}


def rule(variables: Mapping[str, Any]) -> str:
    """Without a model nobody thinks."""
    return ""
