"""The table of node rules: what each model node answers when there is no model, or none that can be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from pydantic import BaseModel

Rule = Callable[[Mapping[str, Any]], BaseModel | str]

_NODES = (
    *("intent_classify", "tool_select", "result_classify", "error_handler", "synthesize"),
    *("triage_router", "thinking", "extract_needs", "reasoning", "decompose_intent", "plan_tool"),
    *("complexity_router", "thinking_mode", "decompose_request", "plan_call"),
)
_WHERE: Mapping[str, tuple[str, str]] = {
    **{name: (f"nodes.{name}", "rule") for name in _NODES},
    "tool_select_arguments": ("queries", "arguments_rule"),
    "fix_args": ("queries", "arguments_rule"),
    "input_assembly": ("vision.looking", "nobody_looked"),
    "image_comparison": ("vision.looking", "nobody_compared"),
    "image_regions": ("vision.looking", "nobody_marked"),
}
"""For each prompt the module and the function that answers in the model's place."""


class _Rules(Mapping[str, Rule]):
    """A node is imported when its rule is first asked: most installations run one graph alone."""

    def __getitem__(self, prompt: str) -> Rule:
        module, function = _WHERE[prompt]
        rule: Rule = getattr(import_module(f"docgemma.agent.{module}"), function)
        return rule

    def __iter__(self) -> Iterator[str]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


RULES: Mapping[str, Rule] = _Rules()
