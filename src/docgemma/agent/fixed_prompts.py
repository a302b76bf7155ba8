"""The prompts of a turn with nothing of a turn in them: what an engine can read before anybody asks.

Everything fixed comes first in a prompt, so a question finds its own beginning already read. The prompt for a tool's
arguments is not among them: its beginning is short, and another one for each tool.
"""

from __future__ import annotations

from typing import Any

from docgemma.agent.asking import TOOL_LIST
from docgemma.agent.prompts import render
from docgemma.llm.contract import Prompt
from docgemma.llm.prompting import Trusted


def fixed_prompts() -> tuple[Prompt, ...]:
    """The first question of a turn comes last: what was read last is the nearest at hand."""
    nothing: dict[str, Any] = {"message": "", "patient": "", "image_findings": "", "results": ()}
    answer = nothing | {"task_summary": "", "errors": ()}
    return (
        render("synthesize", brief=False, **answer),
        render("synthesize", brief=True, **answer),
        render("tool_select", tool_list=TOOL_LIST, example_query=Trusted(""), example_tool=Trusted(""), **nothing),
        render("intent_classify", **nothing),
    )
