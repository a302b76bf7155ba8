"""A turn record to render, with what a test cares about filled in."""

from __future__ import annotations

from typing import Any

from docgemma.agent.record import TurnRecord


def record(**fields: Any) -> TurnRecord:
    given: dict[str, Any] = {
        "id": "t1",
        "turn_id": "t1",
        "session_id": "k3v9",
        "created_at": "2026-01-01T00:00:00Z",
        "model": "rules",
        "query": "A question",
        "outcome": "answer",
        "response": "An answer.",
    }
    return TurnRecord.model_validate(given | fields)
