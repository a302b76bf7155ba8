"""A call lacks something, or it makes no sense: the model reads the request once more for that tool alone."""

from __future__ import annotations

from docgemma.agent.arguments import declared
from docgemma.agent.asking import Live, ask_model
from docgemma.agent.progress import current_part
from docgemma.agent.queries import details_prompt, listed_arguments, sourced_arguments, subject_of
from docgemma.agent.state import State, step
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 128


async def fix_args(state: State, runtime: Live) -> State:
    """What was found stays; the model fills the rest, and of that only what has a source counts."""
    tool, part = REGISTRY[state["tool"]], current_part(state)
    missing = [name.replace("_", " ") for name in state["missing"]]
    subtask = part.words if part else ""
    prompt = details_prompt(state, "fix_args", tool, state["args"], subtask=subtask, missing=missing)
    answer, by = await ask_model(runtime, prompt, tool.args, MAX_TOKENS)
    subject = subject_of(state, tool.name, state.get("query", ""))
    said = sourced_arguments(state, tool.name, answer.model_dump(exclude_none=True), subject)
    found = declared(tool.name, {**said, **state["args"]})
    return {
        "args": found.args,
        "missing": found.missing,
        "asked": state.get("asked", 0) + 1,
        "timeline": step("fix_args", "Reading the details again", listed_arguments(found), by=by),
    }
