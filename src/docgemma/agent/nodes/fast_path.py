"""The short way for a single look-up: tool and query are the triage's, the details are found and checked by code."""

from __future__ import annotations

from langgraph.runtime import Runtime

from docgemma.agent.progress import needs_left
from docgemma.agent.queries import arguments_for, likeliest, listed
from docgemma.agent.state import Services, State, step
from docgemma.tools.registry import REGISTRY, ToolName


async def fast_path(state: State, runtime: Runtime[Services]) -> State:
    """No planning: one call, in and out."""
    tool = state.get("suggested_tool") or _unnamed(state)
    found = arguments_for(state, tool, state.get("query", ""))
    return {
        "tool": tool,
        "args": found.args,
        "missing": found.missing,
        "timeline": [
            *step("fast_path", "Choosing an action", REGISTRY[tool].label),
            *step("fast_path", "Reading the details", listed(found)),
        ],
    }


def _unnamed(state: State) -> ToolName:
    """A look-up for which the model named no tool: what the words ask for, else the likeliest that only reads."""
    asked = [need.tool for need in needs_left(state)]
    reads = (name for name in likeliest(state) if not REGISTRY[name].writes)
    return asked[0] if asked else next(reads)
