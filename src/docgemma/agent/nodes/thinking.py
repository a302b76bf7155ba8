"""Think about the case before anything is looked up. The text is context for later nodes, never the answer itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.prompts import render
from docgemma.agent.state import Services, State, patient_context, step
from docgemma.agent.thoughts import thought, told
from docgemma.llm.contract import current_usage


async def thinking(state: State, runtime: Runtime[Services]) -> State:
    """A chain of clinical reasoning, without tools and without results."""
    findings = state.get("image_findings")
    prompt = render(
        "thinking",
        history=state.get("history", ()),
        message=state["request"],
        patient=patient_context(state),
        image_findings=findings.text() if findings else "",
    )
    text = await thought(runtime, prompt)
    return {
        "reasoning": text,
        "timeline": step("thinking", "Thinking about the case", told(text), by=current_usage().answered_by),
    }


def rule(variables: Mapping[str, Any]) -> str:
    """Without a model nobody thinks."""
    return ""
