"""The ways to ask for an answer, each of which changes one thing in the prompt of the product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from docgemma.agent.nodes.synthesize import MAX_TOKENS, TEMPERATURE
from docgemma.agent.prompts import render
from docgemma.clinical import Frozen
from docgemma.evals.casefiles import table
from docgemma.evals.suite import abouts
from docgemma.llm.contract import Message, Prompt

_TEMPLATE = """Write the answer in exactly this form and fill in every section:

## Summary
## Key findings
## Risks and contraindications
## Recommendations
## Sources"""
_THINK = "SYSTEM INSTRUCTION: think silently if needed."
_STEPS = "Think through the findings step by step first, then answer."


def with_thinking(prompt: Prompt) -> Prompt:
    """MedGemma's own trigger at the start, and at the end what makes any model think aloud."""
    first, *rest = prompt.messages
    return _and_then(replace(prompt, messages=(Message(first.role, f"{_THINK}\n\n{first.text}"), *rest)), _STEPS)


def with_raw_errors(prompt: Prompt) -> Prompt:
    """What a failed call gave back, where the product puts a plain sentence."""
    raw = table("raw_errors.toml")
    failed = [
        {"label": label, "text": f"Error: {raw.get(result.error_type or '', raw['any'])}"}
        for label, result in prompt.variables["found"]
        if result.status in ("unavailable", "not_found", "invalid")
    ]
    labels = {one["label"] for one in failed}
    kept = [one for one in prompt.variables["results"] if one["label"] not in labels]
    return _again(prompt, results=[*kept, *failed], errors=[])


VARIED: Mapping[str, Callable[[Prompt], Prompt]] = {
    "without_context": lambda prompt: _again(prompt, task_summary=""),
    "without_history": lambda prompt: _again(prompt, earlier=()),
    "with_template": lambda prompt: _and_then(prompt, _TEMPLATE),
    "with_thinking": with_thinking,
    "with_raw_errors": with_raw_errors,
}


class Way(Frozen):
    """How one configuration asks: what stands under `asks` in `suites.toml`.

    `checked`: scored on what the user is shown; else on what the model wrote.
    """

    temperature: float = TEMPERATURE
    tokens: int = MAX_TOKENS
    vary: str = ""
    checked: bool = False


@cache
def ways() -> Mapping[str, Way]:
    """Every named way of asking."""
    return {one.name: Way(**one.asks) for one in abouts()["answers"].configurations}


def _again(prompt: Prompt, **changed: Any) -> Prompt:
    """The same question rendered anew with other values."""
    variables = dict(prompt.variables) | changed
    return render(prompt.name, history=variables["earlier"], **variables)


def _and_then(prompt: Prompt, text: str) -> Prompt:
    *first, last = prompt.messages
    return replace(prompt, messages=(*first, Message(last.role, f"{last.text}\n\n{text}")))
