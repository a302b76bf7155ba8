"""Cases and records for the tests of the harness, small enough to see what is right and what is wrong in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docgemma.agent.record import Clarification, PendingCall, ToolCall, TurnRecord
from docgemma.evals.casefiles import parse
from docgemma.evals.turns import Case
from docgemma.tools.registry import REGISTRY

CASES: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()
]
"""Eleven cases of `turns`, a kind of request each, that rules get right."""


def text_of(*cases: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(case)}\n" for case in cases)


def all_cases() -> tuple[Case, ...]:
    return parse(Case, text_of(*CASES), "cases.jsonl")


def write(path: Path, *cases: dict[str, Any]) -> Path:
    path.write_text(text_of(*cases), encoding="utf-8")
    return path


def case(**expect: Any) -> Case:
    """A case of which only the expectation matters."""
    return Case.model_validate({"id": "c", "kind": "test", "say": "something", "expect": expect})


def call(tool: str, status: str = "found", **args: Any) -> ToolCall:
    return ToolCall.model_validate({"tool": tool, "label": REGISTRY[tool].label, "args": args, "status": status})


def record(*calls: ToolCall, outcome: str = "answer", asks: Clarification | None = None, **more: Any) -> TurnRecord:
    return TurnRecord.model_validate(
        {
            "id": "c",
            "turn_id": "t",
            "session_id": "s",
            "created_at": "2026-11-15T10:00:00+00:00",
            "model": "rules",
            "query": "something",
            "outcome": outcome,
            "tool_calls": calls,
            "clarification": asks,
        }
        | more
    )


def question(reason: str, *missing: str) -> Clarification:
    pending = PendingCall(message="something", tool="prescribe_medication", missing=missing)
    return Clarification(reason=reason, question="?", pending=pending)
