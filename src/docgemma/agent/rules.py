"""The table of node rules: what each model node answers when there is no model, or none that can be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from docgemma.agent.nodes import (
    complexity_router,
    decompose_intent,
    decompose_request,
    error_handler,
    extract_needs,
    intent_classify,
    plan_call,
    plan_tool,
    reasoning,
    result_classify,
    synthesize,
    thinking,
    thinking_mode,
    tool_select,
    triage_router,
)
from docgemma.agent.queries import arguments_rule
from docgemma.agent.vision.looking import nobody_compared, nobody_looked, nobody_marked

_NODES = (
    *(intent_classify, tool_select, result_classify, error_handler, synthesize),
    *(triage_router, thinking, extract_needs, reasoning, decompose_intent, plan_tool),
    *(complexity_router, thinking_mode, decompose_request, plan_call),
)

RULES: Mapping[str, Callable[[Mapping[str, Any]], BaseModel | str]] = {
    "input_assembly": nobody_looked,
    "image_comparison": nobody_compared,
    "image_regions": nobody_marked,
    "tool_select_arguments": arguments_rule,
    "fix_args": arguments_rule,
    **{node.__name__.rpartition(".")[2]: node.rule for node in _NODES},
}
