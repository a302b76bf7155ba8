"""Think again, over what was found. Like the first thoughts, this is context for the answer and not the answer."""

from __future__ import annotations

from docgemma.agent.answer.asked import told as told_of
from docgemma.agent.asking import Live, Variables, write_thoughts
from docgemma.agent.shortcuts import shortcut_reason
from docgemma.agent.state import State, step

LABEL = "Thinking about the results"


async def reasoning(state: State, runtime: Live) -> State:
    """The chain goes on where it stopped to look something up. Where nothing was found there is nothing to weigh."""
    found = [run for run in state["runs"] if not run.failed]
    if "nothing_found" in runtime.context.shortcuts and not any(run.result.status == "found" for run in found):
        return {"reasoning": "", "timeline": step("reasoning", LABEL, shortcut_reason("nothing_found"))}
    results = [
        {"label": run.label, "text": told_of(run.result, state["request"]) or "Nothing was found."} for run in found
    ]
    text, told = await write_thoughts(state, runtime, "reasoning", LABEL, results=results, errors=state["errors"])
    return {"reasoning": text or state.get("reasoning", ""), "timeline": told}


def rule(variables: Variables) -> str:
    """Without a model nobody thinks."""
    return ""
