"""The prompts, one file a node. Data goes last, so that a server can keep the fixed beginning in its cache."""

from __future__ import annotations

from docgemma.llm.prompting import PromptFolder

PROMPTS = PromptFolder("docgemma.knowledge.consult", "prompts", labels=("entry", "end of entry", "candidate"))
render = PROMPTS.render
