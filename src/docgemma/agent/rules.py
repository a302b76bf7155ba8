"""The table of node rules: what each model node answers when there is no model, or none that can be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from docgemma.agent.nodes import (
    error_handler,
    intent_classify,
    result_classify,
    synthesize,
    tool_select,
)
from docgemma.agent.vision.looking import nobody_compared, nobody_looked, nobody_marked

RULES: Mapping[str, Callable[[Mapping[str, Any]], BaseModel | str]] = {
    "input_assembly": nobody_looked,
    "image_comparison": nobody_compared,
    "image_regions": nobody_marked,
    "intent_classify": intent_classify.rule,
    "tool_select": tool_select.rule,
    "tool_select_arguments": tool_select.arguments_rule,
    "result_classify": result_classify.rule,
    "error_handler": error_handler.rule,
    "synthesize": synthesize.rule,
}
