"""What is known of a run, and what it tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["begun", "step", "text", "done", "failed", "stopped", "interrupted"]
State = Literal["running", "done", "failed", "stopped", "interrupted"]

LAST: frozenset[str] = frozenset({"done", "failed", "stopped", "interrupted"})
"""After one of these nothing comes, unless the question is asked again."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A turn as those see it who watch it; its id is the turn's."""

    id: str
    session_id: str
    owner: str
    state: State
    asked: str = ""
    """A digest of the question; empty where it is not known any more."""

    @property
    def events(self) -> str:
        """The address of its events."""
        return f"/runs/{self.id}/events"


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One thing that a run tells. Without a number it is not stored: it was found out, not told."""

    number: int | None
    kind: Kind
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def is_last(self) -> bool:
        return self.kind in LAST
