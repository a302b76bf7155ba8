"""A look-up failed: ask, skip or try again. Asking and skipping are code; the model only says how to retry a read."""

from __future__ import annotations

from docgemma.agent.answer.errors import error_text
from docgemma.agent.asking import Live, Variables, ask_model, prompt_of
from docgemma.agent.outcomes import ask_user, count_retry, gives_up, skip_run
from docgemma.agent.schemas import RetryStrategy
from docgemma.agent.state import State, ToolRun, entity_of, step
from docgemma.clinical import TRANSIENT
from docgemma.llm.contract import Prompt

MAX_TOKENS = 64
LABEL = "Handling a problem"


async def error_handler(state: State, runtime: Live) -> State:
    """The table of who decides what: people choose patients and give missing details, code counts tries."""
    run = state["runs"][-1]
    question = ask_user(state, run, "error_handler", LABEL)
    if question is not None:
        return question
    if gives_up(state, run):
        told = step("error_handler", LABEL, f"goes on without: {run.label}")
        return skip_run(state, run) | {"action": "skip", "timeline": told}
    return await _retry(state, runtime, run)


def rule(variables: Variables) -> RetryStrategy:
    """Without a model: what passes by itself is tried the same way, the rest in other words."""
    same = variables["error_type"] in TRANSIENT
    return RetryStrategy(strategy="retry_same" if same else "retry_different_args")


def retry_prompt(state: State, run: ToolRun) -> Prompt:
    """What the model is asked about a look-up that may be tried again."""
    return prompt_of(
        state,
        "error_handler",
        label=run.label,
        args="; ".join(f"{name}: {value}" for name, value in run.args.items()),
        problem=error_text(run.result, run.label, entity_of(run), final=False),
        error_type=run.result.error_type,
    )


async def _retry(state: State, runtime: Live, run: ToolRun) -> State:
    answer, by = await ask_model(runtime, retry_prompt(state, run), RetryStrategy, MAX_TOKENS)
    words = "tries the same again" if answer.strategy == "retry_same" else "tries other words"
    told = step("error_handler", LABEL, words, by=by)
    return count_retry(state) | {"action": answer.strategy, "timeline": told}
