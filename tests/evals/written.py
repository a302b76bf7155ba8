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
    {
        "id": "chart-by-id",
        "kind": "chart",
        "say": "show me the chart of abc-123",
        "expect": {
            "intent": "TOOL_NEEDED",
            "tools": ["get_patient_chart"],
            "calls": [{"tool": "get_patient_chart", "patient_id": "abc-123"}],
            "outcome": "answer",
        },
    },
    {
        "id": "unknown-id",
        "kind": "chart",
        "say": "show me the chart of abc-999",
        "expect": {"tools": ["get_patient_chart"], "outcome": "answer"},
    },
    {
        "id": "brand",
        "kind": "drug_safety",
        "say": "Boxed warning of dofetilide?",
        "expect": {
            "intent": "TOOL_NEEDED",
            "tools": ["check_drug_safety"],
            "calls": [{"tool": "check_drug_safety", "drug_name": "dofetilide"}],
            "outcome": "answer",
        },
    },
    {
        "id": "pair",
        "kind": "interactions",
        "say": "Does warfarin interact with ibuprofen?",
        "expect": {
            "tools": ["check_drug_interactions"],
            "calls": [{"tool": "check_drug_interactions", "drug_names": ["ibuprofen", "warfarin"]}],
            "outcome": "answer",
        },
    },
    {
        "id": "no-frequency",
        "kind": "missing",
        "say": "Prescribe metformin 500 mg for abc-123",
        "expect": {
            "tools": ["prescribe_medication"],
            "calls": [{"tool": "prescribe_medication", "medication_name": "metformin", "dosage": "0.5 g"}],
            "outcome": "ask_user",
            "asks": ["frequency"],
        },
    },
    {
        "id": "frequency-given",
        "kind": "answer",
        "before": ["Prescribe metformin 500 mg for abc-123"],
        "say": "twice a day",
        "expect": {
            "tools": ["prescribe_medication"],
            "calls": [{"tool": "prescribe_medication", "patient_id": "abc-123", "frequency": "twice daily"}],
            "outcome": "approval",
        },
    },
    {
        "id": "three-wilsons",
        "kind": "patient",
        "say": "Show me the chart of James Wilson",
        "expect": {"tools": ["search_patient"], "outcome": "ask_user", "reason": "multiple_patient_matches"},
    },
    {
        "id": "second-wilson",
        "kind": "answer",
        "before": ["Show me the chart of James Wilson"],
        "say": "the second one",
        "expect": {
            "tools": ["get_patient_chart"],
            "calls": [{"tool": "get_patient_chart", "patient_id": "rst-222"}],
            "outcome": "answer",
        },
    },
    {
        "id": "allergy-on-screen",
        "kind": "allergy",
        "patient": "def-456",
        "say": "Add a penicillin allergy, reaction hives",
        "expect": {
            "tools": ["add_allergy"],
            "calls": [{"tool": "add_allergy", "patient_id": "def-456", "substance": "penicillin", "reaction": "hives"}],
            "outcome": "approval",
        },
    },
    {
        "id": "film",
        "kind": "image",
        "image": True,
        "say": "Is there an effusion on this film?",
        "expect": {"tools": ["analyze_medical_image"], "outcome": "answer"},
    },
    {
        "id": "thanks",
        "kind": "small_talk",
        "say": "thanks",
        "expect": {"intent": "DIRECT", "tools": [], "outcome": "answer"},
    },
]


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
