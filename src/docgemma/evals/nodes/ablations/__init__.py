"""Ways of asking that the specification measured and the product does not use: each differs in one named thing."""

from __future__ import annotations

from docgemma.llm.prompting import PromptFolder
from docgemma.tools.registry import TOOLS

PROMPTS = PromptFolder("docgemma.evals.nodes.ablations", "prompts", labels=tuple(tool.label for tool in TOOLS))
render = PROMPTS.render
