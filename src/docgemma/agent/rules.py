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
    fix_args,
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

RULES: Mapping[str, Callable[[Mapping[str, Any]], BaseModel | str]] = {
    "input_assembly": nobody_looked,
    "image_comparison": nobody_compared,
    "image_regions": nobody_marked,
    "intent_classify": intent_classify.rule,
    "tool_select": tool_select.rule,
    "tool_select_arguments": arguments_rule,
    "result_classify": result_classify.rule,
    "error_handler": error_handler.rule,
    "synthesize": synthesize.rule,
    # triage
    "triage_router": triage_router.rule,
    "fix_args": fix_args.rule,
    "thinking": thinking.rule,
    "extract_needs": extract_needs.rule,
    "reasoning": reasoning.rule,
    "decompose_intent": decompose_intent.rule,
    "plan_tool": plan_tool.rule,
    # decompose
    "complexity_router": complexity_router.rule,
    "thinking_mode": thinking_mode.rule,
    "decompose_request": decompose_request.rule,
    "plan_call": plan_call.rule,
}
