"""A look-up failed: ask, skip or try again. Asking and skipping are code; the model only says how to retry a read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.answer.errors import error_text
from docgemma.agent.progress import needs_person
from docgemma.agent.prompts import render
from docgemma.agent.questions import (
    ask_about_amount,
    ask_for_missing,
    ask_to_switch,
    ask_which_drug,
    ask_which_patient,
)
from docgemma.agent.record import Clarification
from docgemma.agent.schemas import RetryStrategy
from docgemma.agent.state import MAX_RETRIES, MAX_TOTAL_RETRIES, Services, State, ToolRun, entity_of, step
from docgemma.agent.switching import finds_another
from docgemma.clinical import TRANSIENT, ErrorType
from docgemma.llm.contract import current_usage
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 64
LABEL = "Handling a problem"
PERMANENT: frozenset[ErrorType] = frozenset({"drug_not_in_database", "not_configured", "invalid_args", "patient_data"})


async def error_handler(state: State, runtime: Runtime[Services]) -> State:
    """The table of who decides what: people choose patients and give missing details, code counts tries."""
    run = state["runs"][-1]
    question = _question(state, run)
    if question is not None:
        return {
            "action": "ask_user",
            "clarification": question,
            "retries": 0,
            "timeline": step("error_handler", LABEL, f"asks the user: {question.reason}"),
        }
    if gives_up(state, run):
        return {
            "action": "skip",
            "errors": [error_text(run.result, run.label, entity_of(run), final=True)],
            "runs": (*state["runs"][:-1], replace(run, skipped=True)),
            "retries": 0,
            "timeline": step("error_handler", LABEL, f"goes on without: {run.label}"),
        }
    return await _retry(state, runtime, run)


def gives_up(state: State, run: ToolRun) -> bool:
    """No more tries: writes never get one, and what is permanent does not pass by waiting."""
    if REGISTRY[run.tool].writes or run.result.error_type in PERMANENT:
        return True
    if state["retries"] >= MAX_RETRIES or state["total_retries"] >= MAX_TOTAL_RETRIES:
        return True
    return run.result.error_type == "service_unavailable" and state["retries"] >= 1


def rule(variables: Mapping[str, Any]) -> RetryStrategy:
    """Without a model: what passes by itself is tried the same way, the rest in other words."""
    same = variables["error_type"] in TRANSIENT
    return RetryStrategy(strategy="retry_same" if same else "retry_different_args")


async def _retry(state: State, runtime: Runtime[Services], run: ToolRun) -> State:
    prompt = render(
        "error_handler",
        message=state["request"],
        label=run.label,
        args="; ".join(f"{name}: {value}" for name, value in run.args.items()),
        problem=error_text(run.result, run.label, entity_of(run), final=False),
        error_type=run.result.error_type,
    )
    answer = await runtime.context.llm.decide(prompt, RetryStrategy, max_tokens=MAX_TOKENS)
    words = "tries the same again" if answer.strategy == "retry_same" else "tries other words"
    return {
        "action": answer.strategy,
        "retries": state["retries"] + 1,
        "total_retries": state["total_retries"] + 1,
        "timeline": step("error_handler", LABEL, words, by=current_usage().answered_by),
    }


def _question(state: State, run: ToolRun) -> Clarification | None:
    """What only the user can settle; a model asked this never defers to a person."""
    if run.result.error_type == "another_patient" or finds_another(state, run):
        return ask_to_switch(state, run)
    if needs_person(run):
        return ask_which_patient(state, run)
    if run.result.error_type == "missing_required_args":
        return ask_for_missing(state, run)
    if run.result.error_type == "ambiguous_drug_name":
        return ask_which_drug(state, run)
    if run.result.error_type == "unclear_amount":
        return ask_about_amount(state, run)
    return None
