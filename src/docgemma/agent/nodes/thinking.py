"""Think about the case before anything is looked up. The text is context for later nodes, never the answer itself."""

from __future__ import annotations

from docgemma.agent.asking import Live, Variables, write_thoughts
from docgemma.agent.state import State


async def thinking(state: State, runtime: Live) -> State:
    """A chain of clinical reasoning, without tools and without results."""
    history = state.get("history", ())
    text, told = await write_thoughts(state, runtime, "thinking", "Thinking about the case", history=history)
    return {"reasoning": text, "timeline": told}


def rule(variables: Variables) -> str:
    """Without a model nobody thinks."""
    return ""
