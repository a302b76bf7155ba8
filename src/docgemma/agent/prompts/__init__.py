"""The prompts, one file a node. Data goes last, so that a server can keep the fixed beginning in its cache."""

from __future__ import annotations

from docgemma.llm.prompting import PromptFolder
from docgemma.tools.registry import TOOLS

PROMPTS = PromptFolder("docgemma.agent", "prompts", labels=tuple(tool.label for tool in TOOLS))
render = PROMPTS.render
