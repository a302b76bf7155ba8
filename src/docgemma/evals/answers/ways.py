"""The ways to have an answer written: as the product does, and each finding of the specification as one of its own.

Beside `standard` every way is scored on what the model wrote, before any sentence was checked: what the checks catch is
no merit of the model. Its measure is therefore `raw`, which differs from it in one thing alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from docgemma.agent.nodes.synthesize import MAX_TOKENS, TEMPERATURE
from docgemma.agent.prompts import render
from docgemma.clinical import ToolResult
from docgemma.evals.contract import STANDARD, Configuration
from docgemma.llm.contract import Message, Prompt

Vary = Callable[[Prompt], Prompt]

_TEMPLATE = """Write the answer in exactly this form and fill in every section:

## Summary
## Key findings
## Risks and contraindications
## Recommendations
## Sources"""
_THINK = "SYSTEM INSTRUCTION: think silently if needed."
_STEPS = "Think through the findings step by step first, then answer."

_RAW: dict[str, str] = {
    "timeout": "httpx.ReadTimeout: timed out after 10.0 s (GET /drug/label.json?search=…&limit=1)",
    "rate_limit": 'HTTP 429 Too Many Requests: {"error": {"code": "OVER_RATE_LIMIT"}}',
    "server_error": 'HTTP 500 Internal Server Error: {"error": {"code": "SERVER_ERROR", "message": "shard failed"}}',
    "service_unavailable": "ConnectionRefusedError: [Errno 111] Connection refused",
    "not_configured": "KeyError: 'endpoint' (tool registry has no backend)",
    "invalid_response": "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    "drug_not_in_database": 'HTTP 404 Not Found: {"error": {"code": "NOT_FOUND", "message": "No matches found!"}}',
}
_ANY = 'ToolError: {"isError": true, "status": 404, "detail": "no match"}'


def as_it_is(prompt: Prompt) -> Prompt:
    return prompt


def without_context(prompt: Prompt) -> Prompt:
    return _again(prompt, task_summary="")


def without_history(prompt: Prompt) -> Prompt:
    return _again(prompt, earlier=())


def with_template(prompt: Prompt) -> Prompt:
    return _and_then(prompt, _TEMPLATE)


def with_thinking(prompt: Prompt) -> Prompt:
    """MedGemma's own trigger at the start, and at the end what makes any model think aloud."""
    first, *rest = prompt.messages
    return _and_then(replace(prompt, messages=(Message(first.role, f"{_THINK}\n\n{first.text}"), *rest)), _STEPS)


def with_raw_errors(prompt: Prompt) -> Prompt:
    """What a failed call gave back, where the product puts a plain sentence."""
    told = list(prompt.variables["results"])
    failed = [(label, _raw(result)) for label, result in prompt.variables["found"] if _failed(result)]
    told = [one for one in told if one["label"] not in dict(failed)]
    return _again(prompt, results=[*told, *({"label": label, "text": text} for label, text in failed)], errors=[])


@dataclass(frozen=True, slots=True)
class Way:
    """One configuration of the suite."""

    name: str
    means: str
    finding: str = ""
    temperature: float = TEMPERATURE
    tokens: int = MAX_TOKENS
    vary: Vary = as_it_is
    checked: bool = False
    """Scored on what the user is shown; else on what the model wrote."""

    @property
    def configuration(self) -> Configuration:
        return Configuration(self.name, self.means, self.finding)


WAYS: Sequence[Way] = (
    Way(
        STANDARD,
        "as the product answers: temperature 0.5, 256 tokens, every sentence checked",
        "fact rate 90 % at T=0.5; quality 9.7/10 at 256 tokens",
        checked=True,
    ),
    Way("raw", "the same, as the model wrote it before any check; also asked where nothing was found"),
    Way("temperature_0", "raw, temperature 0", "peak fact rate is at 0.5", temperature=0.0),
    Way("temperature_1", "raw, temperature 1", "peak fact rate is at 0.5", temperature=1.0),
    Way("tokens_512", "raw, up to 512 tokens", "quality 9.4 against 9.7 at 256", tokens=512),
    Way(
        "no_context",
        "raw, without the task summary",
        "with the reasoning context: 100 % fact rate, 0 % source leak",
        vary=without_context,
    ),
    Way(
        "template",
        "raw, sections to be filled in",
        "8.3/10, twice the words, 40 % source leak",
        vary=with_template,
    ),
    Way(
        "raw_errors",
        "raw, errors as the services gave them",
        "4.8/10 against 10/10 with errors in plain words",
        vary=with_raw_errors,
    ),
    Way("thinking_prefix", "raw, told to think first", "13 % of the answers empty", vary=with_thinking),
    Way(
        "no_history",
        "raw, without the earlier messages",
        "any prior exchange: highest quality (9.0 to 9.5)",
        vary=without_history,
    ),
)


def way_of(name: str) -> Way:
    return next(way for way in WAYS if way.name == name)


def _again(prompt: Prompt, **changed: Any) -> Prompt:
    """The same question rendered anew with other values."""
    variables = dict(prompt.variables) | changed
    return render(prompt.name, history=variables["earlier"], **variables)


def _and_then(prompt: Prompt, text: str) -> Prompt:
    *first, last = prompt.messages
    return replace(prompt, messages=(*first, Message(last.role, f"{last.text}\n\n{text}")))


def _failed(result: ToolResult) -> bool:
    return result.status in ("unavailable", "not_found", "invalid")


def _raw(result: ToolResult) -> str:
    return f"Error: {_RAW.get(result.error_type or '', _ANY)}"
