"""Where the time of a turn went, and the table by path: pure functions of what was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from docgemma.agent.record import TurnRecord
from docgemma.evals.contract import CaseRecord
from docgemma.evals.latency.cases import LatencyCase
from docgemma.evals.statistics import quantile
from docgemma.evals.verdicts import Verdict


def counts_of(record: TurnRecord, waited_ms: float, first_text_ms: float | None, *, most: int) -> dict[str, float]:
    """`seconds`: what the clinician waits, storing included. `own_ms`: of that, neither the model's steps nor tools."""
    tools, model = sum(call.duration_ms for call in record.tool_calls), model_ms(record)
    counts = {
        "llm_calls": float(record.llm_calls),
        "budget": float(most),
        "prompt_tokens": float(record.tokens.prompt),
        "completion_tokens": float(record.tokens.completion),
        "seconds": waited_ms / 1000,
        "model_ms": model,
        "tool_ms": tools,
        "own_ms": max(0.0, waited_ms - model - tools),
    }
    return counts if first_text_ms is None else counts | {"first_text_ms": first_text_ms}


def model_ms(record: TurnRecord) -> float:
    """The time of the steps in which a model was asked. A node's time stands at the last step that it tells."""
    found = 0.0
    for _, steps in groupby(record.timeline, key=lambda step: step.step):
        told = list(steps)
        if any(step.by == "model" for step in told):
            found += sum(step.ms for step in told)
    return found


def calls_met(record: TurnRecord, most: int) -> Verdict:
    return Verdict(record.llm_calls <= most, f"at most {most} model calls", f"{record.llm_calls}")


def path_taken(case: LatencyCase, record: TurnRecord) -> Verdict:
    """The look-ups and the end that belong to this path; else its time says nothing about it."""
    tools = tuple(dict.fromkeys(call.tool for call in record.tool_calls))
    again = case.fault is None or any(call.attempts > 1 for call in record.tool_calls)
    passed = set(tools) == set(case.way.tools) and record.outcome == case.way.outcome and again
    got = _way(tools, record.outcome)
    return Verdict(passed, _way(case.way.tools, case.way.outcome), got if again else f"{got}, without a second try")


def by_path(records: Sequence[CaseRecord]) -> dict[str, dict[str, Any]]:
    """One row a path, over the turns that ended. A first piece of text is not there for every turn."""
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted({record.kind for record in records}):
        done = [record for record in records if record.kind == path and not record.error]
        if done:
            rows[path] = {"turns": len(done), **_row([record.counts for record in done])}
    return rows


def _row(counts: Sequence[dict[str, float]]) -> dict[str, Any]:
    def values(name: str) -> list[float]:
        return [each[name] for each in counts if name in each]

    def middle(name: str, digits: int = 1) -> float | None:
        return round(quantile(values(name), 0.5), digits) if values(name) else None

    return {
        "calls": {"median": middle("llm_calls"), "p95": round(quantile(values("llm_calls"), 0.95), 1)},
        "budget": int(max(values("budget"))),
        "seconds": {"median": middle("seconds", 3), "p95": round(quantile(values("seconds"), 0.95), 3)},
        "prompt_tokens": middle("prompt_tokens"),
        "completion_tokens": middle("completion_tokens"),
        "first_text_ms": middle("first_text_ms"),
        "model_ms": middle("model_ms"),
        "tool_ms": middle("tool_ms"),
        "own_ms": middle("own_ms"),
    }


def _way(tools: Sequence[str], outcome: str) -> str:
    return f"{', '.join(tools) or 'no look-up'}, then {outcome}"
