"""What a message asks for, as the reader gives it: the contract that the agent relies on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from docgemma.reader.labels import WRITES, Ask, QuestionKind, Relation, SpanType

Certainty = Literal["sure", "offered", "no"]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """What DocGemma asked and nobody has answered yet."""

    kind: QuestionKind
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """The user's own words: `text` is `message[start:end]`. `ask` is the request they belong to, where there is one."""

    type: SpanType
    start: int
    end: int
    text: str
    probability: float
    ask: Ask | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One tool that the message asks for. `certainty` is the probability held against the card's thresholds."""

    ask: Ask
    probability: float
    certainty: Certainty

    @property
    def writes(self) -> bool:
        return self.ask in WRITES


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that was read in one message."""

    asks: tuple[Asked, ...]
    spans: tuple[Span, ...]
    urgent: bool
    conditional: bool
    relation: Relation | None = None  # None without an open question
    relation_probability: float = 0.0
    probabilities: tuple[tuple[str, float], ...] = ()  # every head's, for the timeline and for calibration

    def of(self, *types: SpanType) -> tuple[Span, ...]:
        """The spans of these types, in order."""
        return tuple(span for span in self.spans if span.type in types)

    def sure(self) -> tuple[Ask, ...]:
        """What is asked for beyond doubt."""
        return tuple(asked.ask for asked in self.asks if asked.certainty == "sure")


class Reader(Protocol):
    """Turns words into requests."""

    def request(
        self,
        message: str,
        *,
        before: Sequence[str] = (),
        asked: OpenQuestion | None = None,
        patient_on_screen: bool = False,
    ) -> Request:
        """What this message asks for. `before` are the same person's earlier messages, oldest first. Never fails."""
        ...
