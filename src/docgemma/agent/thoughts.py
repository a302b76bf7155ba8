"""What a model writes to itself: context for later nodes, shown to nobody and a source for nothing."""

from __future__ import annotations

from langgraph.runtime import Runtime

from docgemma.agent.state import Services
from docgemma.llm.contract import Prompt

MAX_TOKENS = 1024
TEMPERATURE = 0.5
LONGEST = 4_000
"""Characters of it that are kept: about a thousand tokens, whatever a server makes of the limit."""


async def thought(runtime: Runtime[Services], prompt: Prompt) -> str:
    """What the model writes to itself. Nobody sees it arrive, for nothing in it was checked."""
    pieces = [
        piece async for piece in runtime.context.llm.write(prompt, temperature=TEMPERATURE, max_tokens=MAX_TOKENS)
    ]
    return "".join(pieces).strip()[:LONGEST]


def told(text: str) -> str:
    """How much was thought, by number only: the timeline repeats nothing that no source supports."""
    return f"{len(text.split())} words" if text else "nothing was written"
