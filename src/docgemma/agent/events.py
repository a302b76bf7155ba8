"""What a turn tells while it runs, for whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from docgemma.agent.state import Event
from docgemma.clinical import TimelineStep


@dataclass(frozen=True, slots=True)
class BegunEvent:
    """The store has taken the turn: from here on it is recorded, however it ends. Comes first."""

    session_id: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class StepEvent:
    step: TimelineStep


@dataclass(frozen=True, slots=True)
class TextEvent:
    """A sentence of the answer, after its check."""

    text: str


TurnEvent = BegunEvent | StepEvent | TextEvent
OnEvent = Callable[[TurnEvent], None]


def to_listener(on_event: OnEvent | None) -> Callable[[Event], None] | None:
    """What the graphs emit, as the listener takes it."""
    return None if on_event is None else lambda event: on_event(_heard(event))


def _heard(event: Event) -> StepEvent | TextEvent:
    return TextEvent(event) if isinstance(event, str) else StepEvent(event)
