"""An exchange in words, as the timeline would call it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docgemma.tools.registry import REGISTRY

STEPS: Mapping[str, str] = {
    "input_assembly": "Looking at the image",
    "image_comparison": "Comparing two images",
    "intent_classify": "Understanding the request",
    "tool_select": "Choosing an action",
    "tool_select_arguments": "Reading the details",
    "result_classify": "Judging the result",
    "error_handler": "Handling a problem",
    "synthesize": "Writing the answer",
    "triage_router": "Understanding the request",
    "fix_args": "Reading the details again",
    "thinking": "Thinking about the case",
    "extract_needs": "What to look up",
    "decompose_intent": "Taking the request apart",
    "plan_tool": "Choosing an action",
    "reasoning": "Thinking about the results",
    "complexity_router": "Understanding the request",
    "thinking_mode": "Thinking about the case",
    "decompose_request": "Taking the request apart",
    "plan_call": "Choosing an action",
}
"""What a prompt is for."""

_OTHERS = {
    "who": "Who this patient is",
    "summary": "The patient's summary",
    "vote": "What the message reads like",
    "curated": "What the knowledge base says",
}


def named(kind: str, name: str, args: Mapping[str, Any] | None = None) -> str:
    """What was asked for: a step of the model, a look-up with its details, or something of the record system."""
    if kind in ("decide", "write"):
        return STEPS.get(name, name)
    if kind == "tool":
        label = REGISTRY[name].label if name in REGISTRY else name
        return f"{label} ({listed(args)})" if args else label
    return f"{_OTHERS[kind]} ({name})"


def listed(values: object) -> str:
    """Fields and their values on one line."""
    if not isinstance(values, Mapping):
        return str(values)
    return "; ".join(f"{str(name).replace('_', ' ')}: {value}" for name, value in values.items()) or "nothing"
